import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// The status of each refusal, and messages that cannot be read.
@Suite(.onEachStore) struct StatusTests {
  @Test(
    arguments: [
      (ServiceRefusal.unknownAAID, 1480), (.unknownKeyID, 1481), (.channelBindingMismatch, 1490),
      (.unknownChallenge, 1491),
      (.expiredChallenge, 1491), (.invalidServerData, 1491), (.otherOperation, 1491), (.notInPolicy, 1492),
      (.outdatedAuthenticator, 1492), (.revokedKey, 1493), (.unacceptableKey, 1494), (.keyAlreadyRegistered, 1494),
      (.unacceptableAlgorithm, 1495), (.otherAttestationType, 1496), (.untrustedAttestation, 1496),
      (.malformedAssertion, 1498), (.wrongFinalChallengeHash, 1498), (.invalidSignature, 1498),
      (.wrongTransaction, 1498),
      (.unsupportedVersion, 1498), (.unknownExtension, 1498), (.malformedMessage, 1400),
      (.malformedFinalChallenge, 1400),
      (.authorizationRequired, 1401), (.tooManyKeys, 1492), (.internalError, 1500),
      (.accountDisabled, 1403), (.accountLocked, 1403), (.wrongJoinCode, 1401), (.joinCodeExpired, 1404),
      (.joinCodeUsedUp, 1491), (.machineRevoked, 1493), (.machineJoined, 1403), (.lastAdministrator, 1403),
    ] as [(ServiceRefusal, UInt32)])
  func `each refusal has the specification's status code`(refusal: ServiceRefusal, status: UInt32) {
    #expect(refusal.statusCode.rawValue == status)
  }

  /// The status for a response to a valid request, in which one text is replaced by a different one.
  private func status(replacing text: String, with other: String) async throws -> UInt32 {
    let server = try TestServer()
    let alice = try await server.registered("alice")
    let answer = try await alice.authenticate(server.authenticationRequest("alice"), counter: 1).text
    #expect(answer.contains(text))
    let changed = answer.replacing(text, with: other)
    let body = SendUAFResponse(uafResponse: changed, context: nil)
    switch try await ResponseService(environment: server.environment).respond(body) {
    case .accepted: return 1200
    case .refused(let refusal, _): return refusal.statusCode.rawValue
    }
  }

  @Test func `refuses an unsupported UAF version as unacceptable content, not as a malformed message`() async throws {
    let good = #""upv":{"major":1,"minor":1}"#
    #expect(try await status(replacing: good, with: good) == 1200)
    #expect(try await status(replacing: good, with: #""upv":{"major":1,"minor":2}"#) == 1498)
    #expect(try await status(replacing: good, with: #""upv":{"major":2,"minor":0}"#) == 1498)
    #expect(try await status(replacing: good, with: #""upv":{"major":1}"#) == 1400)
  }

  @Test func `refuses an unknown extension that must not be ignored, and ignores any other unknown one`() async throws {
    let scheme = #""assertionScheme":"UAFV1TLV""#
    let ext = #","exts":[{"id":"x","data":"","fail_if_unknown":"#
    #expect(try await status(replacing: scheme, with: scheme + ext + "true}]") == 1498)
    #expect(try await status(replacing: scheme, with: scheme + ext + "false}]") == 1200)
    let operation = #""op":"Auth""#
    #expect(try await status(replacing: operation, with: operation + ext + "true}]") == 1498)
    #expect(try await status(replacing: operation, with: operation + ext + "false}]") == 1200)
  }

  @Test func `refuses a different assertion scheme, and a key that was never registered`() async throws {
    #expect(try await status(replacing: "UAFV1TLV", with: "UAFV2TLV") == 1498)
    let server = try TestServer()
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    let stranger = try FakeAuthenticator(aaid: alice.aaid.text)
    let (refusal, _) = try await server.respond(stranger.authenticate(request, counter: 1))
    #expect(refusal == .unknownKeyID)
  }
}
