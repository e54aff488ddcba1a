/// Numbers with their highest byte first.
enum BigEndian {
  static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    var shift = number.bitWidth
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
