import Foundation
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFService

/// A request and its response from Tests/Vectors/uaf, made by independent software, with what a server would know about them.
struct Vector: Sendable, CustomTestStringConvertible {
  let name: String
  let isValid: Bool
  private let json: JSONObject

  var testDescription: String { name }

  static let all: [Vector] = {
    guard case .array(let entries)? = try? JSONValue(parsing: bytes(of: "index")) else { return [] }
    return entries.compactMap { entry in
      guard case .object(let object) = entry, case .string(let name)? = object["name"] else { return nil }
      return try? Vector(name)
    }
  }()

  static let accepted = all.filter(\.isValid)

  /// A request and its response for each algorithm and key encoding, from Tests/Vectors/algorithms.
  static let algorithms: [Vector] = {
    guard case .array(let entries)? = try? JSONValue(parsing: bytes(of: "../algorithms/algorithms")) else { return [] }
    return entries.compactMap { try? Vector(json: $0) }
  }()

  init(_ name: String) throws {
    try self.init(json: try JSONValue(parsing: Self.bytes(of: name)))
  }

  private init(json: JSONValue) throws {
    guard case .object(let object) = json, case .bool(let isValid)? = object["valid"],
      case .string(let name)? = object["name"]
    else { throw CocoaError(.coderReadCorrupt) }
    self.name = name
    self.isValid = isValid
    self.json = object
  }

  private static func bytes(of name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: Checkout.file("Tests/Vectors/uaf/\(name).json")))
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

  /// The root certificates in the model's metadata statement, if it has any.
  var roots: [[UInt8]] {
    get throws {
      guard case .array(let roots)? = json["attestationRootCertificates"] else { return [] }
      return try roots.map { root in
        guard case .string(let text) = root else { throw CocoaError(.coderReadCorrupt) }
        return try Base64.decode(text, maximumCount: 4096)
      }
    }
  }

  /// 2027-01-15, a time at which the vectors' certificates are valid.
  static let now: Int64 = 1_800_000_000

  /// A verifier that knows the vector's model and trusts its application.
  var verifier: Verifier {
    get throws {
      let method = VerificationMethodDescriptor(userVerification: UserVerification.passcode)
      var statement = MetadataStatement(
        aaid: try AAID(text("aaid")), description: name, userVerificationDetails: [[method]])
      statement.authenticationAlgorithm = UInt16(try number("sigAlg"))
      statement.publicKeyAlgAndEncoding = UInt16(try number("keyAlg"))
      statement.attestationRootCertificates = try roots
      if try !roots.isEmpty { statement.attestationTypes = [15879] }
      let identity = try ServerIdentity(
        publicURL: "https://a.test", facets: ["https://example.test"], certificates: [])
      return Verifier(identity: identity, models: try AuthenticatorModels([statement]), now: Self.now)
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
        transaction: transaction, device: Device(), expiresAt: .max)
    }
  }

  /// The key that the account has registered, if the message is an authentication.
  var keys: [StoredKey] {
    get throws {
      guard try request.header.op == .authentication else { return [] }
      let keyID = try Base64URL.decode(text("keyID"), maximumCount: 2048)
      return [
        StoredKey(
          aaid: try AAID(text("aaid")), keyID: try KeyID(bytes: keyID),
          publicKey: try storedKey.encoded, signatureAlgorithm: UInt16(try number("sigAlg")),
          signCounter: UInt32(try number("storedSignCounter")),
          isRevoked: false)
      ]
    }
  }

  private var storedKey: VerificationKey {
    get throws {
      try VerificationKey(
        Base64URL.decode(text("uauthPublicKeyB64u"), maximumCount: 1024),
        encoding: #require(PublicKeyEncoding(rawValue: UInt16(try number("keyAlg")))),
        scheme: #require(SignatureScheme(rawValue: UInt16(try number("sigAlg")))))
    }
  }

  /// The server that knows this vector, made once for many responses.
  struct Server {
    let verifier: Verifier
    let issued: IssuedRequest
    let keys: [StoredKey]

    /// Whether the server accepts a response to the vector's request.
    func accepts(_ response: UAFResponse) -> Bool { refusal(response) == nil }

    /// Why the server refuses a response; nil if it accepts it.
    func refusal(_ response: UAFResponse) -> ServiceRefusal? {
      do throws(ServiceRefusal) {
        switch response {
        case .registration(let response):
          _ = try verifier.verify(response, issued: issued, isRegistered: { _, _ in false })
        case .authentication(let response):
          _ = try verifier.verify(response, issued: issued, keys: keys)
        }
        return nil
      } catch {
        return error
      }
    }
  }

  var server: Server { get throws { try Server(verifier: verifier, issued: issued, keys: keys) } }

  /// The vector's response with its assertion replaced.
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
