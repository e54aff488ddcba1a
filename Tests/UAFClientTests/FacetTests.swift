import FidoResults
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// The twelve steps of FIDO AppID and facets 1.1, section 3.1.2, which decide whether an AppID trusts this client.
@Suite struct FacetTests {
  private static let list = "application/fido.trusted-apps+json"

  private func settings(
    facetID: String = Scene.facetID, appIDs: [String] = [], requestURL: String = Scene.get
  ) -> ClientSettings {
    var settings = ClientSettings(
      endpoint: ServerEndpoint(requestURL: requestURL, responseURL: Scene.respond), facetID: facetID)
    settings.appIDs = appIDs
    return settings
  }

  /// The AppID that the client uses if the server's request names this one.
  private func appID(
    _ appID: String?, _ settings: ClientSettings, _ facets: ScriptedTransport.Exchange...
  ) throws -> String {
    let request = ReturnUAFRequest(
      statusCode: .ok, uafRequest: UAFRequest.text(of: [Scene.deregistration([.everything], appID: appID)]))
    let url = settings.deregistration.requestURL
    var transport = ScriptedTransport([.answering(url, Scene.uaf(request.json))] + facets)
    var flow = DeregistrationFlow(settings: settings, username: "alice", scope: .all, keyIDs: [])
    try flow.start(over: &transport)
    defer { #expect(transport.isUsedUp) }
    return try flow.collect(over: &transport).appID
  }

  private func facets(at url: String, _ ids: [String] = [Scene.facetID]) -> ScriptedTransport.Exchange {
    let list = TrustedFacetList(trustedFacets: [.init(version: .uaf11, ids: ids)])
    return .answering(url, Scene.raw(list.jsonBytes, contentType: Self.list))
  }

  private func redirect(_ from: String, to url: String?, authorized: Bool = true) -> ScriptedTransport.Exchange {
    .answering(
      from,
      TransportResponse(
        status: 302, contentType: "", body: [], redirect: url.map { Redirect(url: $0, isAuthorized: authorized) }))
  }

  @Test
  func `refuses a facet list without an entry for the request's version, and names the versions that it has`() throws {
    for version in [UPV.uaf10, UPV(major: 2, minor: 0)] {
      let list = Scene.facets(version: version)
      let no = refusal(.untrustedFacet, byServer: true) { _ = try appID(Scene.appID, settings(), list) }
      #expect(no?.detail == "the list of facets has no entry for version 1.1 of UAF (it has \(version)); add one")
    }
    let others = Scene.facets(["linux:other"])
    let no = refusal(.untrustedFacet, byServer: true) { _ = try appID(Scene.appID, settings(), others) }
    #expect(no?.detail == "the list of facets does not name this client's FacetID")
  }

  // MARK: Steps 1 to 3: no list is needed

  @Test(arguments: [nil, "", Scene.facetID])
  func `if the request names no AppID, the client's FacetID is used as the AppID`(_ text: String?) throws {
    #expect(try appID(text, settings()) == Scene.facetID)
  }

  @Test func `an AppID on the host of the client's https FacetID is accepted without a facet list`() throws {
    let settings = settings(facetID: "https://fido.example")
    #expect(try appID(Scene.appID, settings) == Scene.appID)
  }

  // MARK: Step 4: which AppIDs are requested

  @Test(arguments: [Scene.appID, "https://FIDO.example:8443/f?x", "https://fido.example:8443/"])
  func `the facet list is requested if the AppID has the server's own host and port`(_ text: String) throws {
    #expect(try appID(text, settings(), facets(at: text)) == text)
  }

  @Test func `the AppID may have the host and port of either server address, and a missing port is 443`() throws {
    let own = "https://get.example/f"
    #expect(try appID(own, settings(requestURL: "https://get.example:443/get"), facets(at: own)) == own)
    #expect(
      try appID(Scene.appID, settings(requestURL: "https://get.example/get"), facets(at: Scene.appID)) == Scene.appID)
  }

  @Test(arguments: [
    "https://sub.fido.example:8443/f", "https://fido.example/f", "https://fido.example:22/f", "https://fido.example:1/",
    "https://a.b.fido.example/", "https://fido.example:84430/",
  ])
  func `refuses an AppID on a different host or port of the server's domain, and requests no list`(_ text: String)
    throws
  {
    let no = refusal(.untrustedFacet, byServer: true) { _ = try appID(text, settings()) }
    #expect(no != nil)
  }

  @Test func `accepts an AppID on a different host of the domain if root has named exactly that AppID`() throws {
    let text = "https://id.fido.example/facets"
    #expect(try appID(text, settings(appIDs: [text]), facets(at: text)) == text)
    for other in ["https://id.fido.example:22/facets", "https://id.fido.example/"] {
      _ = refusal(.untrustedFacet, byServer: true) { _ = try appID(other, settings(appIDs: [text])) }
    }
  }

