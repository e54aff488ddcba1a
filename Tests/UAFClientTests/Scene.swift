import FidoResults
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// The server's side of the exchanges in these tests.
enum Scene {
  static let get = "https://fido.example:8443/uaf/get"
  static let respond = "https://fido.example:8443/uaf/respond"
  static let appID = "https://fido.example:8443/uaf/facets"
  static let facetID = "linux:pam-module:pam_uaf"
  static let certificate = TestCertificate.sha256

  static let settings = ClientSettings(
    endpoint: ServerEndpoint(requestURL: get, responseURL: respond), facetID: facetID,
    device: DeviceContext(id: "d1", name: "host", model: "m", operatingSystem: "Debian 12"))

  static func aaid() throws -> AAID { try AAID("EBA0#0001") }
  static func keyID(_ byte: UInt8 = 7) throws -> KeyID { try KeyID(bytes: [UInt8](repeating: byte, count: 32)) }
  static func challenge() throws -> ServerChallenge { try ServerChallenge(bytes: [UInt8](repeating: 3, count: 32)) }

  static func header(_ op: UAFOperation, upv: UPV = .uaf11, appID: String? = appID) -> OperationHeader {
    OperationHeader(
      upv: upv, op: op, appID: appID, serverData: "data",
      exts: [Extension(id: "com.example.ignored", data: "x", failIfUnknown: false)])
  }

  /// A description of the passcode authenticator with keys for an AppID; by default one key.
  static func authenticator(keys: [KeyID]? = nil, appID: String = appID) throws -> AuthenticatorDescription {
    AuthenticatorDescription(
      aaid: try aaid(), userVerification: UserVerification.passcode,
      registrations: [.init(appID: appID, keyIDs: try keys ?? [keyID()])])
  }

  // MARK: Requests

  static func authentication(
    upv: UPV = .uaf11, appID: String? = appID, policy: Policy? = nil, transaction: [Transaction] = []
  ) throws -> UAFRequest {
    let policy = try policy ?? Policy(accepted: [[MatchCriteria(aaid: aaid(), keyIDs: [keyID()])]])
    return .authentication(
      AuthenticationRequest(
        header: header(.authentication, upv: upv, appID: appID), challenge: try challenge(), transaction: transaction,
        policy: policy))
  }

  static func registration(username: String = "alice", policy: Policy? = nil) throws -> UAFRequest {
    let policy = try policy ?? Policy(accepted: [[MatchCriteria(aaid: aaid())]])
    return .registration(
      RegistrationRequest(
        header: header(.registration), challenge: try challenge(), username: username, policy: policy))
  }

  static func deregistration(
    _ authenticators: [DeregisterAuthenticator], upv: UPV = .uaf11, appID: String? = appID
  ) -> UAFRequest {
    .deregistration(
      DeregistrationRequest(header: header(.deregistration, upv: upv, appID: appID), authenticators: authenticators))
  }

  // MARK: Answers

  static func uaf(_ json: JSONValue, status: Int = 200) -> TransportResponse {
    raw(json.bytes, status: status)
  }

  static func raw(
    _ body: [UInt8], status: Int = 200, contentType: String = "application/fido+uaf; charset=utf-8"
  ) -> TransportResponse {
    TransportResponse(status: status, contentType: contentType, body: body, serverCertificate: certificate)
  }

  static func returning(_ request: UAFRequest, op: UAFOperation? = nil) -> ScriptedTransport.Exchange {
    .answering(
      get,
      uaf(
        ReturnUAFRequest(
          statusCode: .ok, uafRequest: UAFRequest.text(of: [request]), op: op ?? request.header.op,
          lifetimeMilliseconds: 60_000
        ).json))
  }

  static func returning(status: UInt32) -> ScriptedTransport.Exchange {
    .answering(get, uaf(ReturnUAFRequest(statusCode: UAFStatusCode(rawValue: status)).json))
  }

  static func verdict(_ status: UInt32, _ description: String? = nil) -> ScriptedTransport.Exchange {
    .answering(
      respond, uaf(ServerResponse(statusCode: UAFStatusCode(rawValue: status), description: description).json))
  }

  static func facets(
    _ ids: [String] = [facetID], version: UPV = .uaf11, contentType: String = "application/fido.trusted-apps+json",
    status: Int = 200
  ) -> ScriptedTransport.Exchange {
    let list = TrustedFacetList(trustedFacets: [.init(version: version, ids: ids)])
    return .answering(appID, raw(list.jsonBytes, status: status, contentType: contentType))
  }

  /// Status codes of a UAF server, with the results that they give in all operations except deregistration.
  static let statuses: [(UInt32, FidoResult)] = [
    (1202, .forbidden), (1400, .invalidParameter), (1401, .serverNoRegistration), (1403, .forbidden),
    (1404, .serverNoRegistration), (1408, .noAnswer), (1480, .serverNoRegistration), (1481, .serverNoRegistration),
    (1490, .channelBinding), (1491, .requestNotExist), (1492, .noSuitableAuthenticator), (1493, .unknown),
    (1494, .unknown), (1495, .unknown), (1496, .unknown), (1497, .cannotUse), (1498, .invalidParameter),
    (1500, .forbidden), (0, .unknown), (10, .unknown), (200, .unknown), (1199, .unknown), (1201, .unknown),
    (13_006, .serverNoRegistration), (20_001, FidoResult(code: 20_001)), (4_294_967_295, FidoResult(code: .max)),
  ]

