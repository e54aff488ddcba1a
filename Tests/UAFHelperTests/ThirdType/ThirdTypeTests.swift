import FidoResults
import Foundation
import Testing
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import AuthenticatorTypes
@testable import UAFHelper

/// A third authenticator type needs only a folder and one entry in the list; all other code handles it without a change.
///
/// Each test runs in a process of its own, because the list applies to the whole program.
@Suite struct ThirdTypeTests {
  private static let facet = "linux:pam-module:pam_uaf"

  /// A bench whose list of types contains the toy type, and whose account has only the rhythm "..-..".
  private static func bench(_ more: String = "") throws -> HelperBench {
    // SAFETY: nothing in this process has read the list.
    unsafe AuthenticatorType.addedByTests = [.toy]
    let bench = try HelperBench()
    bench.configuration =
      "authenticators = [\"knock\", \"passcode\"]\n"
      + bench.configuration.replacing("[lock]\nretry_count_to_lock = 3\nlock_time = 60", with: "") + more
    bench.server.accepted = [["5541#00FF"]]
    bench.server.registrationHeader = OperationHeader(upv: .uaf11, op: .registration, appID: facet, serverData: "d")
    try bench.run(bench.begin(.initialise))
    let transcript = try bench.run(bench.registration("knock"), ["..-", "..-..", ". . - . ."])
    #expect(transcript.result == 0, "\(bench.log.lines)")
    #expect(transcript.prompts.map(\.errorMessage) == [nil, "Knock five times or more.", nil])
    return bench
  }

  @Test func `a third type registers and logs in, with its own way to normalise an entry`() async {
    await #expect(processExitsWith: .success) {
      let bench = try Self.bench()
      let transcript = try bench.run(bench.begin(), ["..-.. "])
      #expect(transcript.result == 0 && transcript.pamCode == 0)
      #expect(transcript.prompts.map(\.text) == ["short: .  long: -\nKnock for mina (login): "])
      #expect(transcript.prompts.map(\.check) == ["passcode"])
    }
  }

  @Test func `a third type counts wrong entries, and locks by its own defaults`() async {
    await #expect(processExitsWith: .success) {
      let bench = try Self.bench()
      #expect(try bench.run(bench.begin(), ["hello"]).result == 3012)
      let first = try bench.run(bench.begin(), ["..-.-"])
      #expect(first.result == 3012 && first.errors == ["Wrong knock: 1 try left."])
      #expect(try bench.run(bench.begin(), ["-----"]).result == 3013)
      #expect(try bench.run(bench.begin(), ["..-.."]).result == 3013)
      bench.now.nanoseconds += 91_000_000_000
      #expect(try bench.run(bench.begin(), ["..-.."]).result == 0)
    }
  }

  @Test func `a third type has its own lock settings, and a service can name it by its AAID`() async {
    await #expect(processExitsWith: .success) {
      let bench = try Self.bench(
        "\n[knock.lock]\nretry_count_to_lock = 1\n[service.login]\nauthenticator = \"5541#00ff\"\n")
      #expect(try bench.run(bench.begin(), ["..-.-"]).result == 3013)
      #expect(try bench.run(bench.begin(), ["..-.."]).result == 3013)
    }
  }

  @Test func `refuses configuration keys that a third type does not have`() async {
    await #expect(processExitsWith: .success) {
      // SAFETY: nothing in this process has read the list.
      unsafe AuthenticatorType.addedByTests = [.toy]
      #expect(throws: ConfigurationError.self) {
        _ = try Configuration(parsing: Array("[knock]\nmin_nodes = 5\n".utf8), path: "test")
      }
    }
  }

  @Test func `the list in a login offers the third type`() async {
    await #expect(processExitsWith: .success) {
      let bench = try Self.bench()
      let document = try #require(try bench.run(bench.begin(.status)).finished.document)
      let json = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
      let entries = try #require(json["authenticators"] as? [[String: Any]])
      #expect(entries.map { $0["type"] as? String } == ["knock", "passcode"])
      #expect(json["registeredTypes"] as? Int == 0x100 && json["usableTypes"] as? Int == 0x100)
    }
  }

  /// `VerifierTests` shows that a server accepts such a registration.
  @Test func `the third type sends a registration with its own AAID, signed by the new key`() async {
    await #expect(processExitsWith: .success) {
      let bench = try Self.bench()
      let sent = try #require(bench.server.requests.last { $0.url.hasSuffix("respond") })
      let message = try UAFResponse(parsing: SendUAFResponse(parsing: sent.body).uafResponse)
      guard case .registration(let response) = message else {
        Issue.record("it is no registration")
        return
      }
      #expect(response.header.op == .registration && response.header.serverData == "d")
      #expect(response.header.appID == Self.facet)
      #expect(try FinalChallengeParams(encoded: response.fcParams).facetID == Self.facet)
      let envelope = try #require(response.assertions.first)
      #expect(response.assertions.count == 1 && envelope.assertionScheme == AssertionScheme.uafV1TLV)
      let assertion = try UnverifiedRegistrationAssertion(parsing: envelope.assertion)
      #expect(try assertion.aaid == AAID("5541#00FF") && assertion.authenticatorVersion == 1)
      #expect(assertion.signatureAlgorithm == SignatureAlgorithm.secp256r1ECDSASHA256Raw)
      #expect(assertion.publicKeyAlgorithm == PublicKeyAlgorithm.eccX962Raw)
      #expect(try assertion.finalChallengeHash == SHA256.hash(Array(response.fcParams.utf8)))
      guard case .surrogate(let signature) = assertion.attestation else {
        Issue.record("the attestation is not surrogate")
        return
      }
      #expect(P256.isValidSignature(signature, of: assertion.signedBytes, publicKey: assertion.publicKey))
    }
  }
}