  @Test func `the server addresses of one operation do not make an AppID acceptable for another operation`() throws {
    var settings = settings()
    let url = "https://enrol.example/get"
    settings.registration = ServerEndpoint(requestURL: url, responseURL: url)
    _ = refusal(.untrustedFacet, byServer: true) { _ = try appID("https://enrol.example/f", settings) }
  }

  @Test func `accepts an AppID on a foreign host if root has named exactly that AppID`() throws {
    let text = "https://other.example/facets"
    #expect(try appID(text, settings(appIDs: [text]), facets(at: text)) == text)
    _ = refusal(.untrustedFacet, byServer: true) { _ = try appID(text + "2", settings(appIDs: [text])) }
  }

  @Test(arguments: [
    "https://evil.example/uaf/facets", "https://fido.example.evil.example/", "https://fido.example@evil.example/",
    "https://evil.example\\@fido.example/", "http://fido.example:8443/uaf/facets", "linux:pam-module:other", "x",
    "https://", "https://example/", "https://10.0.0.1/", "https://localhost/", "https://[::1]/",
    "android:apk-key-hash:AAAA",
  ]) func `refuses an AppID on a foreign host, and requests no list`(_ text: String) throws {
    _ = refusal(.untrustedFacet, byServer: true) { _ = try appID(text, settings()) }
  }

  @Test(arguments: [
    ("https://10.0.0.1/get", "https://10.0.0.2/f"), ("https://intranet/get", "https://printer/f"),
    ("https://[::1]/get", "https://[::2]/f"), ("https://a.co.uk/get", "https://b.co.uk/f"),
    ("https://a.github.io/get", "https://b.github.io/f"), ("https://co.uk/get", "https://a.co.uk/f"),
  ]) func `a host without a registrable domain accepts AppIDs of no other host`(_ get: String, _ text: String) throws {
    _ = refusal(.untrustedFacet, byServer: true) { _ = try appID(text, settings(requestURL: get)) }
    let own = "\(get)/facets"
    #expect(try appID(own, settings(requestURL: get), facets(at: own)) == own)
  }

  // MARK: Steps 5 to 8: the answer

  @Test(arguments: [
    Scene.facets(contentType: "application/json"), Scene.facets(contentType: ""), Scene.facets(status: 404),
    Scene.facets(status: 201), Scene.facets(status: 302),
    .answering(Scene.appID, Scene.raw([], contentType: "application/fido.trusted-apps+json")),
    .answering(Scene.appID, Scene.raw(Array("{}".utf8), contentType: "application/fido.trusted-apps+json")),
  ]) func `refuses an answer that is not a facet list`(_ list: ScriptedTransport.Exchange) throws {
    let no = refusal(.untrustedFacet, byServer: true) { _ = try appID(Scene.appID, settings(), list) }
    #expect((no?.cause == .facetsNotRead) == (no?.detail.contains("redirects") == false))
  }

  @Test func `a facet list with a wrong media type is refused with its type and the right one`() throws {
    let no = refusal(.untrustedFacet, byServer: true) {
      _ = try appID(Scene.appID, settings(), Scene.facets(contentType: "text/html; charset=utf-8"))
    }
    #expect(no?.detail.contains("'text/html'") == true)
    #expect(no?.detail.hasSuffix("application/fido.trusted-apps+json") == true)
  }

  @Test(arguments: Scene.failures)
  func `if the facet list cannot be fetched, the client refuses, and the server does not count as unreachable`(
    _ failure: TransportFailure, _: FidoResult
  ) throws {
    // If the client's own network program has died, nothing is known about the server.
    let result: FidoResult = failure == .unavailable ? .clientMismatch : .untrustedFacet
    let no = refusal(result, byServer: false) {
      _ = try appID(Scene.appID, settings(), .failing(Scene.appID, failure))
    }
    #expect(no?.handshakeCompleted == true && no?.networkFailure == nil)
    #expect((no?.cause == .facetsNotRead) == (failure != .unavailable))
  }

  @Test func `fetches the facet list again for each request, even if the server lets it be cached`() throws {
    for _ in 0..<2 { #expect(try appID(Scene.appID, settings(), facets(at: Scene.appID)) == Scene.appID) }
  }

  @Test func `the request for the facet list contains nothing about the person or the machine`() throws {
    let question = TransportRequest.get(Scene.appID, accept: TrustedFacetList.contentType)
    #expect(question.method == .get && question.body.isEmpty && question.contentType == nil)
  }

  // MARK: Redirects

  @Test func `follows a redirect of the facet list that the server vouches for, and keeps the AppID`() throws {
    let second = "https://fido.example:8443/list"
    #expect(
      try appID(Scene.appID, settings(), redirect(Scene.appID, to: second), facets(at: second)) == Scene.appID)
  }

