import SecretMemory
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFService

/// A server with a store of the engine under test and a clock that only the test moves.
final class TestServer: Sendable {
  static let publicURL = "https://server.test:8443"

  let database: any TestDatabase
  let environment: ServiceEnvironment
  let identity: ServerIdentity
  let certificate: [UInt8]
  private let clock = TestClock()
  /// The codes, secrets and keys with which people and machines may register here.
  let holder: KeyAllowances

  init(
    database: (any TestDatabase)? = nil, verificationMethods: VerificationMethodPolicy = .off,
    policies: AccountPolicies? = nil, keys: ServerKeys? = nil, models: AuthenticatorModels? = nil
  ) throws {
    let database = try database ?? StoreEngine.current.makeDatabase()
    let clock = clock
    let certificate = try X509.certificates(pem: TestServerKeys.certificatePEM)[0]
    let identity = try ServerIdentity(
      publicURL: Self.publicURL, facets: [ServerIdentity.pamModuleFacet], certificates: [certificate])
    self.identity = identity
    let models = try models ?? .projectOwn()
    let policies = policies ?? AccountPolicies(everybody: AcceptedSets(each: models))
    self.certificate = certificate
    self.database = database
    let keys = try keys ?? TestServerKeys.make(now: { clock.now })
    holder = KeyAllowances(keys: keys, appID: identity.appID)
    environment = ServiceEnvironment(
      store: database.store, keys: keys, models: models,
      policies: { policies },
      verificationMethods: verificationMethods, identity: { identity }, now: { clock.now },
      random: { try RandomBytes.make($0) })
  }

  var store: any ServerStore { database.store }

  func advance(seconds: Int64) { clock.advance(seconds: seconds) }

  var now: Int64 { clock.now }

  /// Opens an enrolment code as `uaf-server enrol` does.
  ///
  /// - Parameters:
  ///   - issuer: who issues it, as the audit names them.
  ///   - reachesPrivileged: whether the issuer's role reaches privileged accounts.
  ///   - given: the code, if not a new one.
  /// - Returns: the proof by which a client shows that it has the code.
  @discardableResult func enrol(
    _ username: String, lifetime: Int64 = 900, by issuer: String = "command-line uid 0",
    reachesPrivileged: Bool = true, code given: EnrolmentCode? = nil
  ) async throws -> [UInt8] {
    let random = try RandomBytes.make(EnrolmentCode.randomByteCount)
    let code = try #require(given ?? EnrolmentCode(random: random))
    let sealedKey = try EnrolmentSeal(keys: environment.keys).seal(code, for: username, nonce: RandomBytes.make(12))
    let now = now
    try await store.write { records in
      try records.accounts.add(username, now: now)
      try records.enrolments.open(sealedKey, for: username, expiresAt: now + lifetime)
      try records.issuedCodes.add(for: username, by: issuer, reachesPrivileged: reachesPrivileged, now: now)
    }
    return try holder.take(code, of: username)
  }

  func get(_ operation: UAFOperation, _ context: RequestContext) async throws -> ReturnUAFRequest {
    try await get(GetUAFRequest(op: operation, context: context.jsonText))
  }

  func get(_ body: GetUAFRequest) async throws -> ReturnUAFRequest {
    switch try await RequestService(environment: environment).request(RequestService.Asked(body)) {
    case .issued(let answer): answer
    case .denied: ReturnUAFRequest(statusCode: .ok)
    case .refused(let refusal): ReturnUAFRequest(statusCode: refusal.statusCode)
    }
  }

  /// Sends a response.
  ///
  /// If it has new keys, the proof that the code of their request allows them is sent too.
  ///
  /// - Parameters:
  ///   - text: a text to be confirmed, which clients send again with the response.
  ///   - change: changes what the client sends with the response.
  func respond(
    _ response: UAFResponse, username: String? = nil, sendingAgain text: String? = nil,
    saying change: (inout RequestContext) throws -> Void = { _ in }
  ) async throws -> (ServiceRefusal?, Token?) {
    let allowed = try? holder.allowance(of: response)
    var context = username.map { RequestContext(username: $0) } ?? allowed
    context?.codeMAC = allowed?.codeMAC
    context?.transaction = text
    if var changed = context {
      try change(&changed)
      context = changed
    }
    let body = SendUAFResponse(uafResponse: response.text, context: context?.jsonText)
    switch try await ResponseService(environment: environment).respond(body) {
    case .accepted(let token, _, _, _, _): return (nil, token)
    case .refused(let refusal, _): return (refusal, nil)
    }
  }

  /// Registers a new key with a new code, and expects success.
  func registered(
    _ username: String, deviceID: String? = nil, deviceName: String? = nil, deviceOS: String? = nil,
    model: String = "5541#0001", reachesPrivileged: Bool = true,
    verificationMethods: [UserVerificationMethodEntry]? = nil
  ) async throws -> FakeAuthenticator {
    let authenticator = try FakeAuthenticator(aaid: model)
    var context = RequestContext(username: username)
    context.codeProof = try await enrol(
      username, by: reachesPrivileged ? "command-line uid 0" : "token desk", reachesPrivileged: reachesPrivileged)
    context.deviceID = deviceID
    context.deviceName = deviceName
    context.deviceOS = deviceOS
    let request = try await authenticator.registrationRequest(from: get(.registration, context))
    let response = try authenticator.register(request, verificationMethods: verificationMethods)
    let (refusal, _) = try await respond(response, username: username) {
      try holder.prove(deviceID, made: response, for: username, in: &$0)
    }
    #expect(refusal == nil)
    return authenticator
  }

  /// Gets the request with which an account is to authenticate.
  func authenticationRequest(_ username: String) async throws -> AuthenticationRequest {
    try await Self.authenticationRequest(in: get(.authentication, RequestContext(username: username)))
  }

  static func authenticationRequest(in answer: ReturnUAFRequest) throws -> AuthenticationRequest {
    #expect(answer.statusCode == .ok)
    guard case .authentication(let request) = try UAFRequest(parsing: try #require(answer.uafRequest)) else {
      throw Unexpected()
    }
    return request
  }

  struct Unexpected: Error {}
}
