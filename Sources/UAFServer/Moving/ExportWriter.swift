import Glibc
import HostSystem
import UAFCrypto
import UAFMessages

/// Writes the lines of an export, and hashes them.
struct ExportWriter: ~Copyable {
  private static let mostBuffered = 1 << 16

  /// Where lines go; nil to hash them only.
  private let descriptor: CInt?
  private var hash: SHA256Stream
  private var buffer: [UInt8] = []

  /// - Throws: ``CryptoError``.
  init(_ descriptor: CInt?) throws {
    self.descriptor = descriptor
    hash = try SHA256Stream()
  }

  /// - Throws: ``ServerError``; ``CryptoError``.
  mutating func add(_ object: JSONObject) throws {
    let line = JSONValue.object(object).bytes + [UInt8(ascii: "\n")]
    try hash.add(line.span)
    buffer += line
    if buffer.count >= Self.mostBuffered { try flush() }
  }

  /// Writes the last line, which has the hash of those before it; returns the hash.
  consuming func end(_ object: JSONObject) throws -> String {
    var object = object
    try flush()
    let text = Base64URL.encode(try hash.hash())
    object.set("sha256", .string(text))
    try Self.write(JSONValue.object(object).bytes + [UInt8(ascii: "\n")], to: descriptor)
    return text
  }

  private mutating func flush() throws {
    try Self.write(buffer, to: descriptor)
    buffer.removeAll(keepingCapacity: true)
  }

  private static func write(_ bytes: [UInt8], to descriptor: CInt?) throws {
    guard let descriptor else { return }
    guard DescriptorWriter.write(bytes, to: descriptor) else { throw ServerError.unwritten(errorNumber: errno) }
  }
}
