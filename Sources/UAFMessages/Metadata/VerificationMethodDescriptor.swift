/// One way in which an authenticator verifies the person (metadata statement 1.1).
///
/// The descriptor of biometric accuracy (`baDesc`) is not kept: no rule here uses it.
public struct VerificationMethodDescriptor: JSONRepresentable, Equatable, Sendable {
  /// One USER_VERIFY flag, never USER_VERIFY_ALL.
  public let userVerification: UInt32
  /// For a passcode.
  public let caDesc: CodeAccuracyDescriptor?
  /// For a pattern.
  public let paDesc: PatternAccuracyDescriptor?

  /// Makes a descriptor.
  public init(
    userVerification: UInt32, caDesc: CodeAccuracyDescriptor? = nil, paDesc: PatternAccuracyDescriptor? = nil
  ) {
    self.userVerification = userVerification
    self.caDesc = caDesc
    self.paDesc = paDesc
  }

  /// Reads one method.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)`` unless there is exactly one flag.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    userVerification = try reader.integer("userVerification", as: UInt32.self)
    caDesc = try reader.optionalChild("caDesc", as: CodeAccuracyDescriptor.self)
    paDesc = try reader.optionalChild("paDesc", as: PatternAccuracyDescriptor.self)
    guard userVerification.nonzeroBitCount == 1, userVerification != UserVerification.all else {
      throw .outOfRange(reader.name("userVerification"))
    }
  }

  /// The method as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["userVerification": .integer(Int64(userVerification))]
    object.set("caDesc", caDesc?.json)
    object.set("paDesc", paDesc?.json)
    return .object(object)
  }
}
