import SecretMemory
import Synchronization
import UAFCrypto

/// The secret with which portions of rows are signed for a webhook.
final class WebhookSecret: Sendable {
  /// How many bytes the file's line has.
  private static let lengths = 32...256

  private let key: Mutex<Secret>

  /// Reads the first line of a file.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  init(path: String) throws {
    guard let line = try StateFile.readPassword(path: path) else {
      throw ServerError.unusableFile(path: path, reason: "no such file")
    }
    let count = line.withBytes { bytes in
      var count = bytes.count
      while count > 0, bytes[count - 1] == 0 { count -= 1 }
      return count
    }
    guard Self.lengths.contains(count) else {
      throw ServerError.unusableFile(
        path: path,
        reason:
          "must have \(Self.lengths.lowerBound) to \(Self.lengths.upperBound) bytes: 'openssl rand -hex 32' makes one"
      )
    }
    key = Mutex(try line.withBytes { try Secret(copying: $0.extracting(0..<count)) })
  }

  /// The value of the header: the time, and in hexadecimal digits HMAC-SHA-256 of the time, a full stop, and the body.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``CryptoError``.
  func signature(of body: [UInt8], now: Int64) throws -> String {
    let message = Array("\(now).".utf8) + body
    let code = try key.withLock { key in try HMACSHA256.authenticate(message, key: key) }
    let digits = code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "t=\(now),v1=\(digits)"
  }
}