  @Test(arguments: [
    ("https://fido.example:8443/list", false), ("https://cdn.fido.example:8443/list", true),
    ("https://fido.example:22/", true), ("https://fido.example/", true), (nil, true), ("https://evil.example/", true),
    ("https://10.0.0.1/", true),
    ("http://fido.example:8443/", true), ("https://localhost/", true), ("file:///etc/passwd", true), ("", true),
  ]) func `refuses a redirect of the facet list that the server does not vouch for, or that leads to a foreign host`(
    _ url: String?, _ authorized: Bool
  ) throws {
    _ = refusal(.untrustedFacet, byServer: true) {
      _ = try appID(Scene.appID, settings(), redirect(Scene.appID, to: url, authorized: authorized))
    }
  }

  @Test func `follows only a limited number of redirects of the facet list`() throws {
    let back = redirect(Scene.appID, to: Scene.appID)
    _ = refusal(.untrustedFacet, byServer: true) {
      _ = try appID(Scene.appID, settings(), back, back, back, back)
    }
  }

  @Test func `after a redirect the domain of the AppID still decides which web origins are valid`() throws {
    let (second, own) = (
      "https://list.example/f", settings(facetID: "https://app.list.example", appIDs: ["https://list.example/f"])
    )
    _ = refusal(.untrustedFacet, byServer: true) {
      _ = try appID(
        Scene.appID, own, redirect(Scene.appID, to: second), facets(at: second, ["https://app.list.example"]))
    }
  }

  // MARK: Steps 9 to 12: the content of the list

  @Test(arguments: [
    Scene.facets(["linux:pam-module:other"]), Scene.facets([Scene.facetID + "2"]), Scene.facets(version: .uaf10),
  ]) func `refuses a facet list that does not name this client for the request's version`(
    _ list: ScriptedTransport.Exchange
  ) throws {
    _ = refusal(.untrustedFacet, byServer: true) { _ = try appID(Scene.appID, settings(), list) }
  }

  @Test(arguments: [
    ("https://pc.fido.example", "https://pc.fido.example", true),
    ("https://pc.fido.example", "https://PC.fido.example:444/x?y#z", true),
    ("https://pc.fido.example:1", "https://pc.fido.example/", true),
    ("https://pc.fido.example", "https://fido.example", false),
    ("https://pc.fido.example", "http://pc.fido.example", false),
    ("https://pc.fido.example", "https://*.fido.example", false),
    ("https://pc.evil.example", "https://pc.evil.example", false),
    ("http://pc.fido.example", "http://pc.fido.example", false), ("linux:a", "linux:a", true),
    ("linux:a", "linux:A", false),
  ]) func `compares web origins in a facet list by host within the AppID's domain, and other FacetIDs byte by byte`(
    _ facetID: String, _ id: String, _ isTrusted: Bool
  ) throws {
    let settings = settings(facetID: facetID)
    let list = facets(at: Scene.appID, ["x", id])
    if isTrusted {
      #expect(try appID(Scene.appID, settings, list) == Scene.appID)
    } else {
      _ = refusal(.untrustedFacet, byServer: true) { _ = try appID(Scene.appID, settings, list) }
    }
  }

  @Test func `ignores a version that a facet list contains twice`() throws {
    let list = TrustedFacetList(trustedFacets: [
      .init(version: .uaf11, ids: ["x"]), .init(version: .uaf11, ids: [Scene.facetID]),
    ])
    let answer = Scene.raw(list.jsonBytes, contentType: Self.list)
    _ = refusal(.untrustedFacet, byServer: true) {
      _ = try appID(Scene.appID, settings(), .answering(Scene.appID, answer))
    }
  }

  @Test func `the channel binding does not use the certificate of the host that serves the facet list`() throws {
    let other = TransportResponse(
      status: 200, contentType: Self.list,
      body: TrustedFacetList(trustedFacets: [.init(version: .uaf11, ids: [Scene.facetID])]).jsonBytes,
      serverCertificate: TestCertificate.sha384)
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), .answering(Scene.appID, other), Scene.verdict(1200))
    var flow = AuthenticationFlow(settings: Scene.settings, username: "alice")
    try flow.start(over: &transport)
    _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    _ = try flow.send(over: &transport)
    let sent = try SendUAFResponse(parsing: transport.requests[2].body)
    let parameters = try FinalChallengeParams(encoded: UAFResponse(parsing: sent.uafResponse).fcParams)
    #expect(parameters.channelBinding.tlsServerCertificate == Base64URL.encode(Scene.certificate))
  }
}
