import Foundation

extension FileHandle {
  /// The text up to the end of a line, without the line feed; less if the stream ends before.
  var firstLine: String {
    var bytes = Data()
    while bytes.last != UInt8(ascii: "\n") {
      let more = availableData
      if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }
}
