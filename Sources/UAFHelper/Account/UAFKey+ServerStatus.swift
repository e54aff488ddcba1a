import Authenticator
import UAFMessages

extension UAFKey {
  /// Whether the server's last status of the key is that it is revoked.
  var isRevoked: Bool { serverStatus == UAFStatusCode.revokedAuthenticator.rawValue }

  /// What is stored as the server's status of a key of which it has seen more signatures than this machine has made.
  ///
  /// No server gives this number: 1491 alone has other causes as well.
  static let behindStatus = 1 << 31 | UAFStatusCode.requestInvalid.rawValue

  /// Whether the server has seen a counter that this machine has not reached: an older copy, or a key that two machines have.
  var isBehind: Bool { serverStatus == Self.behindStatus }

  /// Whether the server is known to refuse each login with the key until something is done about it.
  var isRefused: Bool { isDead || isBehind }

  /// Whether the server's last status is that the key is revoked, or that it has no such key, model or account.
  var isDead: Bool {
    let unknown: [UAFStatusCode] = [.notFound, .unknownAAID, .unknownKeyID]
    return isRevoked || unknown.contains(UAFStatusCode(rawValue: serverStatus))
  }
}
