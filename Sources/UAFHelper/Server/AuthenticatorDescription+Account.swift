import Authenticator
import UAFClient
import UAFMessages

extension AuthenticatorDescription {
  /// What the account's authenticators offer a policy.
  static func all(of types: [AuthenticatorType], keys: [UAFKey]) -> [AuthenticatorDescription] {
    types.compactMap { type in
      guard let aaid = try? AAID(type.aaid) else { return nil }
      var description = AuthenticatorDescription(aaid: aaid, userVerification: type.userVerification)
      let own = keys.filter { $0.type == type }
      description.registrations = Set(own.map(\.appID)).map { appID in
        AuthenticatorDescription.Registrations(
          appID: appID, keyIDs: own.filter { $0.appID == appID }.compactMap { try? KeyID(bytes: $0.keyID) })
      }
      return description
    }
  }
}
