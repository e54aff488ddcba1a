import FidoResults
import Testing
import UAFClient
import UAFCrypto
import UAFMessages

/// A server that sends requests and accepts responses unless a test changes that, and records what it has received.
final class FakeServer {
  var failure: TransportFailure?
  /// If set, answers with WebAuthn instead of UAF.
  var relyingParty: FakeRelyingParty?
  /// A failure that shows only when the answer is awaited.
  var lateFailure: TransportFailure?
  /// The number of answers after which the server can no longer be reached.
  var answersLeft: Int?
  var respondStatus = UAFStatusCode(rawValue: 1200)
  var description: String?
  /// The status with which the server answers instead of sending a UAF request.
  var requestStatus: UAFStatusCode?
  var policyKeys: [KeyID]?
  /// The alternatives that the policy accepts, each a list of AAIDs.
  var accepted = [["5541#0001"]]
  /// Keys of the account that the server has from earlier.
  var knownKeys: [KeyID] = []
  /// Whether the server refuses a counter that does not grow, and whether it then reports its own counter.
  var (comparesCounters, tellsCounters) = (false, true)
  /// Whether the server forgets the keys that a registration names as lost, as our own server does.
  var forgetsLostKeys = true
  /// The status that answers a request for a registration.
  var registrationStatus = UAFStatusCode(rawValue: 1200)
  /// The token that can be redeemed once for a request for a registration of mina; nil if it was.
  var redeemable: String? = "b4b07559-f934-4597-a1c5-44d89f691e8f"
  /// The status that answers a deregistration by code.
  var deregistrationStatus = UAFStatusCode(rawValue: 1200)
  /// The keys that an order to deregister names, in UAF 1.1; nil for the known key.
  var order: [DeregisterAuthenticator]?
  /// The version of UAF and the AppID in a request for an authentication.
  var version = UPV.uaf10
  var appID: String?
  /// The content of the facet list; nil if there is none.
  var facets: [String]?
  /// The header of a request for a registration, instead of the usual one.
  var registrationHeader: OperationHeader?
  /// A body that is sent instead of any message.
  var garbage: String?
  /// The HTTP status of each answer.
  var httpStatus = 200
  /// The reply of a server of the plain dialect to a request for a challenge; nil for a registration request.
  var plainAnswer: String?
  /// How many further authentications the next answer causes.
  var furtherRequests = 0
  /// The token that comes with a success.
  var token: String? = "token-of-the-server"
  /// Makes the token with which a success is signed; nil if there is only ``token``.
  var signed: ((Yes) throws -> String)?
  /// Whether challenges state their purpose, as those of our own server do.
  var marks = true
  /// The purpose in the challenges, if it is not the requested one.
  var markedPurpose: ChallengePurpose?
  /// The purpose of an approval's challenge.
  var approvalPurpose = ChallengePurpose.approval
  /// The request that was sent last.
  private var issued = Issued()
  /// The secret by which the server knows the machine after its next success.
  var machineSecret: MachineSecret?
  /// The token that comes with an order to deregister.
  var deregistrationToken: String?
  /// Whether the server knows denials.
  ///
  /// If not, it answers a denial with a request, as it answers anything else.
  var knowsDenials = true
  /// The status that answers a denial.
  var denialStatus = UAFStatusCode(rawValue: 1200)
  /// The operations that were requested, with their contexts.
  private(set) var asked: [(op: UAFOperation, context: RequestContext)] = []
  /// The context that came with each response.
  private(set) var answers: [RequestContext] = []
  /// The transaction text that the server sends instead of the requested one.
  var slippedText: String?
  /// The text that a further authentication has to confirm.
  var furtherText: String?
  /// The transaction hashes in the signatures that arrived; nil for a login without a text.
  private(set) var confirmed: [[UInt8]?] = []
  /// The counters of the signatures that arrived.
  private(set) var counters: [UInt32] = []
  /// Called whenever the client requests a UAF request.
  var onEachGet: (() -> Void)?
  /// Called whenever a response arrives.
  var onRespond: (() -> Void)?
  /// Called whenever the client waits for an answer.
  var onFinish: (() -> Void)?
  /// Called once, when the client next requests a UAF request.
  var onGet: (() -> Void)?
  /// Makes the status and body that answer a request about an account's state; nil if the server has no such answer.
  var accountState: ((TransportRequest) throws -> (Int, [UInt8]))?
  /// Makes the reply to a machine that joins or leaves; 404 if nil.
  var joining: ((TransportRequest) throws -> TransportResponse)?
  /// Makes the reply to a machine that reports its state; 404 if nil.
  var checkingIn: ((TransportRequest) throws -> TransportResponse)?
  /// The news number that comes with each success.
  var machineNews: Int64?
  private(set) var requests: [TransportRequest] = []
  private(set) var answered = 0
  private var pending: [TransportResponse] = []
  /// The registered keys with their AAIDs, the latest last.
  private(set) var keys: [(aaid: AAID, keyID: KeyID)] = []
  /// The key that was registered last.
  var registered: KeyID? { keys.last?.keyID }
  /// How many signatures the last response had.
  private(set) var signatures = 0

