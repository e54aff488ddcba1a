import UAFCrypto
import UAFMessages

/// What allows keys to be registered or removed.
public enum Authority: Sendable {
  /// Nothing but what the server makes of the request.
  case none
  /// The code of a server of another make, which goes to it as it is.
  case plainCode(String)
  /// An enrolment code of our server, which stays here.
  case code(EnrolmentCode)
  /// Our server's token of a fresh authentication for this.
  case proof(String)

  /// The purpose of the challenge for a registration that this allows; nil if our server would issue none.
  var purpose: ChallengePurpose? {
    switch self {
    case .none, .plainCode: nil
    case .code: .registrationByCode
    case .proof: .registrationByKey
    }
  }

  /// A question that says what allows it.
  ///
  /// - Parameter statement: what somebody says who has an enrolment code.
  /// - Throws: ``CryptoError``.
  func described(
    in question: RequestContext, _ statement: (RequestContext) -> [UInt8]
  ) throws(CryptoError) -> RequestContext {
    var context = question
    switch self {
    case .none: break
    case .plainCode(let code): context.authCode = code
    case .code: context.codeProof = try authenticate(statement(context), for: context.username)
    case .proof(let token): context.proof = token
    }
    return context
  }

  /// The HMAC-SHA-256 of a statement under the key of an enrolment code; nil without a code.
  ///
  /// - Throws: ``CryptoError``.
  func authenticate(_ statement: [UInt8], for username: String) throws(CryptoError) -> [UInt8]? {
    guard case .code(let code) = self else { return nil }
    let key = try HKDFSHA256.derive(
      material: code.keyMaterial, info: EnrolmentCode.keyInfo(username: username), length: EnrolmentCode.keyByteCount)
    return try HMACSHA256.authenticate(statement, key: key)
  }
}
