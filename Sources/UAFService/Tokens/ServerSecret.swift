import SecretMemory
import Synchronization
import UAFCrypto

/// A secret for authentication codes.
package final class ServerSecret: Sendable {
  private let key: Mutex<Secret>
  /// Eight hexadecimal digits by which administrators tell secrets apart; they tell nothing else of it.
  package let id: String

  package init(_ key: consuming sending Secret) throws {
    let code = try HMACSHA256.authenticate(Array("key id".utf8), key: key)
    id = KeyName.text(code.prefix(4))
    self.key = Mutex(key)
  }

  /// HMAC-SHA-256 of a message; `purpose` keeps the codes of different uses apart.
  func code(_ purpose: String, _ message: [UInt8]) throws -> [UInt8] {
    let input = Array(purpose.utf8) + [0] + message
    return try key.withLock { key in try HMACSHA256.authenticate(input, key: key) }
  }

  /// Whether a code is the one of this message and purpose, compared in constant time.
  func isValid(_ code: [UInt8], _ purpose: String, _ message: [UInt8]) throws -> Bool {
    let input = Array(purpose.utf8) + [0] + message
    return try key.withLock { key in try HMACSHA256.isValid(code, of: input, key: key) }
  }
}
