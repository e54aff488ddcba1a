/// What allows an account to be deregistered.
enum DeregistrationProof {
  /// The server's token for a fresh verification; nil if the server gave none.
  case token(String?)
  /// An enrolment code, which the server judges.
  case code(String)
}
