import Authenticator
import UAFClient
import UAFMessages

extension AuthenticationOffer {
  /// The key of an authenticator that signs for this offer; nil where none fits.
  ///
  /// - Parameter keys: the keys to choose among, the preferred one last.
  func key(of type: AuthenticatorType, among keys: [UAFKey]) -> UAFKey? {
    let named = sets.joined().flatMap { $0.keyIDs.map(\.bytes) }
    return keys.last { $0.type == type && $0.appID == appID && named.contains($0.keyID) }
  }
}
