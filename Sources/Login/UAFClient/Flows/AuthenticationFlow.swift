import FidoResults
import UAFCrypto
import UAFMessages

/// An authentication, step by step: ``start(over:)``, ``collect(over:among:)``, ``sign(with:)``, ``send(over:)``.
///
/// Between ``start(over:)`` and ``collect(over:among:)``, a caller that can see that the server's answer has arrived may read
/// it early with ``receive(over:)``. If ``send(over:)`` returns ``Verdict/furtherRequest``, the server demands a further
/// authentication: continue with ``collect(over:among:)``, at most 4 times. The caller prompts between the steps. No secret
/// passes through this type, and nothing is signed before the server's request has been checked. A step that throws ends the
/// flow; a retry is a new flow with a new challenge.
public struct AuthenticationFlow: LoginFlow {
  private struct Offered: Sendable {
    let request: AuthenticationRequest
    let offer: AuthenticationOffer
    let challenge: FinalChallenge
    /// The purpose of the challenge; nil if the server is another vendor's and states none.
    let purpose: ChallengePurpose?
    let transactionHash: [UInt8]?
    let authenticators: [AuthenticatorDescription]
    var signed: [(aaid: AAID, keyID: KeyID)] = []
    var assertions: [AuthenticatorSignAssertion] = []
  }

  /// The text to be confirmed.
  ///
  /// It is set at the start, or once the request with the text has arrived.
  private var transaction: TransactionText?
  /// Whether the server's request must contain the text.
  private let isApproval: Bool
  /// Whether the server's token should authorise a further operation.
  private let isProof: Bool
  /// The purposes that the server's challenge may have.
  private let purposes: [ChallengePurpose]
  private var opening: RequestOpening
  private var offered: Offered?

  /// Makes a flow for one account.
  ///
  /// - Parameters:
  ///   - username: the account's name at the server.
  ///   - transaction: a text for the person to confirm; the server must return it in its request, in the form in which it is
  ///     signed.
  ///   - isServers: whether that text came from the server, in an earlier request of the same login. Then it is not sent, and
  ///     the server must not add another text.
  ///   - proof: what the token of this authentication should authorise; nil for an ordinary login, whose token authorises
  ///     nothing else. Only `uaf-server` gives such tokens.
  public init(
    settings: ClientSettings, username: String, transaction: TransactionText? = nil, isServers: Bool = false,
    proof: ProofSubject? = nil
  ) {
    self.transaction = transaction
    isApproval = false
    isProof = proof != nil
    var context = settings.context(username: username)
    context.service = settings.service
    context.transaction = isServers ? nil : transaction?.shown
    context = proof?.described(in: context) ?? context
    purposes = [proof?.purpose ?? (context.transaction == nil ? .login : .text)]
    opening = RequestOpening(settings: settings, operation: .authentication, context: context)
  }

  /// Makes the flow of an approval: the server has a text for this person to confirm, identified by a code.
  ///
  /// ``AuthenticationOffer/transaction`` contains the text; it must be shown before the person is asked to verify. A request
  /// without a text is refused.
  ///
  /// - Parameter authCode: the one-time code from the approval payload.
  public init(settings: ClientSettings, username: String, approving authCode: String) {
    transaction = nil
    isApproval = true
    isProof = false
    purposes = [.approval, .consoleSignIn, .consoleStep]
    var context = settings.context(username: username)
    context.authCode = authCode
    opening = RequestOpening(settings: settings, operation: .authentication, context: context)
  }

  /// Makes the flow of an authentication that the server demanded in its answer to a different operation.
  init(following opening: RequestOpening) {
    transaction = nil
    isApproval = false
    isProof = false
    purposes = []
    self.opening = opening
  }