  /// What a success is for.
  struct Yes {
    var operation = UAFOperation.authentication
    var username = ""
    /// The challenge that the token repeats: its bytes, or the order to deregister.
    var challenge: [UInt8] = []
    var purpose: ChallengePurpose?
    var keyIDs: [KeyID] = []
    var text: String?
    var deviceID: String?
  }

  private struct Issued {
    var context = RequestContext(username: "")
    var challenge: [UInt8] = []
    var purpose: ChallengePurpose?
    var text: String?
  }

  /// The enrolment code in the server's payloads.
  static func code() throws -> EnrolmentCode {
    try #require(EnrolmentCode(random: [UInt8](repeating: 0x5A, count: EnrolmentCode.randomByteCount)))
  }

  /// The proof with which a client shows that it has this code.
  static func codeProof(_ statement: [UInt8], for username: String = "mina") throws -> [UInt8] {
    let key = try EnteredCodeKey.derive(
      from: code().keyMaterial, for: EnrolmentCode.keyInfo(username: username), isStretched: true, length: 32)
    return try HMACSHA256.authenticate(statement, key: key)
  }

  func payload(
    username: String = "mina", server: String = "https://localhost", operation: UAFOperation = .registration,
    expires: Int64 = 1_800_000_100, ca: String? = nil
  ) -> EnrolmentPayload {
    guard operation == .registration, let code = try? Self.code() else {
      return EnrolmentPayload(
        op: operation, server: server, username: username, authCode: "code", expires: expires, ca: ca)
    }
    return EnrolmentPayload(code: code, server: server, username: username, expires: expires, ca: ca)
  }

  /// Simulates that another login with the same key was faster and has signed this counter.
  func overtake(by counter: UInt32) { counters.append(counter) }

  /// Starts a new connection: answers that were not fetched over the last one are lost.
  func connect() { pending = [] }

  func begin(_ request: TransportRequest) throws(TransportFailure) {
    if let failure { throw failure }
    requests.append(request)
    if let relyingParty { return pending.append(relyingParty.answer(request)) }
    if request.url.hasSuffix("/account") { return pending.append(state(request)) }
    if request.url.hasSuffix("/join") || request.url.hasSuffix("/leave") { return pending.append(joined(request)) }
    if request.url.hasSuffix("/machine") { return pending.append(checkedIn(request)) }
    if request.url == appID, let facets { return pending.append(list(of: facets)) }
    if request.body.isEmpty { return pending.append(plainRegistration()) }
    let body = garbage.map { Array($0.utf8) } ?? answer(request)
    pending.append(
      TransportResponse(status: httpStatus, contentType: "application/fido+uaf; charset=utf-8", body: body))
  }

