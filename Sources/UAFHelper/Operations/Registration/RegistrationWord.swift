/// What allows an account a key: what the server is given for it, and what is known here.
struct RegistrationWord {
  /// An enrolment code, which the server judges.
  var code: String?
  /// The server's token for a fresh verification with another authenticator.
  var proof: String?
  /// Whether a registered authenticator has verified the person just now, here and at the server.
  var isVerifiedHere = false

  /// An enrolment code, and nothing else.
  static func code(_ text: String) -> RegistrationWord { RegistrationWord(code: text) }

  /// The token of a fresh verification.
  static func proof(_ token: String) -> RegistrationWord { RegistrationWord(proof: token, isVerifiedHere: true) }
}
