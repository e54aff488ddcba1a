import SecretMemory
import Synchronization

/// The token of a command that asks a server elsewhere.
final class LinkToken: Sendable {
  private let text: Mutex<Secret>

  /// Reads the first line of a file that its owner alone can read.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  init(path: String) throws {
    guard let line = try StateFile.readPassword(path: path) else {
      throw ServerError.unusableFile(path: path, reason: "no such file")
    }
    text = Mutex(line)
  }

  /// The value of the header `Authorization` (RFC 6750, section 2.1).
  ///
  /// The HTTP client copies it, and does not wipe its copies. The command ends soon.
  ///
  /// - Throws: ``ServerError``: a header takes no other characters.
  func header() throws -> String {
    try text.withLock { text in
      let bytes = text.withBytes { bytes in
        var count = bytes.count
        while count > 0, bytes[count - 1] == 0 { count -= 1 }
        return (0..<count).map { bytes[$0] }
      }
      guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw ServerError.invalidArgument("--token-file: its first line is no token")
      }
      return "Bearer " + String(decoding: bytes, as: UTF8.self)
    }
  }
}