  func finish() throws(TransportFailure) -> TransportResponse {
    onFinish?()
    if let failure = failure ?? lateFailure { throw failure }
    if let left = answersLeft {
      guard left > 0 else { throw .noHandshake(.refused) }
      answersLeft = left - 1
    }
    guard !pending.isEmpty else { throw .unavailable }
    return pending.removeFirst()
  }

  private func answer(_ request: TransportRequest) -> [UInt8] {
    if request.url.hasSuffix("/redeem/registration") { return redeem(request) }
    return request.url.hasSuffix("get") ? get(request) : respond(request)
  }

  /// The reply to a request that is a token and nothing else.
  private func redeem(_ request: TransportRequest) -> [UInt8] {
    guard let token = redeemable.take(), request.body == Array(#"{"token":"\#(token)"}"#.utf8) else {
      return ReturnUAFRequest(statusCode: UAFStatusCode(rawValue: 1401)).jsonBytes
    }
    var context = RequestContext(username: "mina")
    context.authCode = token
    let body = GetUAFRequest(op: .registration, context: context.jsonText).jsonBytes
    return get(.post(body, to: request.url, contentType: request.contentType ?? ""))
  }

  /// Whether an answer is ready to be read.
  var hasAnswer: Bool { !pending.isEmpty }

  private func list(of facets: [String]) -> TransportResponse {
    let list = TrustedFacetList(trustedFacets: [.init(version: version, ids: facets)])
    return TransportResponse(status: 200, contentType: TrustedFacetList.contentType, body: list.jsonBytes)
  }

  private func joined(_ request: TransportRequest) -> TransportResponse {
    do {
      return try joining?(request) ?? TransportResponse(status: 404, contentType: "", body: [])
    } catch {
      Issue.record(error)
      return TransportResponse(status: 500, contentType: "", body: [])
    }
  }

  private func checkedIn(_ request: TransportRequest) -> TransportResponse {
    do { return try checkingIn?(request) ?? TransportResponse(status: 404, contentType: "", body: []) } catch {
      Issue.record(error)
      return TransportResponse(status: 500, contentType: "", body: [])
    }
  }

  private func state(_ request: TransportRequest) -> TransportResponse {
    do {
      let (status, body) = try accountState?(request) ?? (404, [])
      return TransportResponse(status: status, contentType: status == 200 ? "application/jwt" : "", body: body)
    } catch {
      Issue.record(error)
      return TransportResponse(status: 500, contentType: "", body: [])
    }
  }

  /// The reply of a server of the plain dialect: a registration request without an envelope, whatever code the client has.
  private func plainRegistration() -> TransportResponse {
    if let plainAnswer {
      return TransportResponse(status: 200, contentType: "application/json", body: Array(plainAnswer.utf8))
    }
    let header = OperationHeader(upv: UPV(major: 1, minor: 0), op: .registration, appID: nil)
    do {
      let request = RegistrationRequest(
        header: header, challenge: try ServerChallenge(bytes: Array(repeating: 7, count: 32)), username: "mina",
        policy: Policy(accepted: try accepted.map { try $0.map { MatchCriteria(aaid: try AAID($0)) } }))
      let text = UAFRequest.text(of: [.registration(request)])
      return TransportResponse(status: 200, contentType: "application/json", body: Array(text.utf8))
    } catch {
      Issue.record(error)
      return TransportResponse(status: 500, contentType: "", body: [])
    }
  }

