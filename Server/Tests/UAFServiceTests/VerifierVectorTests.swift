import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

struct VerifierVectorTests {
  @Test func `finds all the vectors of messages`() {
    #expect(Vector.all.count == 23)
    #expect(Vector.accepted.count == 10)
  }

  @Test(arguments: Vector.accepted) func `a valid vector is accepted`(vector: Vector) throws {
    #expect(try vector.server.accepts(vector.response))
  }

  /// The refusal for the rule that each bad message breaks; the vector's `why` names the rule.
  static let rules: [String: ServiceRefusal] = [
    "reg-full-untrusted-root": .untrustedAttestation, "reg-ext-critical": .malformedAssertion,
    "reg-bad-fch": .wrongFinalChallengeHash, "reg-bad-signature": .invalidAttestationSignature,
    "reg-facet-untrusted": .untrustedFacet, "reg-challenge-mismatch": .unknownChallenge,
    "reg-mode2": .malformedAssertion, "reg-trailing": .malformedAssertion, "reg-outer-auth-tag": .malformedAssertion,
    "reg-upv": .unsupportedVersion, "auth-counter-same": .counterNotIncreased, "auth-bad-signature": .invalidSignature,
    "auth-tx-wrong-hash": .wrongTransaction,
  ]

  @Test(arguments: Vector.all.filter { !$0.isValid })
  func `each invalid vector is refused with the rule that it breaks`(vector: Vector) throws {
    let rule = try #require(Self.rules[vector.name])
    let response: UAFResponse
    do {
      response = try vector.response
    } catch {
      #expect(ServiceRefusal(try #require(error as? MessageError)) == rule)
      return
    }
    #expect(try vector.server.refusal(response) == rule)
  }

  @Test(arguments: Vector.accepted) func `a valid vector is refused with any one bit of its assertion changed`(
    vector: Vector
  ) throws {
    let (server, response, assertion) = try (vector.server, vector.response, vector.assertion)
    for bit in 0..<(assertion.count * 8) {
      var changed = assertion
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(!server.accepts(Vector.replacing(changed, in: response)), "bit \(bit)")
    }
  }

  @Test(arguments: Vector.accepted) func `a valid vector is refused if its assertion is cut short or continued`(
    vector: Vector
  ) throws {
    let (server, response, assertion) = try (vector.server, vector.response, vector.assertion)
    for count in 0..<assertion.count {
      #expect(!server.accepts(Vector.replacing(Array(assertion[..<count]), in: response)), "\(count) bytes")
    }
    #expect(!server.accepts(Vector.replacing(assertion + [0], in: response)))
  }

  @Test(arguments: Vector.accepted) func `a valid vector is refused with any character of its final challenge changed`(
    vector: Vector
  ) throws {
    let server = try vector.server
    let original = try vector.response
    let fcParams = original.fcParams
    for index in fcParams.indices {
      var changed = fcParams
      changed.replaceSubrange(index...index, with: fcParams[index] == "A" ? "B" : "A")
      let response: UAFResponse =
        switch original {
        case .registration(let response):
          .registration(
            RegistrationResponse(header: response.header, fcParams: changed, assertions: response.assertions))
        case .authentication(let response):
          .authentication(
            AuthenticationResponse(header: response.header, fcParams: changed, assertions: response.assertions))
        }
      #expect(!server.accepts(response))
    }
  }

  @Test(arguments: Vector.accepted)
  func `a valid vector is refused under a different challenge, AppID, session or operation`(
    vector: Vector
  ) throws {
    let issued = try vector.issued
    let others = [
      issued.changing(challengeHash: try SHA256.hash([1])), issued.changing(appID: "https://example.test"),
      issued.changing(serverData: "x"),
      issued.changing(operation: issued.operation == .registration ? .authentication : .registration),
    ]
    for other in others {
      let header = try vector.response.header
      #expect(throws: ServiceRefusal.self) {
        try vector.verifier.check(header, fcParams: vector.response.fcParams, issued: other)
      }
    }
  }
}

extension IssuedRequest {
  /// A copy with one change.
  func changing(
    operation: UAFOperation? = nil, challengeHash: [UInt8]? = nil, appID: String? = nil, serverData: String? = nil,
    policy: Policy? = nil
  ) -> IssuedRequest {
    IssuedRequest(
      operation: operation ?? self.operation, username: username, challengeHash: challengeHash ?? self.challengeHash,
      appID: appID ?? self.appID, serverData: serverData ?? self.serverData, policy: policy ?? self.policy,
      transaction: transaction, device: device,
      expiresAt: expiresAt)
  }
}
