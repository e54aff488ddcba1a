import UAFMessages

extension OperationHeader {
  /// What an assertion has to say of the verification; nil unless the server asks with `fido.uaf.uvm`.
  func verificationMethods(
    of aaid: AAID, among authenticators: [AuthenticatorDescription]
  ) -> [UserVerificationMethodEntry]? {
    guard asksForVerificationMethods else { return nil }
    return authenticators.first { $0.aaid == aaid }?.verificationMethods
  }
}
