import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// The server checks the policy of its request again against the response, because nothing else makes a client follow it.
struct PolicyRecheckTests {
  let passcode, pattern: FakeAuthenticator
  let verifier: Verifier
  let appID = "https://a.test/uaf/facets"

  init() throws {
    passcode = try FakeAuthenticator(aaid: "5541#0001")
    pattern = try FakeAuthenticator(aaid: "5541#0002")
    let identity = try ServerIdentity(
      publicURL: "https://a.test", facets: [ServerIdentity.pamModuleFacet], certificates: [])
    verifier = Verifier(identity: identity, models: try .projectOwn(), now: 1_800_000_000)
  }

  private func key(_ authenticator: FakeAuthenticator) -> StoredKey {
    StoredKey(
      aaid: authenticator.aaid, keyID: authenticator.keyID, publicKey: authenticator.publicKey,
      signatureAlgorithm: SignatureAlgorithm.secp256r1ECDSASHA256Raw, signCounter: 0, isRevoked: false)
  }

  /// The KeyIDs that the server accepts from one response of several authenticators, or why it refuses.
  private func outcome(_ policy: Policy, by signers: [FakeAuthenticator]) throws -> Result<[KeyID], ServiceRefusal> {
    let challenge = try ServerChallenge(bytes: RandomBytes.make(32))
    let header = OperationHeader(upv: .uaf11, op: .authentication, appID: appID, serverData: "d")
    let request = AuthenticationRequest(header: header, challenge: challenge, policy: policy)
    var assertions: [AuthenticatorSignAssertion] = []
    var fcParams = ""
    for signer in signers {
      guard case .authentication(let response) = try signer.authenticate(request, counter: 1) else {
        throw TestServer.Unexpected()
      }
      assertions += response.assertions
      fcParams = response.fcParams
    }
    let response = AuthenticationResponse(header: header, fcParams: fcParams, assertions: assertions)
    let issued = IssuedRequest(
      operation: .authentication, username: "a", challengeHash: try SHA256.hash(challenge.bytes), appID: appID,
      serverData: "d", policy: policy, transaction: nil, device: Device(),
      expiresAt: .max)
    let keys = signers.map(key)
    return Result { () throws(ServiceRefusal) in
      try verifier.verify(response, issued: issued, keys: keys).map(\.keyID)
    }
  }

  private func criteria(_ change: (inout MatchCriteria) -> Void) -> MatchCriteria {
    var criteria = MatchCriteria()
    change(&criteria)
    return criteria
  }

  private var both: Policy {
    Policy(accepted: [[MatchCriteria(aaid: passcode.aaid), MatchCriteria(aaid: pattern.aaid)]])
  }

  @Test func `accepts two authenticators if two together were asked for, in either order`() throws {
    let expected = [passcode.keyID, pattern.keyID]
    #expect(try outcome(both, by: [passcode, pattern]) == .success(expected))
    #expect(try outcome(both, by: [pattern, passcode]) == .success(expected.reversed()))
  }

  @Test func `refuses one of two required authenticators, even with a second key of the same model`() throws {
    let second = try FakeAuthenticator(aaid: "5541#0001")
    #expect(try outcome(both, by: [passcode]) == .failure(.notInPolicy))
    #expect(try outcome(both, by: [passcode, second]) == .failure(.notInPolicy))
    let anyTwo = Policy(accepted: [[criteria { $0.userVerification = 1023 }, criteria { $0.userVerification = 1023 }]])
    #expect(try outcome(anyTwo, by: [passcode, second]) == .failure(.notInPolicy))
    #expect(try outcome(anyTwo, by: [passcode, pattern]) == .success([passcode.keyID, pattern.keyID]))
  }

