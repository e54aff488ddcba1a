extension MatchCriteria {
  /// Whether an authenticator meets every member that is present (UAF protocol 1.1, section 3.1.11).
  public func matches(_ authenticator: AuthenticatorDescription, appID: String) -> Bool {
    matchesIdentity(authenticator, appID: appID) && matchesCharacteristics(authenticator)
  }

  /// The keys of the authenticator that this criterion names: those it lists, or all of the AppID.
  public func matchingKeyIDs(of authenticator: AuthenticatorDescription, appID: String) -> [KeyID] {
    let registered = authenticator.keyIDs(for: appID)
    guard let keyIDs else { return registered }
    return registered.filter { keyIDs.contains($0) }
  }

  private func matchesIdentity(_ authenticator: AuthenticatorDescription, appID: String) -> Bool {
    if let aaid, !aaid.contains(authenticator.aaid) { return false }
    if let vendorID {
      let vendor = authenticator.aaid.vendorID.uppercased()
      guard vendorID.contains(where: { $0.uppercased() == vendor }) else { return false }
    }
    if keyIDs != nil, matchingKeyIDs(of: authenticator, appID: appID).isEmpty { return false }
    if let authenticatorVersion, authenticatorVersion > authenticator.authenticatorVersion { return false }
    return true
  }

  private func matchesCharacteristics(_ authenticator: AuthenticatorDescription) -> Bool {
    if let userVerification, !Self.matches(userVerification, authenticator.userVerification) { return false }
    if let keyProtection, keyProtection & authenticator.keyProtection == 0 { return false }
    if let matcherProtection, matcherProtection & authenticator.matcherProtection == 0 { return false }
    if let attachmentHint, attachmentHint & authenticator.attachmentHint == 0 { return false }
    if let tcDisplay, tcDisplay & authenticator.tcDisplay == 0 { return false }
    if let authenticationAlgorithms, !authenticationAlgorithms.contains(authenticator.authenticationAlgorithm) {
      return false
    }
    if let assertionSchemes, !assertionSchemes.contains(authenticator.assertionScheme) { return false }
    if let attestationTypes, !attestationTypes.contains(where: authenticator.attestationTypes.contains) { return false }
    return true
  }

  /// Equal; or one flag in common, if neither asks for all flags together.
  private static func matches(_ wanted: UInt32, _ offered: UInt32) -> Bool {
    if wanted == offered { return true }
    return (wanted | offered) & UserVerification.all == 0 && wanted & offered != 0
  }
}
