/// The form of an enrolment code: one line of printable ASCII.
enum PayloadLine {
  /// The longest payload a conversation carries.
  static let maximumCount = 16_384

  /// One line without white space around it.
  ///
  /// - Throws: ``ToolError/payload(_:)``: `unusable`; `missing` if nothing is left.
  static func checked(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
    let space: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]
    let start = bytes.firstIndex { !space.contains($0) }
    guard let start, let end = bytes.lastIndex(where: { !space.contains($0) }) else { throw .payload(.missing) }
    let payload = Array(bytes[start...end])
    guard payload.count <= maximumCount, payload.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .payload(.unusable)
    }
    return payload
  }
}
