import Testing
import UAFCrypto
import UAFMessages

@testable import AuthenticatorTypes
@testable import ServerTesting
@testable import UAFService

/// What the vectors do not cover: policies, versions, counters and models.
struct VerifierTests {
  let verifier: Verifier
  let authenticator: FakeAuthenticator
  let header = OperationHeader(upv: .uaf11, op: .registration, appID: "https://a.test/uaf/facets", serverData: "d")
  let challenge: ServerChallenge

  init() throws {
    let identity = try ServerIdentity(
      publicURL: "https://a.test", facets: [ServerIdentity.pamModuleFacet], certificates: [])
    verifier = Verifier(identity: identity, models: try .projectOwn(), now: 1_800_000_000)
    authenticator = try FakeAuthenticator()
    challenge = try ServerChallenge(bytes: RandomBytes.make(32))
  }

  func issued(_ operation: UAFOperation, _ policy: Policy) throws -> IssuedRequest {
    IssuedRequest(
      operation: operation, username: "a", challengeHash: try SHA256.hash(challenge.bytes),
      appID: "https://a.test/uaf/facets", serverData: "d", policy: policy, transaction: nil, device: Device(),
      expiresAt: .max)
  }

  /// Why a registration for this policy and with these faults is refused; nil if it is accepted.
  func refusal(
    _ policy: Policy, version: UInt16 = 1, regCounter: UInt32 = 1, isRegistered: Bool = false
  ) throws -> ServiceRefusal? {
    let request = RegistrationRequest(header: header, challenge: challenge, username: "a", policy: policy)
    let sent = try authenticator.register(request, version: version, regCounter: regCounter)
    guard case .registration(let response) = sent else { throw TestServer.Unexpected() }
    let issued = try issued(.registration, policy)
    do {
      _ = try verifier.verify(response, issued: issued) { _, _ in isRegistered }
      return nil
    } catch {
      return error
    }
  }

  var own: Policy { Policy(accepted: [[MatchCriteria(aaid: authenticator.aaid)]]) }

  @Test func `a registration of a model that the policy accepts is accepted`() throws {
    #expect(try refusal(own) == nil)
  }

  @Test func `refuses a model that the request's policy does not accept`() throws {
    let policy = Policy(accepted: [[MatchCriteria(aaid: try AAID("5541#0002"))]])
    #expect(try refusal(policy) == .notInPolicy)
  }

  @Test func `refuses a model that the request's policy excludes`() throws {
    let policy = Policy(accepted: own.accepted, disallowed: [MatchCriteria(aaid: authenticator.aaid)])
    #expect(try refusal(policy) == .notInPolicy)
  }

  @Test func `refuses one authenticator if the request's policy demands two together`() throws {
    let both = Policy(accepted: [
      [MatchCriteria(aaid: try AAID("5541#0001")), MatchCriteria(aaid: try AAID("5541#0002"))]
    ])
    #expect(try refusal(both) == .notInPolicy)
  }

  @Test func `refuses an authenticator version older than its statement, and an implausibly high registration counter`()
    throws
  {
    #expect(try refusal(own, version: 0) == .outdatedAuthenticator)
    #expect(try refusal(own, regCounter: 100_001) == .unlikelyRegistrationCounter)
    #expect(try refusal(own, regCounter: 0) == nil)
  }

  @Test func `refuses to register a key that is registered already`() throws {
    #expect(try refusal(own, isRegistered: true) == .keyAlreadyRegistered)
  }

