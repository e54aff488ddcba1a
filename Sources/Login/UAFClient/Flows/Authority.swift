import FidoResults
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

/// What a person authorises by an authentication that is not a login.
///
/// It is part of the question, and so of the challenge that is signed: the server's token for it is good for this alone.
public enum ProofSubject: Sendable {
  /// To ask for a registration of further keys, which a registered key then has to authorise one by one.
  case furtherKeys
  /// To remove these keys.
  case removal(DeregistrationScope, keyIDs: [KeyID])

  var purpose: ChallengePurpose {
    switch self {
    case .furtherKeys: .furtherKeys
    case .removal: .removal
    }
  }

  /// A question that asks for it.
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
  /// Every authenticator of the account.
  case all

  /// Names what is to be removed, in the question for the removal as in the one for its proof: the server compares them.
  func describe(_ keyIDs: [KeyID], in context: inout RequestContext) {
    switch self {
    case .authenticator(let aaid): context.describeRemoval(of: aaid, keyIDs)
    case .all: context.describeRemoval(of: nil, keyIDs)
    }
  }
}

extension OperationHeader {
  /// What an assertion has to say of the verification; nil unless the server asks with `fido.uaf.uvm`.
  func verificationMethods(
    of aaid: AAID, among authenticators: [AuthenticatorDescription]
  ) -> [UserVerificationMethodEntry]? {
    guard asksForVerificationMethods else { return nil }
    return authenticators.first { $0.aaid == aaid }?.verificationMethods
  }
}

extension PolicyShortfall {
  /// As texts for people name it.
  var cause: EndCause {
    switch self {
    case .registeredAlready: .registeredAlready
    case .otherKeys: .keysNotHere
    case .otherTypes: .typesNotAccepted
    }
  }
}
