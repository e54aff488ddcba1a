import Authenticator
import UAFMessages

extension MetadataStatement {
  /// The statement of one of this project's authenticators.
  ///
  /// Of the passcode it says the weakest that the configuration can be given: PINs of digits, the shortest length, the
  /// most entries until a lock and the shortest lock.
  static func projectOwn(_ type: AuthenticatorType) throws(MessageError) -> MetadataStatement {
    let method: VerificationMethodDescriptor
    switch type {
    case .passcode:
      method = VerificationMethodDescriptor(
        userVerification: type.userVerification,
        caDesc: CodeAccuracyDescriptor(
          base: 10, minLength: UInt16(PasscodePolicy.lengthRange.lowerBound),
          maxRetries: UInt16(LockPolicy.retryCountRange.upperBound),
          blockSlowdown: UInt16(LockPolicy.lockTimeRange.lowerBound.components.seconds)))
    case .pattern: method = VerificationMethodDescriptor(userVerification: type.userVerification)
    }
    return MetadataStatement(
      aaid: try AAID(type.aaid), description: "pam-uaf \(type.rawValue)", userVerificationDetails: [[method]])
  }
}
