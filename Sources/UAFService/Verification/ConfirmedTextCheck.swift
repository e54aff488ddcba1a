import UAFCrypto
import UAFMessages

/// Checks a stored confirmation again, with nothing but what was stored with it.
package enum ConfirmedTextCheck {
  /// What is wrong with a confirmation.
  package enum Fault: String, Equatable, Sendable {
    case unreadable = "the stored text or assertion cannot be read"
    case notConfirmed = "the authenticator did not say that the text was confirmed"
    case otherText = "another text was signed"
    case otherChallenge = "the signature belongs to other challenge parameters"
    case invalidSignature = "the signature is not one of the stored key"
  }

  /// The first fault; nil if the person's key signed this text.
  package static func fault(in confirmation: ConfirmedText) -> Fault? {
    guard let text = TransactionText(sent: confirmation.shown), text.shown == confirmation.shown,
      let transaction = try? Transaction(signing: text),
      let assertion = try? UnverifiedAuthenticationAssertion(parsing: confirmation.assertion),
      assertion.signatureAlgorithm == confirmation.signatureAlgorithm
    else { return .unreadable }
    guard assertion.authenticationMode == .transactionConfirmed else { return .notConfirmed }
    guard let hash = try? SHA256.hash(transaction.content), assertion.transactionContentHash == hash else {
      return .otherText
    }
    guard let challenge = try? SHA256.hash(Array(confirmation.fcParams.utf8)),
      assertion.finalChallengeHash == challenge
    else { return .otherChallenge }
    guard let scheme = SignatureScheme(rawValue: confirmation.signatureAlgorithm),
      let key = try? VerificationKey(encoded: confirmation.publicKey, scheme: scheme),
      key.isValidSignature(assertion.signature, of: assertion.signedBytes)
    else { return .invalidSignature }
    return nil
  }
}
