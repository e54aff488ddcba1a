/// What verifying an answer came to.
///
/// A refusal is a value: nothing broke when somebody is turned away.
enum VerificationResult<Verified: Sendable>: Sendable {
  case accepted([Verified])
  case refused(Refusal)
}