  /// Answers that are not valid messages, with the results that they give.
  static let unusable: [(TransportResponse, FidoResult)] = [
    (raw([]), .jsonParser), (raw(Array("<html>".utf8)), .jsonParser),
    (raw([0xEF, 0xBB, 0xBF] + Array("{}".utf8)), .jsonParser),
    (raw(Array("{}".utf8)), .invalidParameter), (raw(Array("[]".utf8)), .invalidParameter),
    (raw(Array(#"{"statusCode":"1200"}"#.utf8)), .invalidParameter),
    (raw(Array(#"{"statusCode":null}"#.utf8)), .invalidParameter),
    (raw(Array(#"{"statusCode":1200}{}"#.utf8)), .jsonParser),
    (raw(Array(#"{"statusCode":1200,"statusCode":1200}"#.utf8)), .jsonParser),
    (raw(Array(#"{"statusCode":1200}"#.utf8), contentType: "text/html"), .jsonParser),
    (raw(Array(#"{"statusCode":1200}"#.utf8), contentType: ""), .jsonParser),
    (raw(Array(#"{"statusCode":1200}"#.utf8), status: 500), .forbidden),
    (raw(Array(#"{"statusCode":1200}"#.utf8), status: 201), .jsonParser),
    (raw(Array("busy".utf8), status: 503, contentType: "text/plain"), .forbidden),
    (raw(Array("no".utf8), status: 429), .forbidden), (raw([], status: 302), .jsonParser),
    (raw(Array("no".utf8), status: 404), .jsonParser), (raw(Array("no".utf8), status: 403), .jsonParser),
    (raw(Array("<html>".utf8), status: 407, contentType: "text/html"), .jsonParser),
    (raw(Array(#"{"statusCode":1401}"#.utf8), status: 401), .serverNoRegistration),
  ]

  static let failures: [(TransportFailure, FidoResult)] =
    NetworkFailure.allCases.flatMap { [(.noHandshake($0), .noAnswer), (.afterHandshake($0), .noAnswer)] } + [
      (.withoutHandshake(.tls), .noAnswer), (.ownMeans, .noAnswer),
      (.certificateRefused, .channelBinding), (.answerTooLarge, .jsonParser),
      (.requestNotAcceptable, .invalidParameter),
      (.unavailable, .clientMismatch),
    ]
}

/// Expects a step to be refused, and returns the refusal.
func refusal(
  _ result: FidoResult, byServer: Bool, sourceLocation: SourceLocation = #_sourceLocation,
  _ step: () throws -> Void
) -> Refusal? {
  do {
    try step()
    Issue.record("the step was not refused", sourceLocation: sourceLocation)
    return nil
  } catch let refusal as Refusal {
    #expect(refusal.result == result, sourceLocation: sourceLocation)
    #expect(refusal.spokenByServer == byServer, "\(refusal)", sourceLocation: sourceLocation)
    return refusal
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
    return nil
  }
}

/// An authenticator with one real key pair.
struct TestAuthenticator: AssertionSigner, KeyMaker, ~Copyable {
  let aaid: AAID
  let authenticatorVersion: UInt16 = 1
  let keyID: KeyID
  let signCounter: UInt32 = 5
  var nonce = [UInt8](repeating: 9, count: 16)
  var failure: SigningFailure?
  private let pair: P256.KeyPair
  private(set) var signatures = 0

  init(aaid: AAID? = nil, keyID: KeyID? = nil) throws {
    let (model, key) = (try aaid ?? Scene.aaid(), try keyID ?? Scene.keyID())
    pair = try P256.generate()
    self.aaid = model
    self.keyID = key
  }

  var publicKey: [UInt8] { pair.publicKey }

  mutating func makeKey(appID: String) throws(SigningFailure) -> NewKey {
    NewKey(keyID: keyID, publicKey: pair.publicKey, signCounter: 0, regCounter: 1)
  }

  mutating func sign(_ data: [UInt8]) throws(SigningFailure) -> [UInt8] {
    signatures += 1
    if let failure { throw failure }
    do {
      return try P256.sign(data, privateKey: pair.privateKey)
    } catch {
      throw SigningFailure(.cannotUse, detail: error.description)
    }
  }
}

/// The acceptance in a verdict; the test fails if the server demands a further request.
func accepted(_ verdict: Verdict, sourceLocation: SourceLocation = #_sourceLocation) throws -> Acceptance {
  guard case .accepted(let acceptance) = verdict else {
    Issue.record("the server demands more", sourceLocation: sourceLocation)
    return Acceptance(
      tokens: [], username: "", expected: ExpectedVerdict(.authentication, for: nil, keyIDs: []), challenge: "")
  }
  return acceptance
}
