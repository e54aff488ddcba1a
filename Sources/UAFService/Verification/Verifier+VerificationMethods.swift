import UAFMessages

extension Verifier {
  /// Compares how the person was verified, by an assertion's own words, with what the model can do.
  ///
  /// The methods have to be one of the statement's alternatives, whole; each protection has to be among the statement's.
  ///
  /// - Parameter methods: those of the signed part; nil if it does not say.
  func verify(_ methods: [UserVerificationMethodEntry]?, model: AuthenticatorModel) throws(Refusal) {
    guard let methods else {
      guard verificationMethods != .require else { throw .verificationMethodMissing }
      return
    }
    let used = Set(methods.map(\.userVerificationMethod))
    guard model.verificationMethods.contains(used) else { throw .otherVerificationMethod }
    for method in methods {
      guard method.keyProtection & ~model.description.keyProtection == 0,
        method.matcherProtection & ~model.description.matcherProtection == 0
      else { throw .otherVerificationMethod }
    }
  }
}