  /// Asks the server for a UAF request, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.start(over: &transport)
  }

  /// Reads the server's answer early, once it has arrived, and asks for the list of facets.
  ///
  /// ``collect(over:among:)`` then does not read it again.
  ///
  /// If the answer is wrong, ``collect(over:among:)`` throws.
  public mutating func receive<Wire: Transport & ~Copyable>(over transport: inout Wire) {
    opening.receive(over: &transport)
  }

  /// Reads the answer to the last HTTP request and discards it, because it is no longer needed.
  ///
  /// - Returns: whether the server was reached.
  public mutating func drop<Wire: Transport & ~Copyable>(over transport: inout Wire) -> Bool {
    opening.drop(over: &transport)
  }

  /// Receives the request and finds the authenticators that satisfy it.
  ///
  /// Fails with 2002 if none does, with 1001 if the request's transaction is not the text that was sent.
  public mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription]
  ) throws(Refusal) -> AuthenticationOffer {
    let opened = try opening.collect(over: &transport)
    guard case .authentication(let request) = opened.request else { throw opening.foreign() }
    if transaction == nil, isApproval || takesText(of: request) { transaction = try waitingText(in: request) }
    try checkTransaction(of: request)
    let purpose = try opening.purpose(
      of: request.challenge, among: purposes, text: isApproval ? transaction?.shown : nil)
    let sets = request.policy.acceptableSets(among: authenticators, appID: opened.appID)
      .filter { $0.allSatisfy { !$0.keyIDs.isEmpty } }
    let leftOut = authenticators.filter { request.policy.leavesOut($0, appID: opened.appID) }.map(\.aaid)
    guard !sets.isEmpty else {
      let shortfall = request.policy.authenticationShortfall(among: authenticators, appID: opened.appID)
      var refusal = opening.link.refusal(
        .noSuitableAuthenticator, "no authenticator here satisfies the server's policy (\(shortfall))",
        because: shortfall.cause)
      refusal.leftOut = leftOut
      throw refusal
    }
    let offer = AuthenticationOffer(
      appID: opened.appID, challenge: request.challenge.text, sets: sets,
      transaction: request.transaction.isEmpty ? nil : transaction, leftOut: leftOut,
      lifetimeMilliseconds: opened.lifetimeMilliseconds)
    offered = Offered(
      request: request, offer: offer,
      challenge: try opening.link.finalChallenge(
        appID: opened.appID, challenge: request.challenge, facetID: opening.settings.facetID),
      purpose: purpose, transactionHash: try request.transaction.isEmpty ? nil : transactionHash(),
      authenticators: authenticators)
    return offer
  }

  /// Has one authenticator sign; called once for each member of the chosen set.
  public mutating func sign<Signer: AssertionSigner & ~Copyable>(with signer: inout Signer) throws(Refusal) {
    guard var current = offered.take() else { throw opening.outOfTurn() }
    let (aaid, keyID) = (signer.aaid, signer.keyID)
    guard current.offer.sets.joined().contains(where: { $0.aaid == aaid && $0.keyIDs.contains(keyID) }) else {
      throw opening.link.refusal(.noSuitableAuthenticator, "the server's policy does not name the key to sign with")
    }
    do {
      let builder = try AuthenticationAssertionBuilder(
        aaid: aaid, authenticatorVersion: signer.authenticatorVersion, nonce: signer.nonce,
        finalChallengeHash: current.challenge.hash, transactionContentHash: current.transactionHash, keyID: keyID,
        signCounter: signer.signCounter,
        verificationMethods: current.request.header.verificationMethods(of: aaid, among: current.authenticators))
      let assertion = try builder.assertion(signature: signer.sign(builder.signedBytes))
      current.assertions.append(AuthenticatorSignAssertion(assertion: assertion))
    } catch let failure as SigningFailure {
      throw opening.link.refusal(failure.result, failure.detail)
    } catch {
      throw opening.link.refusal(.cannotUse, "the authenticator gave values that do not fit an assertion")
    }
    current.signed.append((aaid, keyID))
    offered = current
  }

  /// Sends the signed response and returns the server's verdict.
  ///
  /// If the signatures do not form one complete set, fails before anything is sent.
  public mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict {
    guard let current = offered.take() else { throw opening.outOfTurn() }
    let signed = current.signed
    let isWhole = current.offer.sets.contains { set in
      set.count == signed.count
        && set.allSatisfy { member in
          signed.contains { $0.aaid == member.aaid && member.keyIDs.contains($0.keyID) }
        }
    }
    guard isWhole else { throw opening.outOfTurn() }
    let response = AuthenticationResponse(
      header: current.request.header, fcParams: current.challenge.text, assertions: current.assertions)
    let verdict = try opening.submit(
      .authentication(response), appID: current.offer.appID, for: try expectedVerdict(current), over: &transport)
    // If the challenge did not state the token's purpose, the token authorises nothing.
    if case .accepted(let acceptance) = verdict, isProof, current.purpose == nil {
      return .accepted(acceptance.withoutTokens)
    }
    return verdict
  }

  private func expectedVerdict(_ current: Offered) throws(Refusal) -> ExpectedVerdict {
    var textHash: [UInt8]?
    if let text = current.offer.transaction {
      do throws(CryptoError) { textHash = try SHA256.hash(Array(text.shown.utf8)) } catch {
        throw opening.link.refusal(.cannotUse, error.description)
      }
    }
    return ExpectedVerdict(
      .authentication, for: current.purpose, keyIDs: current.signed.map(\.keyID), textHash: textHash)
  }

  /// The part of the text that is signed; nil if there is no text.
  private func signedText() throws(Refusal) -> [UInt8]? {
    guard let transaction else { return nil }
    do throws(CryptoError) {
      return Array(try transaction.signed { bytes throws(CryptoError) in try SHA256.hash(bytes) }.utf8)
    } catch {
      throw opening.link.refusal(.cannotUse, error.description)
    }
  }

  private func transactionHash() throws(Refusal) -> [UInt8]? {
    guard let text = try signedText() else { return nil }
    do throws(CryptoError) { return try SHA256.hash(text) } catch {
      throw opening.link.refusal(.cannotUse, error.description)
    }
  }

  /// Receives the server's answer for a name without a key here, and returns the text in it.
  ///
  /// The text is shown just as it is to a person with a key, so that nobody can tell the difference. The result is nil if the
  /// request has no text that can be shown. If the server sent a refusal instead of a request, it is thrown.
  public mutating func answer<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal)
    -> TransactionText?
  {
    let opened = try opening.collect(over: &transport)
    guard case .authentication(let request) = opened.request else { throw opening.foreign() }
    return takesText(of: request) ? try? waitingText(in: request) : nil
  }

  /// Whether the request contains a text that the person must confirm, according to root's configuration.
  ///
  /// A further request does not count: it comes after the secret was entered, so its text was not shown.
  private func takesText(of request: AuthenticationRequest) -> Bool {
    opening.settings.takesServersTexts && !opening.isFurther && !request.transaction.isEmpty
  }

  /// The whole text of an approval, or of one that the server adds; if this machine could only show it shortened, it is
  /// refused.
  private func waitingText(in request: AuthenticationRequest) throws(Refusal) -> TransactionText {
    guard let form = request.transaction.first(where: { $0.contentType == .plainText }),
      let text = TransactionText(sent: String(decoding: form.content, as: UTF8.self)),
      Array(text.shown.utf8) == form.content
    else {
      throw opening.link.refusal(
        ofServer: .invalidParameter, "the request has no text that could be shown and confirmed",
        because: .approvalWithoutText)
    }
    return text
  }

  /// The text in the request must be the one that was sent, and the server must not add another one.
  ///
  /// A further request may omit the text, because the person has confirmed it with the first request.
  private func checkTransaction(of request: AuthenticationRequest) throws(Refusal) {
    if opening.isFurther, request.transaction.isEmpty { return }
    let texts = request.transaction.filter { $0.contentType == .plainText }
    guard let expected = try signedText() else {
      guard request.transaction.isEmpty else {
        throw opening.link.refusal(ofServer: .invalidParameter, "the request has a transaction that nobody asked for")
      }
      return
    }
    guard let text = texts.first, texts.count == 1, text.content == expected else {
      throw opening.link.refusal(ofServer: .invalidParameter, "the request's transaction is not the text that was sent")
    }
  }
}

