import FidoResults
import UAFCrypto
import UAFMessages

/// What allows keys to be registered or removed.
public enum Entitlement: Sendable {
  /// Nothing; the server alone decides.
  case none
  /// The code of another vendor's server, which is sent to it unchanged.
  case plainCode(String)
  /// An enrolment code of our server, which stays on this machine.
  case code(EnrolmentCode)
  /// Our server's token of a fresh authentication for this operation.
  case proof(String)

  /// The purpose of the challenge for a registration that this allows; nil if our server would issue none.
  var purpose: ChallengePurpose? {
    switch self {
    case .none, .plainCode: nil
    case .code: .registrationByCode
    case .proof: .registrationByKey
    }
  }

  /// A question with the part that says what allows the operation.
  ///
  /// - Parameter statement: the statement that is authenticated with an enrolment code.
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

/// What a person authorises by an authentication that is not a login.
///
/// It is part of the question, and so of the challenge that is signed: the server's token is valid for this subject only.
public enum ProofSubject: Sendable {
  /// A registration of further keys, each of which a registered key must then authorise.
  case furtherKeys
  /// The removal of these keys.
  case removal(DeregistrationScope, keyIDs: [KeyID])

  var purpose: ChallengePurpose {
    switch self {
    case .furtherKeys: .furtherKeys
    case .removal: .removal
    }
  }

  /// A question that asks for this authorisation.
  func described(in question: RequestContext) -> RequestContext {
    var context = question
    context.proofFor = purpose.authorizedOperation
    if case .removal(let scope, let keyIDs) = self { scope.describe(keyIDs, in: &context) }
    return context
  }
}

/// What the person wants to be deregistered.
public enum DeregistrationScope: Equatable, Sendable {
  /// One authenticator.
  case authenticator(AAID)
  /// All authenticators of the account.
  case all

  /// Names what is to be removed, in the question for the removal and in the one for its proof: the server compares them.
  func describe(_ keyIDs: [KeyID], in context: inout RequestContext) {
    switch self {
    case .authenticator(let aaid): context.describeRemoval(of: aaid, keyIDs)
    case .all: context.describeRemoval(of: nil, keyIDs)
    }
  }
}

extension OperationHeader {
  /// The verification methods that an assertion must report; nil unless the server asks with `fido.uaf.uvm`.
  func verificationMethods(
    of aaid: AAID, among authenticators: [AuthenticatorDescription]
  ) -> [UserVerificationMethodEntry]? {
    guard asksForVerificationMethods else { return nil }
    return authenticators.first { $0.aaid == aaid }?.verificationMethods
  }
}

extension PolicyShortfall {
  /// The cause that texts for people name.
  var cause: EndCause {
    switch self {
    case .registeredAlready: .registeredAlready
    case .otherKeys: .keysNotHere
    case .otherTypes: .typesNotAccepted
    }
  }
}
