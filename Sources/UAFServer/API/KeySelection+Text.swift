import UAFAdministration
import UAFService

extension KeySelection {
  /// Reads which keys of an account somebody means.
  ///
  /// - Parameters:
  ///   - key: an AAID, a space, a KeyID.
  ///   - device: a device id.
  /// - Throws: ``AdministrationRefusal/invalid(field:reason:)`` for both at once, and for what is no key.
  init(account: String, key: String?, device: String?) throws(AdministrationRefusal) {
    switch (key, device) {
    case (nil, nil): self = .all(of: account)
    case (nil, let device?): self = .onMachine(device, of: account)
    case (let key?, nil):
      guard let named = EarlierKey(key), named.issuedBy == nil else {
        throw .invalid(field: "key", reason: "must be an AAID, a space, and a KeyID in base64url")
      }
      self = .one(named.aaid, named.keyID, of: account)
    default: throw .invalid(field: "key", reason: "goes without device: say which of both is meant")
    }
  }
}
