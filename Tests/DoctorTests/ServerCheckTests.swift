import FidoResults
import Foundation
import Testing
import UAFCrypto
import ToolTestSupport
import UAFWire

@testable import Doctor

@Suite struct ServerCheckTests {
  private static let plain = """
    [server]
    request_url = "https://fido.example.com/auth/{user}"
    response_url = "https://fido.example.com/auth"
    dialect = "plain"
    [server.registration]
    request_url = "https://fido.example.com/reg/{user}"
    response_url = "https://fido.example.com/reg"
    [server.deregistration]
    request_url = "https://fido.example.com/dereg"

    """

  /// The requests: method, address without its host, and body.
  private func asked(_ machine: Machine) -> [String] {
    _ = machine.doctor()
    return machine.requests.map { request in
      let path = request.url.replacing("https://fido.example.com", with: "")
      return "\(request.method) \(path) \(String(decoding: request.body ?? [], as: UTF8.self))"
    }
  }

  // MARK: Requests

  @Test
  func `doctor begins a login at the server for a name that nobody has, reads the facet list, and sends no response`() {
    #expect(
      asked(Machine()) == [
        #"post /uaf/get {"op":"Auth","context":"{\"username\":\"uafctl-doctor.invalid\"}"}"#, "get /uaf/facets ",
        "post /uaf/respond {}",
      ])
  }

  @Test
  func `doctor contacts each address that is configured for a single operation, and never requests a registration`() {
    let machine = Machine(
      configuration: Machine.configuration + """
        [server.registration]
        request_url = "https://fido.example.com/r/get"
        response_url = "https://fido.example.com/r/respond"
        [server.deregistration]
        request_url = "https://[2001:db8::1]:8443/d/{user}"

        """)
    #expect(
      asked(machine).dropFirst(2) == [
        "post /r/get {}", "post https://[2001:db8::1]:8443/d/uafctl-doctor.invalid {}", "post /uaf/respond {}",
        "post /r/respond {}",
      ])
  }

  @Test func `doctor says that a server has no address for deregistrations, and says nothing if it has one`() {
    let own = "request_url = \"https://fido.example.com/reg/{user}\"\nresponse_url = \"https://fido.example.com/reg\"\n"
    let text = "[server]\ndialect = \"plain\"\n[server.registration]\n\(own)[server.authentication]\n\(own)"
    let told = "server: no address for deregistrations, so 'uafctl deregister' removes keys from this machine alone"
    #expect(Machine(configuration: text).doctor().output.contains(told))
    #expect(!Machine(configuration: Self.plain).doctor().output.contains(told))
  }

  @Test
  func `doctor sends a plain server only the made-up user name, and a request to deregister only if it has the name`() {
    #expect(
      asked(Machine(configuration: Self.plain)) == [
        "get /auth/uafctl-doctor.invalid ", "get /reg/uafctl-doctor.invalid ", "post /auth []", "post /reg []",
      ])
    let named = Machine(configuration: Self.plain + "[server.context]\nusername = \"who\"\n")
    #expect(asked(named).contains("get /dereg?who=uafctl-doctor.invalid "))
  }

  @Test func `doctor builds its made-up user name as the configuration builds user names`() {
    let machine = Machine(configuration: Machine.configuration + "username = \"{user}@corp\"\n")
    #expect(asked(machine).first?.contains("uafctl-doctor.invalid@corp") == true)
  }

  @Test func `doctor contacts the server as the core would, and waits at most 10 s for each address`() {
    let machine = Machine(configuration: Machine.configuration + "timeout = 3\nproxy = \"http://proxy:8080\"\n")
    _ = machine.doctor()
    #expect(machine.requests.allSatisfy { $0.proxy == "http://proxy:8080" && $0.timeoutMilliseconds == 3000 })
    #expect(machine.requests.first?.contentType == "application/fido+uaf; charset=utf-8")
    let patient = Machine(configuration: Machine.configuration + "timeout = 30\n")
    _ = patient.doctor()
    #expect(patient.requests.allSatisfy { $0.timeoutMilliseconds == 10_000 })
  }

  @Test func `doctor contacts this machine over http if root has allowed that`() {
    let machine = Machine(
      configuration: """
        [server]
        request_url = "http://127.0.0.1:8080/uaf/get"
        response_url = "http://127.0.0.1:8080/uaf/respond"
        allow_insecure = true

        """)
    machine.server?.response = FetchResponse(.refused, handshakeCompleted: false)
    #expect(machine.has(.serverUnreachable) && !machine.has(.serverAnswer))
    #expect(machine.requests.first?.url == "http://127.0.0.1:8080/uaf/get")
  }

  @Test func `doctor sends no further request to a machine that cannot be reached`() {
    let machine = Machine()
    machine.server?.response = FetchResponse(.refused, handshakeCompleted: false)
    _ = machine.doctor()
    #expect(machine.requests.count == 1)
  }

  // MARK: Answers

  /// The answer of an address, and the finding for it; nil for none.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: UInt16
    let type: String
    let body: String
    let finding: FindingID?

    init(_ status: UInt16, _ type: String, _ body: String, _ finding: FindingID?) {
      testDescription = "\(status) \(type) \(body)"
      self.status = status
      self.type = type
      self.body = body
      self.finding = finding
    }
  }

  private static let rows = [
    Row(404, "text/html", "<p>", .serverPath), Row(405, "text/html", "", .serverPath),
    Row(410, "text/html", "", .serverPath),
    // Frameworks write their own status under the name that UAF uses.
    Row(404, "application/json", #"{"statusCode":404,"message":"Cannot POST"}"#, .serverPath),
    Row(302, "text/html", "", .serverPath), Row(415, "text/plain", "", .serverType),
    Row(401, "text/html", "", .serverAnswer), Row(403, "text/html", "", .serverAnswer),
    Row(429, "text/plain", "", .serverAnswer), Row(503, "text/html", "", .serverAnswer),
    Row(200, "text/html", "<html>", .serverAnswer), Row(200, "application/json", "{}", .serverAnswer),
    Row(200, "application/json", "[]", .serverAnswer), Row(204, "", "", .serverAnswer),
    Row(200, "application/json", #"{"statusCode":1400}"#, nil),
    Row(400, "application/json", #"{"statusCode":1400}"#, nil),
    Row(200, "application/fido+uaf", #"{"statusCode":1500}"#, nil),
  ]

  @Test(arguments: rows) func `doctor recognises a UAF server by its answer at each address`(row: Row) {
    for (path, key) in [("/uaf/get", "server.request_url"), ("/uaf/respond", "server.response_url")] {
      let machine = Machine()
      machine.server?.answers[path] = FakeServer.text(row.body, type: row.type, status: row.status)
      let examined = machine.doctor()
      let lines = examined.output.split(separator: "\n").filter { $0.contains(key) }
      #expect(lines.count == 1)
      if let finding = row.finding {
        #expect(lines.first?.hasSuffix(" [\(finding.rawValue)]") == true, "\(lines)")
      } else {
        #expect(lines.first?.hasPrefix("ok   ") == true, "\(lines)")
      }
    }
  }

  @Test(arguments: [400, 422, 500] as [UInt16])
  func `a server may refuse doctor's empty response in its own way, but not the request for a login`(status: UInt16) {
    let machine = Machine()
    machine.server?.answers["/uaf/respond"] = FakeServer.text("no", type: "text/plain", status: status)
    #expect(!machine.has(.serverAnswer))
    machine.server?.answers["/uaf/get"] = FakeServer.text("no", type: "text/plain", status: status)
    #expect(machine.has(.serverAnswer))
  }

  @Test func `a server of the plain dialect may answer 404 for a user name that it does not know`() {
    let machine = Machine(configuration: Self.plain)
    for path in ["/auth", "/reg"] { machine.server?.answers[path] = FakeServer.json("{}", status: 400) }
    for path in ["/auth/uafctl-doctor.invalid", "/reg/uafctl-doctor.invalid"] {
      machine.server?.answers[path] = FakeServer.json(#"{"status":404}"#, status: 404)
    }
    #expect(!machine.doctor().hasFailed)
    #expect(machine.has(.serverPath))
    machine.server?.answers["/reg/uafctl-doctor.invalid"] = FakeServer.text("", type: "text/html", status: 404)
    #expect(machine.doctor().hasFailed)
  }

  @Test func `doctor says which FacetID the facet list lacks, and which facet list cannot be read`() {
    let machine = Machine()
    machine.server?.facets = ["linux:pam-module:pam_uaf2"]
    let line = machine.doctor().lines(about: "facet").first
    #expect(line?.hasPrefix("FAIL facet: linux:pam-module:pam_uaf: ") == true)
    #expect(line?.hasSuffix(" [facet-list]") == true)
    machine.server = FakeServer()
    machine.server?.answers["/uaf/facets"] = FakeServer.json(#"{"trustedFacets":[]}"#)
    #expect(machine.has(.facetList))
    machine.server?.answers["/uaf/facets"] = FakeServer.text("", type: "text/html", status: 404)
    #expect(machine.has(.facetList))
    let unread = machine.doctor().lines(about: "facet").first
    #expect(unread?.hasPrefix("FAIL facet: the server's list could not be read: ") == true)
    #expect(unread?.contains("put it into") == false)
  }

  // MARK: Certificates, clocks, keys

  @Test(arguments: [
    (FakeServer.now - 86_400 * 3, "fido.example.com", "it expired 3 days ago"),
    (FakeServer.now + 86_400, "other.example.com", "it is not for fido.example.com"),
    (FakeServer.now + 86_400, "fido.example.com", "who issued it is not in the system's authorities"),
  ])
  func `doctor says why a server's certificate is refused`(end: Int64, name: String, text: String) {
    let machine = Machine()
    var refused = FetchResponse(.certificateRefused, handshakeCompleted: true)
    refused.certificate = FakeServer.makeCertificate(until: end, name: name)
    machine.server?.response = refused
    let line = machine.doctor().lines(about: "server").first
    #expect(line?.contains(text) == true && line?.hasSuffix(" [server-certificate]") == true, "\(line ?? "")")
    #expect(machine.requests.last?.method == .get && machine.requests.last?.skipsVerification == true)
  }

  // RSA with 1024 bits, and P-256 signed with SHA-1; for fido.example.com, until 2126.
  @Test(arguments: [
    ("weak-key", "its key has 1024 bits, which are too few"),
    ("weak-signature", "it is signed with a hash function that can be forged"),
  ])
  func `doctor names a server certificate that is too weak, whether it was refused or accepted`(
    name: String, text: String
  ) throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let pem = try Data(contentsOf: tests.appending(path: "Vectors/certificates/\(name).pem"))
    let certificate = try #require(try X509.certificates(pem: Array(pem)).first)
    let machine = Machine()
    machine.server?.certificate = certificate
    let taken = machine.doctor()
    #expect(
      taken.lines(about: "server").contains {
        $0.hasPrefix("warn ") && $0.contains(text) && $0.hasSuffix("[certificate-weak]")
      },
      "\(taken.lines(about: "server"))")
    var refused = FetchResponse(.certificateRefused, handshakeCompleted: true)
    refused.certificate = certificate
    machine.server?.response = refused
    let line = machine.doctor().lines(about: "server").first
    #expect(line?.contains(text) == true && line?.hasSuffix(" [server-certificate]") == true, "\(line ?? "")")
  }

  @Test func `doctor reports swapped addresses for requests and responses as a failure, and names them`() {
    let machine = Machine()
    machine.configure("/uaf/get", "/uaf/x")
    machine.configure("/uaf/respond", "/uaf/get")
    machine.configure("/uaf/x", "/uaf/respond")
    let examined = machine.doctor()
    let line = examined.lines(about: "server").last
    #expect(
      line?.hasPrefix(
        "FAIL server: server.request_url and server.response_url are swapped: the server answers a request at ")
        == true && line?.hasSuffix("[server-path]") == true, "\(examined.lines(about: "server"))")
    // A server that refuses the question at both addresses has not shown that.
    machine.server?.answers["/uaf/get"] = FakeServer.json(#"{"statusCode":1400}"#)
    #expect(!machine.has(.serverPath))
  }

  @Test(arguments: ["get", "respond"])
  func `doctor fails if uaf-server has one address for requests and responses`(name: String) {
    let machine = Machine()
    machine.configure("/uaf/get", "/uaf/\(name)")
    machine.configure("/uaf/respond", "/uaf/\(name)")
    let lines = machine.doctor().lines(about: "server").filter { $0.hasSuffix("[server-path]") }
    #expect(
      lines.contains { line in
        line.hasPrefix("FAIL server: server.request_url and server.response_url are one address, https://")
      }, "\(lines)")
  }

  @Test
  func `one address for requests and responses is a warning if the server might tell them apart, and normal in plain`()
  {
    let machine = Machine()
    machine.configure("/uaf/get", "/uaf/all")
    machine.configure("/uaf/respond", "/uaf/all")
    machine.server?.answers["/uaf/all"] = FakeServer.json(#"{"statusCode":1498}"#)
    #expect(machine.has(.serverPath) && !machine.doctor().hasFailed)
    machine.configure("[server]", "[server]\ndialect = \"plain\"")
    #expect(!machine.doctor().lines(about: "server").contains { $0.contains("one address") })
  }

  @Test(arguments: [
    ("https://fido.example.com/uaf/get", "https://FIDO.Example.com/uaf/get"),
    ("https://fido.example.com/uaf/get", "https://fido.example.com:443/uaf/get"),
    ("https://fido.example.com/uaf/get", "https://fido.example.com/u%61f/%67et"),
    ("https://fido.example.com/a%2fb/get", "https://fido.example.com/a%2Fb/get"),
    ("https://fido.example.com/uaf/get", "https://fido.example.com/x/../uaf/./get"),
    ("https://fido.example.com/uaf/get", "https://fido.example.com/uaf/get?"),
    ("https://[2001:db8::1]/uaf/get", "https://[2001:DB8:0:0:0:0:0:1]/uaf/get"),
  ])
  func `doctor treats two spellings of one server address as one address`(request: String, response: String) {
    let lines = addresses(request, response)
    #expect(lines.contains { $0.contains("server.response_url are one address, ") }, "\(lines)")
    #expect(lines.allSatisfy { $0.hasPrefix("FAIL") }, "\(lines)")
  }

  @Test(arguments: [
    ("/uaf/get", "/uaf/get?x=1"), ("/uaf?op=get", "/uaf?op=respond"), ("/uaf/get", "/uaf/get/"),
    ("/uaf/get", "//uaf/get"), ("/uaf/get?a", "/uaf/get/?b"),
  ])
  func `doctor warns of server addresses that differ only in the query or in slashes`(request: String, response: String)
  {
    let host = "https://fido.example.com"
    let lines = addresses(host + request, host + response)
    #expect(!lines.contains { $0.contains(" are one address, ") }, "\(lines)")
    #expect(
      lines.contains { $0.hasPrefix("warn server: ") && $0.contains(" differ in the query or in slashes alone: ") },
      "\(lines)")
  }

  @Test(arguments: [
    ("https://127.0.0.1:8443/uaf/get", "https://localhost:8443/uaf/get"),
    ("https://localhost/uaf/get", "https://[::1]/uaf/get"), ("https://127.0.0.1/uaf/get", "https://127.0.1.1/uaf/get"),
    ("https://localhost/uaf/get", "https://uaf.localhost/uaf/get/"),
    ("https://ip6-localhost/uaf/get", "https://localhost.localdomain/uaf/get"),
  ])
  func `doctor warns of server addresses whose hosts may be two names of one machine`(request: String, response: String)
  {
    let lines = addresses(request, response)
    #expect(
      lines.contains { $0.hasPrefix("warn server: ") && $0.contains(" may be one address: ") && $0.contains(" : ") },
      "\(lines)")
  }

  @Test func `doctor does not report a shared server address if nothing answers there`() {
    let machine = Machine()
    machine.configure("/uaf/get", "/nothing")
    machine.configure("/uaf/respond", "/nothing")
    let lines = machine.doctor().lines(about: "server").filter { $0.hasSuffix("[server-path]") }
    #expect(lines.contains { $0.contains("404") } && !lines.contains { $0.contains("one address") }, "\(lines)")
  }

  @Test(arguments: [
    ("https://fido.example.com/uaf/get", "https://fido.example.com/uaf/GET"),
    ("https://fido.example.com/uaf/get", "https://fido.example.com:8443/uaf/get"),
    ("https://fido.example.com/uaf/get", "https://www.fido.example.com/uaf/get"),
    ("https://fido.example.com/a/b", "https://fido.example.com/a%2Fb"),
    ("https://fido.example.com/uaf/get", "https://fido.example.com/uaf/respond"),
  ])
  func `doctor does not report addresses that every server tells apart`(request: String, response: String) {
    let lines = addresses(request, response)
    #expect(!lines.contains { $0.contains("one address") || $0.contains("slashes alone") }, "\(lines)")
  }

  /// The findings about these addresses for requests and responses.
  private func addresses(_ request: String, _ response: String) -> [String] {
    let machine = Machine()
    machine.configure("https://fido.example.com/uaf/get", request)
    machine.configure("https://fido.example.com/uaf/respond", response)
    for url in [request, response] {
      let path = "/" + url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3).joined(separator: "/")
      machine.server?.answers[path] = FakeServer.json(#"{"statusCode":1498}"#)
    }
    return machine.doctor().lines(about: "server").filter { $0.hasSuffix("[server-path]") }
  }

  @Test(arguments: [FetchOutcome.nameNotResolved, .refused, .unreachable, .timedOut, .stalled, .tooLarge])
  func `the Korean reason why a server does not answer has no English words, and names the server once`(
    outcome: FetchOutcome
  ) {
    for proxy in ["", "proxy = \"http://proxy:8080\"\n"] {
      let machine = Machine(configuration: Machine.configuration + proxy)
      var response = FetchResponse(outcome, handshakeCompleted: false)
      response.detail = "curl 6: Could not resolve host: fido.example.com"
      machine.server?.response = response
      let line = machine.doctor(in: .korean).lines(about: "서버").first ?? ""
      #expect(!line.contains("Could not") && line.ranges(of: "https://fido.example.com:443").count == 1, "\(line)")
      #expect(line.ranges(of: "서버: ").count == 1, "\(line)")
    }
  }

  @Test(arguments: [FetchOutcome.other, .connectionLost, .tlsFailed, .ownMeans])
  func `an error without a Korean text is quoted, with its number`(outcome: FetchOutcome) {
    let machine = Machine()
    var response = FetchResponse(outcome, handshakeCompleted: false)
    response.detail = "curl 35: wrong version number"
    machine.server?.response = response
    let line = machine.doctor(in: .korean).lines(about: "서버").first ?? ""
    #expect(line.contains("(uaf-fetch: 'curl 35: wrong version number')"), "\(line)")
  }

  @Test func `no Korean finding of doctor says the same thing twice`() {
    for address in [
      "ftp://x/uaf/get", "https://", "http://example.com/uaf/get", "fido.example.com", "https://x/{appID}",
    ] {
      let machine = Machine()
      machine.configure("https://fido.example.com/uaf/get", address)
      for line in machine.doctor(in: .korean).output.split(separator: "\n") {
        #expect(line.ranges(of: "바로잡").count < 2 && line.ranges(of: "서버: ").count < 2, "\(line)")
      }
    }
    let machine = Machine()
    machine.server?.answers["/uaf/get"] = FakeServer.text("", type: "text/html", status: 404)
    let line = machine.doctor(in: .korean).lines(about: "서버").first { $0.hasSuffix("[server-path]") } ?? ""
    #expect(line.ranges(of: "바로잡").count == 1, "\(line)")
  }

  @Test func `doctor warns of a server certificate that expires within 14 days`() {
    let machine = Machine()
    machine.server?.certificate = FakeServer.makeCertificate(until: FakeServer.now + 13 * 86_400)
    #expect(machine.has(.certificateEnds))
    machine.server?.certificate = FakeServer.makeCertificate(until: FakeServer.now + 14 * 86_400)
    #expect(!machine.has(.certificateEnds))
  }

  @Test func `doctor compares the clocks of server and machine, and ignores a difference of a minute`() {
    let machine = Machine()
    for (date, isApart) in [(-60, false), (60, false), (-61, true), (61, true), (3600, true)] {
      machine.server?.date = UInt32(FakeServer.now + Int64(date))
      #expect(machine.has(.clockServer) == isApart)
    }
    #expect(!machine.doctor().hasFailed)
    machine.server?.date = nil
    #expect(!machine.has(.clockServer))
  }

  /// A machine with this text as its verdict key, while the server has a different one.
  private func machine(_ key: [UInt8], _ folder: Folder, more: String = "require_signed_verdict = true") -> Machine {
    let path = folder.file("verdict.pub", key, mode: 0o644)
    return Machine(configuration: Machine.configuration + "verdict_key = \"\(path)\"\n\(more)\n")
  }

  @Test func `doctor compares the pinned verdict key with that of the server`() {
    let folder = Folder()
    let machine = machine(FakeServer.verdictKey, folder)
    #expect(machine.doctor().lines(about: "verdict").first?.hasSuffix(" is the server's") == true)
    machine.server?.publishedKey = FakeServer.makeKey()
    #expect(machine.has(.verdictKey) && machine.doctor().hasFailed)
    machine.server?.publishedKey = nil
    #expect(!machine.has(.verdictKey))
  }

  @Test func `doctor warns if the server's future verdict key is missing on this machine, and accepts several keys`() {
    let folder = Folder()
    let coming = FakeServer.makeKey()
    let machine = machine(FakeServer.verdictKey, folder)
    machine.server?.publishedKey = FakeServer.verdictKey + coming
    #expect(machine.has(.verdictKey) && !machine.doctor().hasFailed)
    folder.delete("verdict.pub")
    _ = folder.file("verdict.pub", coming + FakeServer.verdictKey, mode: 0o644)
    #expect(!machine.has(.verdictKey))
  }

  @Test func `doctor counts keys that the server has announced to the machine, and not those that it has ended`() throws
  {
    let folder = Folder()
    let coming = FakeServer.makeKey()
    func id(_ pem: [UInt8]) throws -> String {
      let info = try P256.subjectPublicKeyInfo(publicKey: P256.publicKey(pem: pem))
      return try SHA256.hash(info).prefix(8).map { String(format: "%02x", $0) }.joined()
    }
    func announce(_ text: String, on machine: Machine) {
      let document = Machine.document(Machine.passcode)
      machine.document = document.dropLast() + #","announced":{\#(text)}}"#
    }
    let machine = machine(FakeServer.verdictKey, folder)
    machine.server?.publishedKey = FakeServer.verdictKey + coming
    #expect(machine.has(.verdictKey))
    announce(#""verdictKeys":["\#(try id(coming))"]"#, on: machine)
    #expect(!machine.has(.verdictKey))
    // After the rotation.
    machine.server?.publishedKey = coming
    #expect(!machine.has(.verdictKey))
    machine.server?.publishedKey = FakeServer.verdictKey
    announce(#""verdictKeys":["\#(try id(coming))"],"endedKeys":["\#(try id(FakeServer.verdictKey))"]"#, on: machine)
    #expect(machine.has(.verdictKey) && machine.doctor().hasFailed)
    // Nobody is told to copy a key that never counts again.
    let ended = machine.doctor().lines(about: "verdict").joined()
    #expect(ended.contains("whose end the server has announced") && !ended.contains("copy verdict.pub"), "\(ended)")
    #expect(ended.contains("an older verdict.key was put back there") && ended.contains("uafctl join --payload FILE"))
    let korean = machine.doctor(in: .korean).lines(about: "서명").joined()
    #expect(korean.contains("이전 verdict.key가 복원되었으므로") && !korean.contains("복사하거나"), "\(korean)")
  }

  @Test func `doctor tells a machine that has joined to check in for a coming key, and to join again for a missed one`()
  {
    let folder = Folder()
    let machine = machine(FakeServer.verdictKey, folder)
    machine.document = Machine.document(Machine.passcode).dropLast() + #","joined":true}"#
    machine.server?.publishedKey = FakeServer.verdictKey + FakeServer.makeKey()
    let coming = machine.doctor().lines(about: "verdict").joined()
    #expect(coming.contains("has not learned yet") && coming.contains("uafctl check-in"), "\(coming)")
    #expect(!coming.contains("copy verdict.pub"))
    #expect(machine.doctor(in: .korean).lines(about: "서명").joined().contains("uafctl check-in"))
    machine.server?.publishedKey = FakeServer.makeKey()
    let missed = machine.doctor().lines(about: "verdict").joined()
    #expect(missed.contains("uafctl join --payload FILE") && !missed.contains("copy verdict.pub"), "\(missed)")
  }

  @Test func `doctor fails for every invalid verdict key, but not for an unused one`() {
    let folder = Folder()
    let idle = machine(FakeServer.makeKey(), folder, more: "")
    #expect(idle.has(.verdictKey) && !idle.doctor().hasFailed)
    folder.delete("verdict.pub")
    let broken = machine(Array("no key".utf8), folder)
    #expect(broken.has(.verdictKey) && broken.doctor().hasFailed)
    folder.delete("verdict.pub")
    #expect(broken.has(.verdictKey))
  }

  @Test func `doctor fails for differing clocks if the server signs verdicts`() {
    let folder = Folder()
    let machine = machine(FakeServer.verdictKey, folder)
    machine.server?.date = UInt32(FakeServer.now) - 3600
    #expect(machine.has(.clockServer) && machine.doctor().hasFailed)
  }

  @Test(
    arguments: [
      ([], "it contains no certificate in PEM"), (Array("PEM".utf8), "it contains no certificate in PEM"),
      (FakeServer.certificate, "it is a certificate in DER"),
      (Array("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n".utf8), "begins in line 1 cannot be read"),
      (FakeServer.authority + [UInt8](repeating: 0x23, count: 1_048_576), "larger than 1048576 bytes"),
    ] as [([UInt8], String)])
  func `doctor names a ca_file that would end every login`(content: [UInt8], words: String) {
    let folder = Folder()
    let path = folder.file("ca.pem", content, mode: 0o644)
    let machine = Machine(configuration: Machine.configuration + "ca_file = \"\(path)\"\n")
    #expect(machine.has(.serverAuthorities) && machine.requests.isEmpty)
    #expect(machine.doctor().lines(about: "server").first?.contains(words) == true)
  }

  @Test func `doctor says so if the proxy has refused the request`() {
    let machine = Machine(configuration: Machine.configuration + "proxy = \"http://proxy:8080\"\n")
    var response = FetchResponse(.proxyRefused, handshakeCompleted: false)
    response.detail = "CONNECT tunnel failed, response 407"
    machine.server?.response = response
    #expect(machine.has(.serverProxy))
    #expect(
      machine.doctor().lines(about: "server").first?
        .contains("proxy http://proxy:8080 does not let the request through (CONNECT tunnel failed, response 407)")
        == true)
  }

  @Test func `doctor names the proxy if the fault may be the proxy's`() {
    let machine = Machine(configuration: Machine.configuration + "proxy = \"http://proxy:8080\"\n")
    machine.server?.response = FetchResponse(.refused, handshakeCompleted: false)
    #expect(
      machine.doctor().lines(about: "server").first?.contains("by way of proxy http://proxy:8080: ") == true)
    #expect(machine.has(.serverProxy))
    machine.server?.response = FetchResponse(.tlsFailed, handshakeCompleted: false)
    #expect(!machine.has(.serverProxy) && machine.has(.serverUnreachable))
  }

  @Test func `doctor trusts a server only by the configured CA`() {
    let machine = Machine(configuration: Machine.configuration + "ca_file = \"/nonexistent/ca.pem\"\n")
    let line = machine.doctor().lines(about: "server").first
    #expect(line?.hasPrefix("FAIL server: ca_file /nonexistent/ca.pem: ") == true)
    #expect(machine.requests.isEmpty)
    let folder = Folder()
    let path = folder.file(
      "ca.pem", Array("# M\u{FC}nchen\n".unicodeScalars.map { UInt8($0.value) }) + FakeServer.authority, mode: 0o644)
    let other = Machine(configuration: Machine.configuration + "ca_file = \"\(path)\"\n")
    _ = other.doctor()
    #expect(other.requests.first?.certificateAuthorities == String(decoding: FakeServer.authority, as: UTF8.self))
  }

  @Test func `doctor warns in red if certificates are not checked`() {
    let machine = Machine(
      configuration: """
        [server]
        request_url = "https://127.0.0.1:8443/uaf/get"
        response_url = "https://127.0.0.1:8443/uaf/respond"
        tls_verify = false

        """)
    let examined = machine.doctor(colours: true)
    #expect(examined.output.contains("\u{1B}[31mwarn configuration: tls_verify = false: "))
    #expect(machine.requests.first?.skipsVerification == true)
    #expect(
      examined.lines(about: "server").first
        == "ok   server: https://127.0.0.1:8443 answers (status 200), its certificate was not checked")
  }

  @Test(arguments: [
    (FetchOutcome.nameNotResolved, "the name cannot be resolved"), (.refused, "the connection was refused"),
    (.unreachable, "the network is unreachable"),
    (.timedOut, "no answer within the time"), (.tlsFailed, "no TLS"),
    (.connectionLost, "the connection was lost"),
    (.stalled, "connected, and no TLS within the time"), (.ownMeans, "this machine lacks what a connection needs"),
    (.other, "failed"),
  ])
  func `doctor reports an unusable server as a failure, with a remedy`(outcome: FetchOutcome, text: String) {
    let machine = Machine()
    var response = FetchResponse(outcome, handshakeCompleted: false)
    response.detail = "curl\u{1B} says"
    machine.server?.response = response
    let examined = machine.doctor()
    let line = examined.lines(about: "server").first
    #expect(line?.hasPrefix("FAIL server: https://fido.example.com:443: \(text) (curl says) : ") == true)
    #expect(examined.hasFailed)
  }

  @Test func `doctor starts uaf-fetch with the socket as descriptor 3`() throws {
    let folder = Folder()
    let request = FetchRequest(.get, url: "https://x/", timeoutMilliseconds: 1000)
    let answer = FetchResponse(.timedOut, handshakeCompleted: false)
    let octal = try answer.packet().map { "\\0" + String($0, radix: 8) }.joined()
    let program = folder.program(
      "fetch", "#!/bin/sh\ndd bs=65536 count=1 <&3 >'\(folder.path)/asked'\nprintf '%b' '\(octal)' >&3\n")
    #expect(FetchProbe(path: program).exchange(request) == FetchAnswer(response: answer))
    #expect(try folder.bytes("asked") == request.packet())
  }

  @Test(arguments: ["exit 0", "printf '\\202' >&3", "printf '\\204' >&3", "echo garbage >&3"])
  func `doctor takes no answer from a uaf-fetch that breaks the protocol`(script: String) {
    let folder = Folder()
    let program = folder.program("fetch", "#!/bin/sh\n\(script)\n")
    let request = FetchRequest(.get, url: "https://x/", timeoutMilliseconds: 1000)
    #expect(FetchProbe(path: program).exchange(request) == nil)
    #expect(FetchProbe(path: folder.path + "/none").exchange(request) == nil)
  }
}
