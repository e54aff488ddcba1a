import Authenticator
import UAFMessages

extension MetadataStatement {
  /// The statement of one of this project's authenticators.
  ///
  /// It states the weakest values that the configuration allows: the type's own figures, and for every type the most entries
  /// until a lock and the shortest lock.
  package static func projectOwn(_ type: AuthenticatorType) throws(MessageError) -> MetadataStatement {
    let maxRetries = UInt16(LockPolicy.retryCountRange.upperBound)
    let blockSlowdown = UInt16(LockPolicy.lockTimeRange.lowerBound.components.seconds)
    let method: VerificationMethodDescriptor
    switch type.accuracy {
    case .code(let base, let minimumLength):
      method = VerificationMethodDescriptor(
        userVerification: type.userVerification,
        caDesc: CodeAccuracyDescriptor(
          base: base, minLength: minimumLength, maxRetries: maxRetries, blockSlowdown: blockSlowdown))
    case .pattern(let minimumComplexity):
      method = VerificationMethodDescriptor(
        userVerification: type.userVerification,
        paDesc: PatternAccuracyDescriptor(
          minComplexity: minimumComplexity, maxRetries: maxRetries, blockSlowdown: blockSlowdown))
    case .unstated: method = VerificationMethodDescriptor(userVerification: type.userVerification)
    }
    return MetadataStatement(
      aaid: try AAID(type.aaid), description: "pam-uaf \(type.rawValue)", userVerificationDetails: [[method]])
  }
}
