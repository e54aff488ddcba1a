import UAFCrypto
import UAFMessages

/// What an authentication is to authorise.
///
/// The token of an ordinary login authorises nothing, because it may be readable in a session's environment. A client that
/// authenticates in order to register or deregister says so in the context of its request, either with the members
/// `deregisterAll` or `deregisterAAID`, or with our own `proofFor`: `"Reg"` or `"Dereg"`. That makes the challenge another one,
/// so whoever signs it has said what for.
struct ProofPurpose: Equatable {
  /// What the challenge is for.
  let purpose: ChallengePurpose
  /// SHA-256 of what is authorised; empty where the operation is all.
  let subject: [UInt8]

  /// - Returns: nil for an ordinary authentication.
  /// - Throws: ``CryptoError``.
  init?(_ context: RequestContext) throws(CryptoError) {
    if context.deregisterAll == true || context.deregisterAAID != nil || context.proofFor == .deregistration {
      purpose = .removal
      subject = try SHA256.hash(context.removalStatement)
    } else if context.proofFor == .registration {
      purpose = .furtherKeys
      subject = []
    } else {
      return nil
    }
  }
}
