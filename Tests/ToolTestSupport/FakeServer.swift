import UAFCrypto
import UAFMessages
import UAFWire

@testable import Doctor

/// A UAF server as uaf-fetch sees it, in good order; each test breaks what it is about.
package struct FakeServer {
  package static let origin = "https://fido.example.com:443"
  private static let base = "https://fido.example.com"

  /// The time of the certificate and of the clock: that of ``MachineFacts/ofATest``.
  package static let now: Int64 = 1_800_000_000
  /// Valid for 100 days more, DER.
  package static let certificate = makeCertificate(until: now + 100 * 86_400)
  /// The CA of such a certificate, PEM.
  package static let authority = makeAuthority()
  /// The verdict key, PEM.
  package static let verdictKey = makeKey()

  /// The answer of every address; nil: what a UAF server answers.
  package var response: FetchResponse?
  /// The answer of one address, by its path.
  package var answers: [String: FetchAnswer] = [:]
  /// Who may use its AppID.
  package var facets = ["linux:pam-module:pam_uaf"]
  package var certificate = FakeServer.certificate
  package var date: UInt32? = UInt32(FakeServer.now)
  package var publishedKey: [UInt8]? = FakeServer.verdictKey
  /// What the sandbox of uaf-fetch lacks.
  package var missing: String?

  package init() {}

  package func answer(_ request: FetchRequest) -> FetchAnswer? {
    if let response { return FetchAnswer(response: response) }
    if let outcome = absence(request) {
      return FetchAnswer(response: FetchResponse(outcome, handshakeCompleted: false))
    }
    let path =
      "/" + request.url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3).joined(separator: "/")
    var answer = answers[path] ?? usual(path, request)
    answer.response.certificate = answer.response.certificate ?? certificate
    if answer.response.outcome == .answered { answer.response.date = date }
    answer.response.missing = missing
    return answer
  }

  /// The destination of requests that do not arrive here.
  private func absence(_ request: FetchRequest) -> FetchOutcome? {
    if let proxy = request.proxy, proxy != "http://proxy:8080" { return .refused }
    if request.url.hasPrefix("https://127.0.0.1:8443/") || request.url.contains("[2001:db8::1]:8443") { return nil }
    guard request.url.hasPrefix(Self.base) else { return .nameNotResolved }
    let rest = request.url.dropFirst(Self.base.utf8.count)
    return rest.hasPrefix("/") || rest.hasPrefix(":443/") ? nil : .refused
  }

  private func usual(_ path: String, _ request: FetchRequest) -> FetchAnswer {
    let types = [nil, "application/fido+uaf; charset=utf-8", "application/json"]
    guard types.contains(request.contentType) else { return Self.text("", type: "text/plain", status: 415) }
    switch (request.method, path) {
    case (.post, "/uaf/get"):
      guard let asked = try? GetUAFRequest(parsing: request.body ?? []), asked.op == .authentication else {
        return Self.json(#"{"statusCode":1400}"#)
      }
      return Self.json(String(decoding: issued.jsonBytes, as: UTF8.self))
    case (.post, "/uaf/respond"): return Self.json(#"{"statusCode":1400}"#)
    case (.get, "/uaf/facets"):
      let entries = UPV.supported.map { TrustedFacetList.TrustedFacets(version: $0, ids: facets) }
      let list = String(decoding: TrustedFacetList(trustedFacets: entries).jsonBytes, as: UTF8.self)
      return Self.text(list, type: TrustedFacetList.contentType)
    case (.get, "/uaf/verdict-key"):
      guard let publishedKey else { return Self.text("", type: "text/plain", status: 404) }
      return Self.text(String(decoding: publishedKey, as: UTF8.self), type: "application/x-pem-file")
    default: return Self.text("no such page", type: "text/html", status: 404)
    }
  }

  /// A login's request, for keys that nobody has.
  private var issued: ReturnUAFRequest {
    let messages = UPV.supported.compactMap { version -> UAFRequest? in
      guard let challenge = try? ServerChallenge(bytes: [UInt8](repeating: 7, count: 32)),
        let aaid = try? AAID("5541#0001"), let keyID = try? KeyID(bytes: [UInt8](repeating: 8, count: 32))
      else { return nil }
      return .authentication(
        AuthenticationRequest(
          header: OperationHeader(upv: version, op: .authentication, appID: Self.base + "/uaf/facets", serverData: "d"),
          challenge: challenge, transaction: [],
          policy: Policy(accepted: [[MatchCriteria(aaid: aaid, keyIDs: [keyID])]])))
    }
    return ReturnUAFRequest(statusCode: .ok, uafRequest: UAFRequest.text(of: messages), op: .authentication)
  }

  package static func json(_ text: String, status: UInt16 = 200) -> FetchAnswer {
    Self.text(text, type: "application/json", status: status)
  }

  package static func text(_ text: String, type: String, status: UInt16 = 200) -> FetchAnswer {
    let body = Array(text.utf8)
    var response = FetchResponse(
      .answered, handshakeCompleted: true, status: status, bodyLength: UInt32(body.count))
    response.contentType = type
    return FetchAnswer(response: response, body: body)
  }

  package static func makeCertificate(
    until end: Int64, from start: Int64 = 1_700_000_000, name: String = "fido.example.com"
  ) -> [UInt8] {
    guard
      let made = try? DevelopmentCertificate.make(
        commonName: "test", dnsNames: [name], ipAddresses: [], notBefore: start, notAfter: end)
    else { return [] }
    return (try? X509.certificates(pem: made.certificatePEM))?.first ?? []
  }

  private static func makeAuthority() -> [UInt8] {
    guard
      let made = try? DevelopmentCertificate.make(
        commonName: "test", dnsNames: ["fido.example.com"], ipAddresses: [], notBefore: 1_700_000_000,
        notAfter: now + 86_400)
    else { return [] }
    return made.authorityPEM
  }

  package static func makeKey() -> [UInt8] {
    guard let pair = try? P256.generate() else { return [] }
    guard let info = try? P256.subjectPublicKeyInfo(publicKey: pair.publicKey) else { return [] }
    let text = Base64.encode(info)
    return Array("-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n".utf8)
  }
}