  private func get(_ request: TransportRequest) -> [UInt8] {
    onGet.take()?()
    onEachGet?()
    do {
      let get = try GetUAFRequest(parsing: request.body)
      let context = try RequestContext(parsing: get.context ?? "")
      let header = OperationHeader(upv: UPV(major: 1, minor: 0), op: try #require(get.op), appID: nil)
      asked.append((header.op, context))
      if context.denies == true, knowsDenials { return ReturnUAFRequest(statusCode: denialStatus).jsonBytes }
      if let requestStatus { return ReturnUAFRequest(statusCode: requestStatus).jsonBytes }
      let challenge = try challenge(for: header.op, context, get.context ?? "")
      let aaid = try AAID("5541#0001")
      let text: String
      switch header.op {
      case .registration:
        guard registrationStatus == .ok else { return ReturnUAFRequest(statusCode: registrationStatus).jsonBytes }
        text = UAFRequest.text(of: [
          .registration(
            RegistrationRequest(
              header: registrationHeader ?? header, challenge: challenge, username: context.username,
              policy: Policy(
                accepted: try accepted.map { try $0.map { MatchCriteria(aaid: try AAID($0)) } },
                disallowed: knownKeys.isEmpty ? [] : [MatchCriteria(aaid: aaid, keyIDs: knownKeys)])))
        ])
      case .authentication:
        text = try authentication(challenge, confirming: slippedText ?? Self.signed(context.transaction))
      case .deregistration:
        if let order {
          let header = OperationHeader(upv: .uaf11, op: .deregistration, appID: nil)
          let request = DeregistrationRequest(header: header, authenticators: order)
          let text = UAFRequest.text(of: [.deregistration(request)])
          return ReturnUAFRequest(
            statusCode: .ok, uafRequest: text, op: .deregistration,
            additionalTokens: try deregistrationTokens(text, of: context)
          ).jsonBytes
        }
        let keyID = try #require(knownKeys.first ?? registered)
        guard deregistrationStatus == .ok else { return ReturnUAFRequest(statusCode: deregistrationStatus).jsonBytes }
        // Behaves like a server that cannot tell machines apart.
        knownKeys = []
        text = UAFRequest.text(of: [
          .deregistration(DeregistrationRequest(header: header, authenticators: [.key(aaid, keyID)]))
        ])
      }
      return ReturnUAFRequest(
        statusCode: UAFStatusCode(rawValue: 1200), uafRequest: text, op: header.op, lifetimeMilliseconds: 60_000,
        additionalTokens: try header.op == .deregistration ? deregistrationTokens(text, of: context) : []
      ).jsonBytes
    } catch {
      Issue.record(error)
      return []
    }
  }

  private func deregistrationTokens(_ order: String, of context: RequestContext) throws -> [Token] {
    let yes = Yes(
      operation: .deregistration, username: context.username, challenge: Array(order.utf8), purpose: .removal,
      keyIDs: Array(context.deregisterKeyIDs.prefix(1)), deviceID: context.deviceID)
    return try (deregistrationToken ?? signed?(yes)).map { [Token(type: Token.jwt, value: $0)] } ?? []
  }

  /// The challenge of a request.
  ///
  /// It states the requested purpose, unless the test has set another one.
  private func challenge(
    for operation: UAFOperation, _ context: RequestContext, _ contextText: String
  ) throws -> ServerChallenge {
    let unique = [UInt8](repeating: 7, count: 32)
    issued = Issued(context: context, challenge: unique)
    guard marks, operation != .deregistration else { return try ServerChallenge(bytes: unique) }
    let purpose = markedPurpose ?? purpose(of: operation, context)
    let text = context.authCode == nil ? nil : slippedText
    let statement = PurposedChallenge.statement(purpose, context: contextText, text: text)
    let challenge = try PurposedChallenge(purpose, hash: SHA256.hash(statement), unique: unique).challenge
    issued = Issued(context: context, challenge: challenge.bytes, purpose: purpose, text: text ?? context.transaction)
    return challenge
  }

  private func purpose(of operation: UAFOperation, _ context: RequestContext) -> ChallengePurpose {
    if operation == .registration { return context.proof == nil ? .registrationByCode : .registrationByKey }
    if context.authCode != nil { return approvalPurpose }
    switch context.proofFor {
    case .registration: return .furtherKeys
    case .deregistration: return .removal
    default: return context.transaction == nil ? .login : .text
    }
  }

  private static func signed(_ text: String?) throws -> String? {
    try text.map { try #require(TransactionText(sent: $0)).signed(hash: SHA256.hash) }
  }

  /// - Parameter challenge: nil for a further request, which our own server never sends. Its challenge then states no purpose.
  private func authentication(_ challenge: ServerChallenge? = nil, confirming text: String? = nil) throws -> String {
    let header = OperationHeader(upv: version, op: .authentication, appID: appID)
    if challenge == nil { issued = Issued(context: issued.context, challenge: Array(repeating: 7, count: 32)) }
    let challenge = try challenge ?? ServerChallenge(bytes: issued.challenge)
    let ways = try accepted.map { way in
      try way.map { text in
        let aaid = try AAID(text)
        let known = keys.filter { $0.aaid == aaid }.map(\.keyID)
        return MatchCriteria(aaid: aaid, keyIDs: policyKeys ?? (known.isEmpty ? nil : known))
      }
    }
    return UAFRequest.text(of: [
      .authentication(
        AuthenticationRequest(
          header: header, challenge: challenge, transaction: try text.map { [try Transaction(text: $0)] } ?? [],
          policy: Policy(accepted: ways)))
    ])
  }

  private func respond(_ request: TransportRequest) -> [UInt8] {
    onRespond?()
    do {
      answered += 1
      let response = try UAFResponse(parsing: SendUAFResponse(parsing: request.body).uafResponse)
      var keyIDs: [KeyID] = []
      if case .registration(let registration) = response {
        signatures = registration.assertions.count
        for assertion in registration.assertions {
          let assertion = try UnverifiedRegistrationAssertion(parsing: assertion.assertion)
          keyIDs.append(assertion.keyID)
          if respondStatus == .ok { keys.append((assertion.aaid, assertion.keyID)) }
        }
      }
      if case .authentication(let authentication) = response {
        signatures = authentication.assertions.count
        for assertion in authentication.assertions {
          let assertion = try UnverifiedAuthenticationAssertion(parsing: assertion.assertion)
          if comparesCounters, let seen = counters.max(), seen >= assertion.signCounter {
            let told = tellsCounters ? SeenCounter(keyID: assertion.keyID, signCounter: seen) : nil
            return ServerResponse(statusCode: .requestInvalid, seenCounter: told).jsonBytes
          }
          keyIDs.append(assertion.keyID)
          counters.append(assertion.signCounter)
          confirmed.append(assertion.authenticationMode == .userVerified ? nil : assertion.transactionContentHash)
        }
      }
      if furtherRequests > 0 {
        furtherRequests -= 1
        return ServerResponse(statusCode: .ok, newUAFRequest: try authentication(confirming: furtherText)).jsonBytes
      }
      let context = try RequestContext(parsing: SendUAFResponse(parsing: request.body).context ?? "")
      let isTold = forgetsLostKeys && respondStatus == .ok
      let forgotten = isTold ? knownKeys.filter(context.lostKeyIDs.contains) : []
      knownKeys.removeAll(where: forgotten.contains)
      // These were the counters of a key that the server has forgotten.
      if !forgotten.isEmpty { counters = [] }
      let operation = response.header.op
      answers.append(context)
      let yes = Yes(
        operation: operation, username: context.username, challenge: issued.challenge, purpose: issued.purpose,
        keyIDs: keyIDs, text: operation == .authentication ? issued.text : nil,
        deviceID: operation == .registration ? issued.context.deviceID : nil)
      let handedOut = try signed?(yes) ?? token
      let tokens = respondStatus == .ok ? handedOut.map { [Token(type: "JWT", value: $0)] } ?? [] : []
      return ServerResponse(
        statusCode: respondStatus, description: description, additionalTokens: tokens, forgottenKeyIDs: forgotten,
        machineSecret: respondStatus == .ok ? machineSecret : nil,
        machineNews: respondStatus == .ok ? machineNews : nil
      ).jsonBytes
    } catch {
      Issue.record(error)
      return []
    }
  }
}
