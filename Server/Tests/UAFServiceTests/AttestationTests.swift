import SecretMemory
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Which attestation types the server accepts from which model, and with which certificate chain.
struct AttestationTests {
  @Test(arguments: [
    "leaf alone", "leaf and root", "leaf and issuer", "leaf, two issuers and root", "issuer in the middle as root",
    "leaf as root", "model as octets",
  ])
  func `full attestation is accepted with a certificate chain to a root of the model`(name: String) throws {
    #expect(try AttestedRegistration(name).refusal() == nil)
  }

  @Test(arguments: [
    "other root of the same name", "issuer missing", "root first", "issuer that is not an authority", "issuer expired",
    "leaf expired", "leaf not for signing", "model as integer", "stranger at the end",
  ])
  func `full attestation is refused with any other certificate chain`(name: String) throws {
    #expect(try AttestedRegistration(name).refusal() == .untrustedAttestation)
  }

  @Test(arguments: [1_767_225_599, 2_082_758_401] as [Int64])
  func `a certificate chain that is not valid at the given time is refused`(now: Int64) throws {
    var registration = try AttestedRegistration("leaf alone")
    registration.now = now
    #expect(try registration.refusal() == .untrustedAttestation)
  }

  @Test func `refuses a leaf certificate that names a different model`() throws {
    #expect(try AttestedRegistration("model as octets", aaid: "FFFF#5556").refusal() == .otherModelAttested)
  }

  @Test func `requires the leaf certificate to name its model if a different model has the same root`() throws {
    var named = try AttestedRegistration("model as octets")
    named.otherModels = [named.statement(try AAID("FFFF#0001"))]
    #expect(try named.refusal() == nil)
    var unnamed = try AttestedRegistration("leaf alone")
    unnamed.otherModels = [unnamed.statement(try AAID("FFFF#0001"))]
    #expect(try unnamed.refusal() == .otherModelAttested)
  }

  @Test func `refuses a registration that the attestation key did not sign`() throws {
    var registration = try AttestedRegistration("leaf alone")
    registration.attest = { registration, authenticator, signed in
      .full(signature: try authenticator.sign(signed), certificates: registration.chain)
    }
    #expect(try registration.refusal() == .invalidAttestationSignature)
    registration.attest = { registration, _, signed in
      .full(signature: try AttestedRegistration.sign(Array(signed.dropFirst(4))), certificates: registration.chain)
    }
    #expect(try registration.refusal() == .invalidAttestationSignature)
  }

  @Test func `refuses a signature algorithm that is unknown or does not fit the attestation key`() throws {
    var registration = try AttestedRegistration("leaf alone")
    for (algorithm, refusal) in [
      (2, ServiceRefusal.invalidAttestationSignature), (3, .invalidAttestationSignature),
      (5, .invalidAttestationSignature),
      (0, .unacceptableAlgorithm), (7, .unacceptableAlgorithm), (0x0A, .unacceptableAlgorithm),
    ] as [(UInt16, ServiceRefusal)] {
      registration.signatureAlgorithm = algorithm
      #expect(try registration.refusal() == refusal, "\(algorithm)")
    }
  }

  @Test(arguments: [[15879], [15879, 15880]] as [[UInt16]])
  func `refuses surrogate attestation of a model with roots`(types: [UInt16]) throws {
    var registration = try AttestedRegistration("leaf alone")
    registration.attestationTypes = types
    registration.attest = { _, authenticator, signed in .surrogate(signature: try authenticator.sign(signed)) }
    #expect(try registration.refusal() == .otherAttestationType)
  }

  @Test func `refuses full attestation of a model without roots`() throws {
    var registration = try AttestedRegistration("leaf alone")
    registration.roots = []
    registration.attestationTypes = [15880]
    #expect(try registration.refusal() == .otherAttestationType)
  }

  @Test func `ECDAA attestation is refused, with a reason that names it`() throws {
    var registration = try AttestedRegistration("leaf alone")
    registration.attest = { _, authenticator, signed in .ecdaa(signature: try authenticator.sign(signed)) }
    #expect(try registration.refusal() == .ecdaaNotSupported)
    registration.attestationTypes = [15879, 15881]
    #expect(try registration.refusal() == .ecdaaNotSupported)
  }

  @Test func `refuses an attestation type that the policy does not name, although the model supports it`() throws {
    var registration = try AttestedRegistration("leaf alone")
    registration.attestationTypes = [15879, 15881]
    var criteria = MatchCriteria(aaid: registration.aaid)
    criteria.attestationTypes = [15881]
    registration.policy = Policy(accepted: [[criteria]])
    #expect(try registration.refusal() == .otherAttestationType)
    criteria.attestationTypes = [15881, 15879]
    registration.policy = Policy(accepted: [[criteria]])
    #expect(try registration.refusal() == nil)
  }

  @Test(arguments: [
    ServiceRefusal.otherAttestationType, .ecdaaNotSupported, .untrustedAttestation, .otherModelAttested,
    .invalidAttestationSignature,
  ])
  func `each refusal of an attestation tells the client that the attestation is unacceptable`(refusal: ServiceRefusal) {
    #expect(refusal.statusCode.rawValue == 1496)
  }
}
