import UAFMessages

/// Whether clients are asked how they verified the person (extension `fido.uaf.uvm`).
///
/// What an assertion says of it is compared with the model's statement, asked or not.
package enum VerificationMethodPolicy: String, CaseIterable, Sendable {
  case off
  /// Asked; a client that does not know the extension may ignore it.
  case ask
  /// Asked; an assertion that does not say is refused.
  case require

  /// What stands in a request's header for it.
  var extensions: [Extension] {
    guard self != .off else { return [] }
    return [Extension(id: UserVerificationMethodEntry.extensionID, data: "", failIfUnknown: self == .require)]
  }
}