  @Test func `refuses two required authenticators if one of them does not sign`() throws {
    let thief = try FakeAuthenticator(aaid: "5541#0002", keyID: pattern.keyID)
    let challenge = try ServerChallenge(bytes: RandomBytes.make(32))
    let header = OperationHeader(upv: .uaf11, op: .authentication, appID: appID, serverData: "d")
    let request = AuthenticationRequest(header: header, challenge: challenge, policy: both)
    guard case .authentication(let one) = try passcode.authenticate(request, counter: 1),
      case .authentication(let two) = try thief.authenticate(request, counter: 1)
    else { throw TestServer.Unexpected() }
    let response = AuthenticationResponse(
      header: header, fcParams: one.fcParams, assertions: one.assertions + two.assertions)
    let issued = IssuedRequest(
      operation: .authentication, username: "a", challengeHash: try SHA256.hash(challenge.bytes), appID: appID,
      serverData: "d", policy: both, transaction: nil, device: Device(),
      expiresAt: .max)
    #expect(throws: ServiceRefusal.invalidSignature) {
      try verifier.verify(response, issued: issued, keys: [key(passcode), key(pattern)])
    }
  }

  @Test func `refuses two assertions of one key instead of two authenticators, with the counter as the reason`()
    throws
  {
    #expect(try outcome(both, by: [passcode, passcode]) == .failure(.counterNotIncreased))
  }

  @Test func `an alternative that names no authenticator accepts nobody, even if a later alternative would`() throws {
    let policy = Policy(accepted: [[], [MatchCriteria(aaid: passcode.aaid)]])
    #expect(try outcome(policy, by: [passcode]) == .failure(.notInPolicy))
  }

  @Test func `only the authenticators of the first alternative that is met are accepted`() throws {
    let either = Policy(accepted: [[MatchCriteria(aaid: pattern.aaid)], [MatchCriteria(aaid: passcode.aaid)]])
    #expect(try outcome(either, by: [passcode, pattern]) == .success([pattern.keyID]))
    #expect(try outcome(either, by: [passcode]) == .success([passcode.keyID]))
  }

  @Test func `refuses an authenticator that the policy disallows, although the policy accepts it too`() throws {
    let policy = Policy(
      accepted: [[MatchCriteria(aaid: passcode.aaid)]],
      disallowed: [MatchCriteria(aaid: passcode.aaid, keyIDs: [passcode.keyID])])
    #expect(try outcome(policy, by: [passcode]) == .failure(.notInPolicy))
  }

  @Test func `refuses an authenticator whose metadata or assertion fails any one criterion of the policy`() throws {
    let missed: [MatchCriteria] = [
      MatchCriteria(aaid: pattern.aaid), criteria { $0.vendorID = ["FFFF"] },
      criteria { $0.keyIDs = [pattern.keyID] }, criteria { $0.userVerification = UserVerification.pattern },
      criteria { $0.userVerification = UserVerification.all | UserVerification.passcode | UserVerification.pattern },
      criteria { $0.keyProtection = 6 }, criteria { $0.matcherProtection = 6 }, criteria { $0.attachmentHint = 0x1FE },
      criteria { $0.tcDisplay = 0x1C }, criteria { $0.authenticationAlgorithms = [2, 3] },
      criteria { $0.assertionSchemes = ["UAFV2TLV"] }, criteria { $0.attestationTypes = [15879] },
      criteria { $0.authenticatorVersion = 2 },
    ]
    for criteria in missed {
      #expect(
        try outcome(Policy(accepted: [[criteria]]), by: [passcode]) == .failure(.notInPolicy), "\(criteria.jsonText)")
    }
    let met: [MatchCriteria] = [
      MatchCriteria(aaid: passcode.aaid), criteria { $0.vendorID = ["5541"] },
      criteria { $0.keyIDs = [passcode.keyID] }, criteria { $0.userVerification = 0x84 },
      criteria { $0.keyProtection = 1 }, criteria { $0.matcherProtection = 1 }, criteria { $0.attachmentHint = 1 },
      criteria { $0.tcDisplay = 2 }, criteria { $0.authenticationAlgorithms = [2, 1] },
      criteria { $0.assertionSchemes = ["UAFV1TLV"] }, criteria { $0.attestationTypes = [15879, 15880] },
      criteria { $0.authenticatorVersion = 1 },
    ]
    for criteria in met {
      #expect(try outcome(Policy(accepted: [[criteria]]), by: [passcode]) == .success([passcode.keyID]))
    }
  }
}
