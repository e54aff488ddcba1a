import Authenticator
import UAFMessages

extension UAFKey {
  /// Whether the server's last word on it was that it is revoked.
  var isRevoked: Bool { serverStatus == UAFStatusCode.revokedAuthenticator.rawValue }

  /// Whether the server's last word on it was that it is revoked, or that there is no such key, model or account.
  var isDead: Bool {
    let unknown: [UAFStatusCode] = [.notFound, .unknownAAID, .unknownKeyID]
    return isRevoked || unknown.contains(UAFStatusCode(rawValue: serverStatus))
  }
}