/// The choices that a server's authentication request leaves open.
public struct AuthenticationOffer: Equatable, Sendable {
  /// The AppID.
  public let appID: String

  /// The challenge to be signed, base64url as the server sent it.
  public let challenge: String

  /// Sets of authenticators to be used together, with their keys, the server's favourite first; at least one.
  public let sets: [[AcceptableAuthenticator]]

  /// The text to be shown and confirmed; nil if there is none.
  public let transaction: TransactionText?

  /// The authenticators of this account whose keys the server does not know.
  public let leftOut: [AAID]

  /// How long the request is valid, according to the server; nil if it does not state this.
  public let lifetimeMilliseconds: UInt32?
}

/// An authenticator that has been unlocked for one signature with one of its keys.
public protocol AssertionSigner: ~Copyable {
  /// The authenticator's AAID.
  var aaid: AAID { get }

  /// The authenticator's version.
  var authenticatorVersion: UInt16 { get }

  /// The KeyID of the key.
  var keyID: KeyID { get }

  /// The counter of this signature, which is already on the disk.
  var signCounter: UInt32 { get }

  /// Fresh random bytes, 8 to 64.
  var nonce: [UInt8] { get }

  /// Signs with P-256 and SHA-256 and returns the raw signature, 64 bytes.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func sign(_ signedData: [UInt8]) throws(SigningFailure) -> [UInt8]
}

/// Why an authenticator returned no signature or key.
public struct SigningFailure: Error, Equatable, Sendable {
  /// The outcome to report.
  public let result: FidoResult

  /// What failed, for the log; it never contains a secret.
  public let detail: String

  /// Makes a failure.
  public init(_ result: FidoResult, detail: String) {
    self.result = result
    self.detail = detail
  }
}
