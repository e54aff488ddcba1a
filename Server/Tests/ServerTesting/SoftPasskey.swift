import SecretMemory
import UAFCrypto
import UAFMessages
import WebAuthn

/// A passkey for tests, which sends whatever a test sets here.
final class SoftPasskey {
  private let privateKey: [UInt8]
  var id: [UInt8]
  var origin = "https://server.test:8443"
  var relyingPartyID = "server.test"
  var flags: AuthenticatorFlags = [.userPresent, .userVerified]
  var counter: UInt32 = 0
  var transports = ["internal"]
  var userHandle: [UInt8]?
  /// Changes what is signed, after it was signed.
  var breaksSignature = false
  /// Names the type of the other ceremony.
  var claimsOtherCeremony = false
  var aaguid = AAGUID.zero
  /// Attests a new credential, given the bytes to be signed.
  var attest: ([UInt8]) throws -> AttestationStatement = { _ in .none }

  init() throws {
    var key = try RandomBytes.make(32)
    // A number below the order of the curve.
    key[0] = 1
    privateKey = key
    id = try RandomBytes.make(32)
  }

  /// Attests with the passkey's own key.
  func attestByItself() {
    attest = { [privateKey] message in
      let signature = try ECDSASignature(raw: P256.sign(message, privateKey: Secret(copying: privateKey.span))).der
      return .packed(PackedStatement(algorithm: .es256, signature: signature))
    }
  }

  private func key() throws -> Secret {
    let bytes = privateKey
    return try Secret(copying: bytes.span)
  }

  /// The answer to the options of a registration.
  func register(_ options: PublicKeyCredentialCreationOptions) throws -> AttestationResponse {
    userHandle = options.user.id
    let clientData = CollectedClientData(
      claimsOtherCeremony ? .get : .create, challenge: options.challenge, origin: origin)
    let credential = try AttestedCredential(
      aaguid: aaguid, credentialID: id, publicKey: COSEKey(es256: P256.publicKey(of: key())))
    let data = try AuthenticatorData(
      relyingPartyIDHash: RelyingPartyID(relyingPartyID).hash, flags: flags, signatureCounter: counter,
      attestedCredential: credential)
    let statement = try attest(SignatureBase.bytes(data, clientData))
    return AttestationResponse(
      clientData: clientData, attestationObject: AttestationObject(authenticatorData: data, statement: statement),
      transports: transports)
  }

  /// The answer to the options of an authentication.
  func authenticate(_ options: PublicKeyCredentialRequestOptions) throws -> AssertionResponse {
    let clientData = CollectedClientData(
      claimsOtherCeremony ? .create : .get, challenge: options.challenge, origin: origin)
    let data = try AuthenticatorData(
      relyingPartyIDHash: RelyingPartyID(relyingPartyID).hash, flags: flags, signatureCounter: counter)
    let message = try SignatureBase.bytes(data, clientData) + (breaksSignature ? [0] : [])
    let signature = try ECDSASignature(raw: P256.sign(message, privateKey: key())).der
    return AssertionResponse(
      credentialID: id, clientData: clientData, authenticatorData: data, signature: signature, userHandle: userHandle)
  }
}
