import SecretMemory
import Synchronization
import Testing
import UAFCrypto
import UAFMessages

/// An authenticator and client in one, with a key and a counter.
///
/// It can be told to make each mistake that a client could make.
final class FakeAuthenticator: Sendable {
  let aaid: AAID
  let keyID: KeyID
  let publicKey: [UInt8]
  private let privateKey: Mutex<Secret>

  init(aaid: String = "5541#0001", keyID: KeyID? = nil) throws {
    let pair = try P256.generate()
    self.aaid = try AAID(aaid)
    self.keyID = try keyID ?? KeyID(bytes: RandomBytes.make(32))
    publicKey = pair.publicKey
    privateKey = Mutex(pair.privateKey)
  }

  func registrationRequest(from answer: ReturnUAFRequest) throws -> RegistrationRequest {
    #expect(answer.statusCode == .ok)
    guard case .registration(let request) = try UAFRequest(parsing: try #require(answer.uafRequest)) else {
      throw TestServer.Unexpected()
    }
    return request
  }

  func sign(_ message: [UInt8]) throws -> [UInt8] {
    try privateKey.withLock { key in try P256.sign(message, privateKey: key) }
  }

  /// The parts of the final challenge that a client may get wrong.
  struct Connection: Sendable {
    var facetID = "linux:pam-module:pam_uaf"
    var appID: String?
    var binding = ChannelBinding()
    var challenge: ServerChallenge?
  }

  func fcParams(_ header: OperationHeader, _ challenge: ServerChallenge, _ connection: Connection) -> String {
    FinalChallengeParams(
      appID: connection.appID ?? header.appID ?? "", challenge: connection.challenge ?? challenge,
      facetID: connection.facetID, channelBinding: connection.binding
    ).encoded
  }

  func register(
    _ request: RegistrationRequest, connection: Connection = Connection(), version: UInt16 = 1,
    regCounter: UInt32 = 1, signedBy other: FakeAuthenticator? = nil,
    verificationMethods: [UserVerificationMethodEntry]? = nil
  ) throws -> UAFResponse {
    let fcParams = fcParams(request.header, request.challenge, connection)
    let builder = try RegistrationAssertionBuilder(
      aaid: aaid, authenticatorVersion: version, finalChallengeHash: SHA256.hash(Array(fcParams.utf8)), keyID: keyID,
      signCounter: 0, regCounter: regCounter, publicKey: publicKey, verificationMethods: verificationMethods)
    let signature = try (other ?? self).sign(builder.signedBytes)
    let assertion = try builder.assertion(attestation: .surrogate(signature: signature))
    return .registration(
      RegistrationResponse(
        header: request.header, fcParams: fcParams,
        assertions: [AuthenticatorRegistrationAssertion(assertion: assertion)]))
  }

  func authenticate(
    _ request: AuthenticationRequest, counter: UInt32, connection: Connection = Connection(),
    confirming text: String? = nil, signedBy other: FakeAuthenticator? = nil,
    verificationMethods: [UserVerificationMethodEntry]? = nil, verificationMethodData: [UInt8]? = nil
  ) throws -> UAFResponse {
    let fcParams = fcParams(request.header, request.challenge, connection)
    let builder = try AuthenticationAssertionBuilder(
      aaid: aaid, authenticatorVersion: 1, nonce: RandomBytes.make(8),
      finalChallengeHash: SHA256.hash(Array(fcParams.utf8)),
      transactionContentHash: text.map { try SHA256.hash(Array($0.utf8)) }, keyID: keyID, signCounter: counter,
      verificationMethods: verificationMethods)
    let signed = try verificationMethodData.map { try Self.adding($0, to: builder.signedBytes) } ?? builder.signedBytes
    var inner = TLVWriter()
    try inner.append(.signature, (other ?? self).sign(signed))
    var writer = TLVWriter()
    try writer.append(.authenticationAssertion, signed + inner.bytes)
    let assertion = writer.bytes
    return .authentication(
      AuthenticationResponse(
        header: request.header, fcParams: fcParams, assertions: [AuthenticatorSignAssertion(assertion: assertion)]))
  }

  /// Signed data with `fido.uaf.uvm` appended, whatever the extension's data is.
  private static func adding(_ data: [UInt8], to signedBytes: [UInt8]) throws -> [UInt8] {
    var more = TLVWriter()
    try more.append(composite: .nonCriticalExtension) { (object) throws(TLVError) in
      try object.append(.extensionID, Array(UserVerificationMethodEntry.extensionID.utf8))
      try object.append(.extensionData, data)
    }
    var writer = TLVWriter()
    try writer.append(.signedData, Array(signedBytes.dropFirst(4)) + more.bytes)
    return writer.bytes
  }
}
