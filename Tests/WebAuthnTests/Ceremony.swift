import SecretMemory
import Testing
import UAFCrypto
import WebAuthn

/// An authenticator for tests, which sends whatever a test sets here.
struct Ceremony {
  static let origin = "linux://idp.example.com"
  static let challenge = [UInt8](0..<32)
  static let credentialID = [UInt8](repeating: 7, count: 32)
  static let userHandle = Array("mina".utf8)

  var clientData = CollectedClientData(.create, challenge: challenge, origin: origin)
  var relyingPartyID = "idp.example.com"
  var flags: AuthenticatorFlags = [.userPresent, .userVerified]
  var counter: UInt32 = 1
  var algorithm = COSEAlgorithm.es256
  var sender: [UInt8] = credentialID

  static func authentication() -> Ceremony {
    var ceremony = Ceremony()
    ceremony.clientData = CollectedClientData(.get, challenge: challenge, origin: origin)
    ceremony.counter = 2
    return ceremony
  }

  /// 32 fixed bytes that serve as a private key.
  static func privateKey() throws -> Secret { try Secret(copying: [UInt8](repeating: 9, count: 32).span) }

  func publicKey() throws -> COSEKey {
    algorithm == .edDSA
      ? try COSEKey(ed25519: Ed25519.publicKey(of: Self.privateKey()))
      : try COSEKey(es256: P256.publicKey(of: Self.privateKey()))
  }

  func sign(_ data: AuthenticatorData) throws -> [UInt8] {
    let message = try SignatureBase.bytes(data, clientData)
    if algorithm == .edDSA { return try Ed25519.sign(message, privateKey: Self.privateKey()) }
    return try ECDSASignature(raw: P256.sign(message, privateKey: Self.privateKey())).der
  }

  func data(registers: Bool) throws -> AuthenticatorData {
    try AuthenticatorData(
      relyingPartyIDHash: RelyingPartyID(relyingPartyID).hash, flags: flags, signatureCounter: counter,
      attestedCredential: registers
        ? AttestedCredential(aaguid: .zero, credentialID: Self.credentialID, publicKey: publicKey()) : nil)
  }

  func registration(_ statement: AttestationStatement? = nil) throws -> AttestationResponse {
    let data = try data(registers: true)
    let own = AttestationStatement.packed(PackedStatement(algorithm: algorithm, signature: try sign(data)))
    return AttestationResponse(
      clientData: clientData, attestationObject: AttestationObject(authenticatorData: data, statement: statement ?? own)
    )
  }

  func assertion(userHandle: [UInt8]? = Self.userHandle, registers: Bool = false) throws -> AssertionResponse {
    let data = try data(registers: registers)
    return AssertionResponse(
      credentialID: sender, clientData: clientData, authenticatorData: data, signature: try sign(data),
      userHandle: userHandle)
  }

  // MARK: What the relying party knows

  static func expectation() throws -> CeremonyExpectation {
    CeremonyExpectation(
      challenge: challenge, origins: ["https://idp.example.com", origin],
      relyingPartyID: try RelyingPartyID("idp.example.com"), requiresUserVerification: true)
  }

  func stored() throws -> StoredCredential {
    StoredCredential(
      id: Self.credentialID, publicKey: try publicKey(), signatureCounter: 1, isBackupEligible: false,
      userHandle: Self.userHandle)
  }

  func verified(_ statement: AttestationStatement? = nil) throws -> RegistrationVerification {
    try RegistrationVerification(
      registration(statement), expecting: Self.expectation(), algorithms: [.es256, .edDSA])
  }
}
