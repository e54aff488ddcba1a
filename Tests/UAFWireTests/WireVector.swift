import Foundation

/// A packet of Tests/Vectors/wire: hexadecimal digits with white space between bytes.
enum WireVector {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Vectors/wire")

  /// The names of the packets in a folder below `wire`, without their extension.
  static func names(in part: String = "") -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: part).path)) ?? []
    return files.filter { $0.hasSuffix(".hex") }.map { String($0.dropLast(4)) }.sorted()
  }

  /// The bytes of a packet; nil if the file is missing or is not hexadecimal.
  static func bytes(_ name: String) -> [UInt8]? {
    let file = folder.appending(path: name + ".hex")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    var bytes: [UInt8] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      guard word.utf8.count == 2, let byte = UInt8(word, radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
