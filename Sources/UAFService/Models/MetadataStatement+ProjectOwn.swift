import Authenticator
import UAFMessages

extension MetadataStatement {
  /// The statement of one of this project's authenticators.
  ///
  /// It states the weakest values that the configuration allows: for the passcode digits only and the shortest length, for the
  /// pattern the fewest nodes, for both the most entries until a lock and the shortest lock.
  package static func projectOwn(_ type: AuthenticatorType) throws(MessageError) -> MetadataStatement {
    let maxRetries = UInt16(LockPolicy.retryCountRange.upperBound)
    let blockSlowdown = UInt16(LockPolicy.lockTimeRange.lowerBound.components.seconds)
    let method: VerificationMethodDescriptor
    switch type {
    case .passcode:
      method = VerificationMethodDescriptor(
        userVerification: type.userVerification,
        caDesc: CodeAccuracyDescriptor(
          base: 10, minLength: UInt16(PasscodePolicy.lengthRange.lowerBound), maxRetries: maxRetries,
          blockSlowdown: blockSlowdown))
    case .pattern:
      method = VerificationMethodDescriptor(
        userVerification: type.userVerification,
        paDesc: PatternAccuracyDescriptor(
          minComplexity: Pattern.shortestCount, maxRetries: maxRetries, blockSlowdown: blockSlowdown))
    }
    return MetadataStatement(
      aaid: try AAID(type.aaid), description: "pam-uaf \(type.rawValue)", userVerificationDetails: [[method]])
  }
}
