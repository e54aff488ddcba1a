import UAFMessages

/// The session data of a request (`serverData`): authenticated by the server, sent back by the client unchanged.
///
/// `expiry (8, big-endian) | operation (1) | user name | code (32)`, base64url. The code covers the challenge too. So
/// a request that was never issued is refused before the store is used.
struct ServerData {
  let keys: ServerKeys

  func seal(operation: Operation, username: String, challenge: [UInt8], expiresAt: Int64) throws -> String {
    let body = Self.bytes(expiresAt) + [Self.number(operation)] + Array(username.utf8)
    let code = try keys.authenticationCode(Self.purpose, challenge + body)
    return Base64URL.encode(body + code)
  }

  /// Opens session data.
  ///
  /// - Returns: nil if it was not sealed here for this challenge.
  func open(_ text: String, challenge: [UInt8]) throws -> (operation: Operation, expiresAt: Int64)? {
    guard let bytes = try? Base64URL.decode(text, maximumCount: 1152), bytes.count > 9 + 32 else { return nil }
    let body = Array(bytes.dropLast(32))
    guard try keys.isValid(Array(bytes.suffix(32)), Self.purpose, challenge + body) else { return nil }
    guard let operation = Operation.allCases.first(where: { Self.number($0) == body[8] }) else { return nil }
    let expiresAt = body[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (operation, Int64(bitPattern: expiresAt))
  }

  private static let purpose = "serverData"

  private static func bytes(_ number: Int64) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func number(_ operation: Operation) -> UInt8 {
    switch operation {
    case .registration: 1
    case .authentication: 2
    case .deregistration: 3
    }
  }
}
