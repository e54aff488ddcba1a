import UAFCrypto

/// The head of a stack that `uafctl pam enable` wrote: its template, and the line that it replaces.
struct StackRecord: Equatable {
  /// The service's name.
  let service: String
  /// The template, as `fallback/sudo`.
  let template: String
  /// The line of the service's file that was there before.
  let replaced: String
  /// The vendor's file that the service's file was copied from; nil where the folder had one.
  let madeFrom: String?

  private static let mark = "# pam-uaf: "
  private static let digestKey = "sha256 "

  /// The stack: a head, and `body` as it is.
  ///
  /// - Throws: ``StackError/outOfMemory``.
  func file(with body: [UInt8]) throws(StackError) -> [UInt8] {
    var head = """
      # Made by "uafctl pam enable \(service)"; "uafctl pam disable \(service)" takes it away again. What is edited here is kept \
      then.
      \(Self.mark)service \(service)
      \(Self.mark)template \(template)
      \(Self.mark)replaces \(replaced)

      """
    if let madeFrom { head += "\(Self.mark)made-from \(madeFrom)\n" }
    head += "\(Self.mark)\(Self.digestKey)\(try Self.digest(body))\n"
    return Array(head.utf8) + body
  }

  /// The record of a stack, and whether somebody edited the lines after it; nil without a record.
  static func reading(_ file: [UInt8]) -> (record: StackRecord, isEdited: Bool)? {
    var rest = file[...]
    var values: [String: String] = [:]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      guard line.hasPrefix("#") else { break }
      rest = rest[(end + 1)...]
      guard line.hasPrefix(mark) else { continue }
      let pair = line.dropFirst(mark.count)
      guard let space = pair.firstIndex(of: " ") else { return nil }
      values[String(pair[..<space])] = String(pair[pair.index(after: space)...])
      if line.hasPrefix(mark + digestKey) { break }
    }
    guard let service = values["service"], let template = values["template"], let replaced = values["replaces"],
      let line = PAMFile.firstLine(of: replaced), let digest = values["sha256"],
      ServiceFile.isReplaceable(line, changesPasswords: false)
        || ServiceFile.isReplaceable(line, changesPasswords: true)
    else { return nil }
    let record = StackRecord(service: service, template: template, replaced: replaced, madeFrom: values["made-from"])
    return (record, (try? Self.digest(Array(rest))) != digest)
  }

  private static func digest(_ body: [UInt8]) throws(StackError) -> String {
    guard let hash = try? SHA256.hash(body) else { throw .outOfMemory }
    return hash.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
