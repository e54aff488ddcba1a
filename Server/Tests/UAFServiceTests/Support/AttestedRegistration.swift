import Foundation
import SecretMemory
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// A registration with an attestation chain of Tests/Vectors/attestation.
struct AttestedRegistration {
  static let now: Int64 = 1_800_000_000
  static let appID = "https://a.test/uaf/facets"

  let aaid: AAID
  var chain: [[UInt8]]
  var roots: [[UInt8]]
  var attestationTypes: [UInt16] = [15879]
  var otherModels: [MetadataStatement] = []
  var policy: Policy
  var now = AttestedRegistration.now
  var signatureAlgorithm = SignatureAlgorithm.secp256r1ECDSASHA256Raw
  /// Makes the attestation of the bytes to be signed.
  var attest: (AttestedRegistration, FakeAuthenticator, [UInt8]) throws -> Attestation = { registration, _, signed in
    .full(signature: try AttestedRegistration.sign(signed), certificates: registration.chain)
  }

  /// Uses the certificate chain of this entry in attestation.json.
  init(_ name: String, aaid: String = "FFFF#5555") throws {
    let entry = try #require(try Self.entries().first { $0["name"] == .string(name) })
    self.aaid = try AAID(aaid)
    chain = try Self.certificates(entry["certificates"])
    roots = try Self.certificates(entry["roots"])
    policy = Policy(accepted: [[MatchCriteria(aaid: self.aaid)]])
  }

  /// Why the server refuses the registration; nil if it accepts it.
  func refusal() throws -> ServiceRefusal? {
    let authenticator = try FakeAuthenticator(aaid: aaid.text)
    let header = OperationHeader(upv: .uaf11, op: .registration, appID: Self.appID, serverData: "d")
    let challenge = try ServerChallenge(bytes: RandomBytes.make(32))
    let fcParams = authenticator.fcParams(header, challenge, .init())
    let builder = try RegistrationAssertionBuilder(
      aaid: aaid, authenticatorVersion: 1, signatureAlgorithm: signatureAlgorithm,
      finalChallengeHash: SHA256.hash(Array(fcParams.utf8)), keyID: authenticator.keyID, signCounter: 0, regCounter: 1,
      publicKey: authenticator.publicKey)
    let assertion = try builder.assertion(attestation: attest(self, authenticator, builder.signedBytes))
    let response = RegistrationResponse(
      header: header, fcParams: fcParams, assertions: [AuthenticatorRegistrationAssertion(assertion: assertion)])
    let issued = IssuedRequest(
      operation: .registration, username: "a", challengeHash: try SHA256.hash(challenge.bytes), appID: Self.appID,
      serverData: "d", policy: policy, transaction: nil, device: Device(),
      expiresAt: .max)
    let identity = try ServerIdentity(
      publicURL: "https://a.test", facets: [ServerIdentity.pamModuleFacet], certificates: [])
    let models = try AuthenticatorModels([statement(aaid)] + otherModels)
    let verifier = Verifier(identity: identity, models: models, now: now)
    do {
      _ = try verifier.verify(response, issued: issued, isRegistered: { _, _ in false })
      return nil
    } catch {
      return error
    }
  }

  /// The metadata statement of a model with the root certificates of this registration.
  func statement(_ aaid: AAID) -> MetadataStatement {
    let method = VerificationMethodDescriptor(userVerification: UserVerification.passcode)
    var statement = MetadataStatement(aaid: aaid, description: "test", userVerificationDetails: [[method]])
    statement.attestationRootCertificates = roots
    statement.attestationTypes = attestationTypes
    return statement
  }

  /// A signature by the attestation key.
  static func sign(_ message: [UInt8]) throws -> [UInt8] {
    guard case .object(let file) = try file(), case .string(let text)? = file["leafPrivateKey"] else {
      throw TestServer.Unexpected()
    }
    let bytes = try Base64.decode(text, maximumCount: 32)
    let key = try Secret(copying: bytes.span)
    return try P256.sign(message, privateKey: key)
  }

  private static func file() throws -> JSONValue {
    try JSONValue(
      parsing: Array(Data(contentsOf: Checkout.file("Tests/Vectors/attestation/attestation.json"))))
  }

  private static func entries() throws -> [JSONObject] {
    guard case .object(let file) = try file(), case .array(let cases)? = file["cases"] else { return [] }
    return cases.compactMap { entry in if case .object(let object) = entry { object } else { nil } }
  }

  private static func certificates(_ list: JSONValue?) throws -> [[UInt8]] {
    guard case .array(let texts)? = list else { return [] }
    return try texts.map { text in
      guard case .string(let text) = text else { throw TestServer.Unexpected() }
      return try Base64.decode(text, maximumCount: 4096)
    }
  }
}
