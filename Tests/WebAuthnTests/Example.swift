import CBOR
import Foundation
import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

/// One registration and one authentication of WebAuthn Level 3, section 16 (Tests/Vectors/webauthn).
struct Example: Sendable, CustomTestStringConvertible {
  /// The members of one ceremony, all of them hexadecimal bytes in the JSON file.
  struct Ceremony: Sendable {
    fileprivate let members: JSONObject

    subscript(name: String) -> [UInt8] {
      if case .string(let text)? = members[name] { hex(text) } else { [] }
    }
  }

  let name: String
  let form: String
  let registration: Ceremony
  let authentication: Ceremony

  var testDescription: String { name }

  /// All examples.
  static let all = list(file["examples"])

  /// Examples of attestation certificates that we have made ourselves.
  static let acceptedCertificates = list(certificates["accepted"])
  static let refusedCertificates = list(certificates["refused"])

  /// The examples whose signature algorithm this project can verify.
  static let readable = all.filter { !["packed.ES384", "packed.ES512"].contains($0.name) }

  /// The certificate of the authority that has signed the examples' attestation certificates.
  static let authority: [UInt8] = {
    if case .string(let text)? = file["attestationCACertificate"] { hex(text) } else { [] }
  }()

  static func named(_ name: String) throws -> Example { try #require(all.first { $0.name == name }) }

  private static let file: JSONObject = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let data = try? Data(contentsOf: folder.appending(path: "Vectors/webauthn/webauthn.json"))
    if case .object(let file)? = try? JSONValue(parsing: Array(data ?? Data())) { return file }
    return [:]
  }()

  private static let certificates: JSONObject = {
    if case .object(let object)? = file["certificates"] { object } else { [:] }
  }()

  private static func list(_ value: JSONValue?) -> [Example] {
    if case .array(let examples)? = value { examples.compactMap(Example.init) } else { [] }
  }

  private init?(_ value: JSONValue) {
    guard case .object(let object) = value, case .string(let name)? = object["name"],
      case .string(let form)? = object["form"], case .object(let registration)? = object["registration"],
      case .object(let authentication)? = object["authentication"]
    else { return nil }
    self.name = name
    self.form = form
    self.registration = Ceremony(members: registration)
    self.authentication = Ceremony(members: authentication)
  }

  // MARK: Answers

  func registrationResponse() throws -> AttestationResponse {
    AttestationResponse(
      clientData: try CollectedClientData(parsing: registration["clientDataJSON"]),
      attestationObject: try AttestationObject(parsing: registration["attestationObject"]))
  }

  func authenticationResponse() throws -> AssertionResponse {
    AssertionResponse(
      credentialID: registration["credentialID"],
      clientData: try CollectedClientData(parsing: authentication["clientDataJSON"]),
      authenticatorData: try AuthenticatorData(parsing: authentication["authenticatorData"]),
      signature: authentication["signature"])
  }

  func expectation(_ ceremony: Ceremony) throws -> CeremonyExpectation {
    CeremonyExpectation(
      challenge: ceremony["challenge"], origins: ["https://example.org"],
      relyingPartyID: try RelyingPartyID("example.org"), requiresUserVerification: false,
      topOrigins: ["https://example.com"])
  }

  func stored() throws -> StoredCredential {
    let data = try AttestationObject(parsing: registration["attestationObject"]).authenticatorData
    let credential = try #require(data.attestedCredential)
    return StoredCredential(
      id: credential.credentialID, publicKey: credential.publicKey, signatureCounter: data.signatureCounter,
      isBackupEligible: data.flags.contains(.backupEligible), userHandle: nil)
  }
}

/// The bytes that a hexadecimal text stands for.
func hex(_ text: String) -> [UInt8] {
  let digits = Array(text.utf8).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// All variants of the bytes with one bit flipped.
///
/// A `step` above 1 flips only the bits of each `step`th byte.
func flips(of bytes: [UInt8], step: Int = 1) -> [[UInt8]] {
  var all: [[UInt8]] = []
  for index in stride(from: 0, to: bytes.count, by: step) {
    for bit in 0..<8 {
      var changed = bytes
      changed[index] ^= 1 << UInt8(bit)
      all.append(changed)
    }
  }
  return all
}

/// All beginnings of the bytes that are shorter than the whole.
func cuts(of bytes: [UInt8]) -> [[UInt8]] {
  (0..<bytes.count).map { Array(bytes.prefix($0)) }
}
