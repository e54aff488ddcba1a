import Foundation
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFServer

/// One message pair of Tests/Vectors/uaf, made by other software than ours, with what a server would know beside it.
struct Vector: Sendable, CustomTestStringConvertible {
  let name: String
  let isValid: Bool
  private let json: JSONObject

  var testDescription: String { name }

  /// Valid by the specification, refused here: their model attests with a certificate chain, which is not verified yet.
  static let fullAttestation = ["reg-full-leaf-only"]

  static let all: [Vector] = {
    guard case .array(let entries)? = try? JSONValue(parsing: bytes(of: "index")) else { return [] }
    return entries.compactMap { entry in
      guard case .object(let object) = entry, case .string(let name)? = object["name"] else { return nil }
      return try? Vector(name)
    }
  }()

  static let accepted = all.filter { $0.isValid && !fullAttestation.contains($0.name) }

  init(_ name: String) throws {
    guard case .object(let object) = try JSONValue(parsing: Self.bytes(of: name)),
      case .bool(let isValid)? = object["valid"]
    else { throw CocoaError(.coderReadCorrupt) }
    self.name = name
    self.isValid = isValid
    json = object
  }

  private static func bytes(of name: String) throws -> [UInt8] {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try Array(Data(contentsOf: tests.appending(path: "Vectors/uaf/\(name).json")))
  }

  private func member(_ name: String) throws -> JSONValue { try #require(json[name]) }

  private func text(_ name: String) throws -> String {
    guard case .string(let text) = try member(name) else { throw CocoaError(.coderValueNotFound) }
    return text
  }

  private func number(_ name: String) throws -> Int64 {
    guard case .integer(let number) = try member(name) else { throw CocoaError(.coderValueNotFound) }
    return number
  }

  var request: UAFRequest { get throws { try UAFRequest(parsing: member("request").bytes) } }
  var responseBytes: [UInt8] { get throws { try member("response").bytes } }
  var response: UAFResponse { get throws { try UAFResponse(parsing: responseBytes) } }

  /// A verifier that knows the vectors' two models and trusts their application.
  var verifier: Verifier {
    get throws {
      let raw = AuthenticatorDescription(aaid: try AAID("EBA0#0001"), userVerification: UserVerification.passcode)
      let der = AuthenticatorDescription(
        aaid: try AAID("EBA0#0002"), userVerification: UserVerification.passcode,
        authenticationAlgorithm: SignatureAlgorithm.secp256r1ECDSASHA256DER)
      let models = AuthenticatorModels(all: [
        AuthenticatorModel(name: "raw", description: raw),
        AuthenticatorModel(name: "DER", description: der, publicKeyAlgorithm: PublicKeyAlgorithm.eccX962DER),
      ])
      let identity = try ServerIdentity(
        publicURL: "http://127.0.0.1:8282", facets: ["https://example.test"], certificate: nil)
      return Verifier(identity: identity, models: models)
    }
  }

  var issued: IssuedRequest {
    get throws {
      let challenge: ServerChallenge
      let policy: Policy
      var transaction: Transaction?
      switch try request {
      case .registration(let request): (challenge, policy) = (request.challenge, request.policy)
      case .authentication(let request):
        (challenge, policy) = (request.challenge, request.policy)
        transaction = request.transaction.first
      case .deregistration: throw CocoaError(.coderInvalidValue)
      }
      let header = try request.header
      return IssuedRequest(
        operation: header.op, username: "vector", challengeHash: try SHA256.hash(challenge.bytes),
        appID: try #require(header.appID), serverData: try #require(header.serverData), policy: policy,
        transaction: transaction, device: Device(), proofOperations: [], isDecoy: false, expiresAt: .max)
    }
  }

  /// The key the account has, where the message is an authentication.
  var keys: [StoredKey] {
    get throws {
      guard try request.header.op == .authentication else { return [] }
      let key = try Base64URL.decode(text("uauthPublicKeyB64u"), maximumCount: 1024)
      let keyID = try Base64URL.decode(text("keyID"), maximumCount: 2048)
      return [
        StoredKey(
          aaid: try AAID(text("aaid")), keyID: try KeyID(bytes: keyID),
          publicKey: key.count == 65 ? key : try P256.publicKey(subjectPublicKeyInfo: key),
          signatureAlgorithm: UInt16(try number("sigAlg")), signCounter: UInt32(try number("storedSignCounter")),
          isRevoked: false)
      ]
    }
  }

  /// The server's view of this vector, read once for many answers.
  struct Server {
    let verifier: Verifier
    let issued: IssuedRequest
    let keys: [StoredKey]

    /// Whether the server accepts an answer to the vector's request.
    func accepts(_ response: UAFResponse) -> Bool {
      switch response {
      case .registration(let response):
        if case .accepted = verifier.verify(response, issued: issued, isRegistered: { _, _ in false }) { return true }
      case .authentication(let response):
        if case .accepted = verifier.verify(response, issued: issued, keys: keys) { return true }
      }
      return false
    }
  }

  var server: Server { get throws { try Server(verifier: verifier, issued: issued, keys: keys) } }

  /// The vector's response with another assertion in its place.
  static func replacing(_ assertion: [UInt8], in response: UAFResponse) -> UAFResponse {
    switch response {
    case .registration(let response):
      .registration(
        RegistrationResponse(
          header: response.header, fcParams: response.fcParams,
          assertions: [AuthenticatorRegistrationAssertion(assertion: assertion)]))
    case .authentication(let response):
      .authentication(
        AuthenticationResponse(
          header: response.header, fcParams: response.fcParams,
          assertions: [AuthenticatorSignAssertion(assertion: assertion)]))
    }
  }

  var assertion: [UInt8] {
    get throws {
      switch try response {
      case .registration(let response): try #require(response.assertions.first).assertion
      case .authentication(let response): try #require(response.assertions.first).assertion
      }
    }
  }
}
