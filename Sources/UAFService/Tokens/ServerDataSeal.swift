import UAFCrypto
import UAFMessages

/// Writes and reads session data.
///
/// Base64url of: form (1) | operation (1) | proof operations (1) | expiry (8) | approval (8) | length of the name (1) | name |
/// kind of text (1) | text or its hash | code (32). Numbers are big-endian. The code is over the challenge and everything before
/// it, so a request that was never issued is refused before the store is used.
struct ServerDataSeal {
  let keys: ServerKeys

  /// The first byte.
  ///
  /// Another form has another number.
  private static let form: UInt8 = 2
  /// UAF protocol 1.1, section 3.1.3.
  private static let maximumBytes = 1152
  private static let purpose = "serverData"
  private static let operations: [UAFOperation] = [.registration, .authentication, .deregistration]

  /// Writes session data for a challenge.
  ///
  /// - Throws: ``CryptoError``.
  func seal(_ data: ServerData, challenge: [UInt8]) throws -> String {
    let name = Array(data.username.utf8)
    var body = [Self.form, Self.number(data.operation), Self.flags(data.proofOperations)]
    BigEndian.append(data.expiresAt, to: &body)
    BigEndian.append(data.approvalID ?? 0, to: &body)
    body += [UInt8(clamping: name.count)] + name
    switch data.text {
    case .none: body.append(0)
    case .whole(let text): body += [1] + Array(text.shown.utf8)
    case .hash(let hash): body += [2] + hash
    }
    return Base64URL.encode(body + (try keys.authenticationCode(Self.purpose, challenge + body)))
  }

  /// Reads session data.
  ///
  /// - Returns: nil if it was not sealed here for this challenge.
  /// - Throws: ``CryptoError``.
  func open(_ text: String, challenge: [UInt8]) throws -> ServerData? {
    guard let bytes = try? Base64URL.decode(text, maximumCount: Self.maximumBytes), bytes.count > 32 else { return nil }
    let body = bytes.dropLast(32)
    guard try keys.isValid(Array(bytes.suffix(32)), Self.purpose, challenge + body) else { return nil }
    // Authentic, so written by this server. What it cannot read, an earlier version of it has written.
    guard body.first == Self.form else { return nil }
    return Self.read(body.dropFirst())
  }

  private static func read(_ body: ArraySlice<UInt8>) -> ServerData? {
    guard body.count >= 19 else { return nil }
    let bytes = Array(body)
    let nameEnd = 19 + Int(bytes[18])
    guard bytes.count > nameEnd, let username = String(validating: bytes[19..<nameEnd], as: UTF8.self),
      let operation = operations.first(where: { number($0) == bytes[0] })
    else { return nil }
    var data = ServerData(operation: operation, username: username, expiresAt: integer(bytes[2..<10]))
    data.proofOperations = operations.filter { bytes[1] & flags([$0]) != 0 }
    let approvalID = integer(bytes[10..<18])
    data.approvalID = approvalID == 0 ? nil : approvalID
    let rest = Array(bytes[(nameEnd + 1)...])
    switch bytes[nameEnd] {
    case 0: data.text = .none
    case 1:
      guard let sent = String(validating: rest, as: UTF8.self), let text = TransactionText(sent: sent) else {
        return nil
      }
      data.text = .whole(text)
    case 2: data.text = .hash(rest)
    default: return nil
    }
    return data
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  private static func number(_ operation: UAFOperation) -> UInt8 {
    switch operation {
    case .registration: 1
    case .authentication: 2
    case .deregistration: 3
    }
  }

  private static func flags(_ operations: [UAFOperation]) -> UInt8 {
    operations.reduce(0) { $0 | 1 << number($1) }
  }
}
