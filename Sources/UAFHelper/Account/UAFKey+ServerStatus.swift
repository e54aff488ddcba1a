import Authenticator
import UAFMessages

extension UAFKey {
  /// Whether the server's last status of the key is that it is revoked.
  var isRevoked: Bool { serverStatus == UAFStatusCode.revokedAuthenticator.rawValue }

  /// Whether the server's last status is that the key is revoked, or that it has no such key, model or account.
  var isDead: Bool {
    let unknown: [UAFStatusCode] = [.notFound, .unknownAAID, .unknownKeyID]
    return isRevoked || unknown.contains(UAFStatusCode(rawValue: serverStatus))
  }
}
