import UAFMessages

extension Verifier {
  /// Compares how the assertion says the person was verified with what the model can do.
  ///
  /// The methods must be exactly one of the statement's alternatives. Each protection must be among those of the statement.
  ///
  /// - Parameter methods: those in the signed part; nil if it names none.
  func verify(_ methods: [UserVerificationMethodEntry]?, model: AuthenticatorModel) throws(ServiceRefusal) {
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
