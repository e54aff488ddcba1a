/// What allows an account to be deregistered.
enum DeregistrationProof {
  /// The server's token for a fresh verification; whether it wants one is for the server to say.
  case token(String?)
  /// An enrolment code, which the server judges.
  case code(String)
}
