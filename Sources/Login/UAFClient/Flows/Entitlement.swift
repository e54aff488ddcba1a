import FidoResults
import UAFCrypto
import UAFMessages

/// What allows keys to be registered or removed.
public enum Entitlement: Sendable {
  /// Nothing; the server alone decides.
  case none
  /// An enrolment code of another vendor's server; the client sends it unchanged.
  case plainCode(String)
  /// An enrolment code of `uaf-server`. The code itself is never sent, only MACs that are made with it.
  case code(EnrolmentCode)
  /// The token that `uaf-server` gave for a fresh authentication for this operation.
  case proof(String)

  /// The purpose that the challenge must have for a registration with this entitlement; nil if no purpose is expected.
  var purpose: ChallengePurpose? {
    switch self {
    case .none, .plainCode: nil
    case .code: .registrationByCode
    case .proof: .registrationByKey
    }
  }

  /// The HTTP request's context, with this entitlement added.
  ///
  /// - Parameter statement: the statement whose MAC is made with an enrolment code.
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

  /// The HMAC-SHA-256 of a statement under the key of an enrolment code; nil if this is not an enrolment code.
  ///
  /// - Throws: ``CryptoError``.
  func authenticate(_ statement: [UInt8], for username: String) throws(CryptoError) -> [UInt8]? {
    guard case .code(let code) = self else { return nil }
    let key = try EnteredCodeKey.derive(
      from: code.keyMaterial, for: EnrolmentCode.keyInfo(username: username), isStretched: code.isStretched,
      length: EnrolmentCode.keyByteCount)
    return try HMACSHA256.authenticate(statement, key: key)
  }
}

/// What a person authorises by an authentication that is not a login.
///
/// The HTTP request for the challenge names it, so the signed challenge is bound to it, and the server's token is valid for it
/// alone.
public enum ProofSubject: Sendable {
  /// A registration of further keys. A registered key must then sign each of them.
  case furtherKeys
  /// The removal of these keys.
  case removal(DeregistrationScope, keyIDs: [KeyID])

  var purpose: ChallengePurpose {
    switch self {
    case .furtherKeys: .furtherKeys
    case .removal: .removal
    }
  }

  /// The HTTP request's context, asking for a token for this subject.
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

  /// Adds the keys to be removed to the context of an HTTP request.
  ///
  /// The requests for the removal and for its proof must both name them, because the server compares them.
  func describe(_ keyIDs: [KeyID], in context: inout RequestContext) {
    switch self {
    case .authenticator(let aaid): context.describeRemoval(of: aaid, keyIDs)
    case .all: context.describeRemoval(of: nil, keyIDs)
    }
  }
}

extension OperationHeader {
  /// The verification methods that an assertion must report; nil unless the server asks for them with `fido.uaf.uvm`.
  func verificationMethods(
    of aaid: AAID, among authenticators: [AuthenticatorDescription]
  ) -> [UserVerificationMethodEntry]? {
    guard asksForVerificationMethods else { return nil }
    return authenticators.first { $0.aaid == aaid }?.verificationMethods
  }
}

extension PolicyShortfall {
  /// The cause that is named in texts for people.
  var cause: EndCause {
    switch self {
    case .registeredAlready: .registeredAlready
    case .otherKeys: .keysNotHere
    case .otherTypes: .typesNotAccepted
    }
  }
}