  @Test func `refuses a key that is sent twice if the request's policy demands two authenticators`() throws {
    let both = Policy(accepted: [[MatchCriteria(aaid: authenticator.aaid), MatchCriteria(aaid: try AAID("5541#0002"))]])
    let request = RegistrationRequest(header: header, challenge: challenge, username: "a", policy: both)
    guard case .registration(let sent) = try authenticator.register(request) else { throw TestServer.Unexpected() }
    let twice = RegistrationResponse(
      header: sent.header, fcParams: sent.fcParams, assertions: sent.assertions + sent.assertions)
    #expect(throws: ServiceRefusal.keyAlreadyRegistered) {
      try verifier.verify(twice, issued: issued(.registration, both), isRegistered: { _, _ in false })
    }
  }

  @Test func `refuses an authenticator model that the server does not know`() throws {
    let stranger = try FakeAuthenticator(aaid: "FFFF#0001")
    let policy = Policy(accepted: [[MatchCriteria(aaid: stranger.aaid)]])
    let request = RegistrationRequest(header: header, challenge: challenge, username: "a", policy: policy)
    guard case .registration(let response) = try stranger.register(request) else { throw TestServer.Unexpected() }
    #expect(throws: ServiceRefusal.unknownAAID) {
      try verifier.verify(response, issued: issued(.registration, policy), isRegistered: { _, _ in false })
    }
  }

  /// `ThirdTypeTests` of the client shows that the client sends such a registration.
  @Test
  func `a server accepts an authenticator type that was added to its list, and a server without that type refuses it`()
    async
  {
    await #expect(processExitsWith: .success) {
      // SAFETY: nothing in this process has read the list.
      unsafe AuthenticatorType.addedByTests = [.toy]
      let tests = try VerifierTests()
      let toy = try FakeAuthenticator(aaid: AuthenticatorType.toy.aaid)
      let policy = Policy(accepted: [[MatchCriteria(aaid: toy.aaid)]])
      let request = RegistrationRequest(header: tests.header, challenge: tests.challenge, username: "a", policy: policy)
      guard case .registration(let response) = try toy.register(request) else { throw TestServer.Unexpected() }
      let issued = try tests.issued(.registration, policy)
      let verified = try tests.verifier.verify(response, issued: issued) { _, _ in false }
      #expect(verified.map(\.aaid) == [toy.aaid] && verified.map(\.publicKey) == [toy.publicKey])
      let other = Verifier(
        identity: tests.verifier.identity, models: try AuthenticatorModels([.projectOwn(.passcode)]), now: 1_800_000_000
      )
      #expect(throws: ServiceRefusal.unknownAAID) { try other.verify(response, issued: issued) { _, _ in false } }
    }
  }

  @Test func `a counter of 0 is accepted while the stored counter is 0, and refused once it is higher`()
    throws
  {
    let policy = Policy(accepted: [[MatchCriteria(aaid: authenticator.aaid, keyIDs: [authenticator.keyID])]])
    let header = OperationHeader(upv: .uaf11, op: .authentication, appID: header.appID, serverData: "d")
    let request = AuthenticationRequest(header: header, challenge: challenge, policy: policy)
    guard case .authentication(let response) = try authenticator.authenticate(request, counter: 0) else {
      throw TestServer.Unexpected()
    }
    for (stored, isAccepted) in [(0, true), (1, false)] as [(UInt32, Bool)] {
      let key = StoredKey(
        aaid: authenticator.aaid, keyID: authenticator.keyID, publicKey: authenticator.publicKey,
        signatureAlgorithm: SignatureAlgorithm.secp256r1ECDSASHA256Raw, signCounter: stored, isRevoked: false)
      let issued = try issued(.authentication, policy)
      let wasAccepted = (try? verifier.verify(response, issued: issued, keys: [key])) != nil
      #expect(wasAccepted == isAccepted)
    }
  }

  @Test func `every refusal has a status code, and none of them is that of success`() {
    for refusal in ServiceRefusal.allCases { #expect(refusal.statusCode != .ok) }
  }
}

extension AuthenticatorType {
  /// An authenticator type that exists only in these tests.
  fileprivate static let toy = AuthenticatorType(
    rawValue: "knock", aaid: "5541#00FF", aaguid: "9ce69772-2152-46b6-90dd-4c54c5d02e09", userVerification: 0x100,
    accuracy: .code(base: 2, minimumLength: 5), kind: AuthenticatorType.passcode.kind,
    entry: AuthenticatorType.passcode.entry, defaultRules: AuthenticatorType.passcode.defaultRules,
    defaultLock: AuthenticatorType.passcode.defaultLock, isEnabledByDefault: false)
}
