/// The result of verifying an answer.
///
/// A refusal is a value, not an error: the server works as it should when it refuses.
enum VerificationResult<Verified: Sendable>: Sendable {
  case accepted([Verified])
  case refused(ServiceRefusal)
}
