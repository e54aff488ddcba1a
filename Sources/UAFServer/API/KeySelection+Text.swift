import UAFAdministration
import UAFMessages
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
      let parts = key.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 2, let aaid = try? AAID(String(parts[0])),
        let keyID = try? KeyID(json: .string(String(parts[1])), path: "key")
      else { throw .invalid(field: "key", reason: "must be an AAID, a space, and a KeyID in base64url") }
      self = .one(aaid, keyID, of: account)
    default: throw .invalid(field: "key", reason: "goes without device: say which of both is meant")
    }
  }
}
