import UAFMessages

/// The models a server accepts, in the order it prefers them.
struct AuthenticatorModels: Sendable {
  let all: [AuthenticatorModel]

  subscript(aaid: AAID) -> AuthenticatorModel? {
    all.first { $0.description.aaid == aaid }
  }

  /// The authenticators of this project: software, surrogate attestation, ECDSA P-256 raw.
  static func projectOwn() throws(MessageError) -> AuthenticatorModels {
    let passcode = AuthenticatorDescription(aaid: try AAID("5541#0001"), userVerification: UserVerification.passcode)
    let pattern = AuthenticatorDescription(aaid: try AAID("5541#0002"), userVerification: UserVerification.pattern)
    return AuthenticatorModels(all: [
      AuthenticatorModel(name: "passcode", description: passcode),
      AuthenticatorModel(name: "pattern", description: pattern),
    ])
  }
}
