import Testing
import UAFWire

@testable import UAFTool

@Suite struct ServerCheckTests {
  @Test func `asks the server itself, as the core would`() {
    let machine = Machine(configuration: Machine.configuration + "timeout = 3\nproxy = \"http://proxy:8080\"\n")
    _ = machine.doctor()
    var request = FetchRequest(.get, url: "https://fido.example.com:443/health", timeoutMilliseconds: 3000)
    request.proxy = "http://proxy:8080"
    #expect(machine.requests == [request])
  }

  @Test func `asks every server that is named, once, and waits for none longer than 10 s`() {
    let machine = Machine(
      configuration: Machine.configuration
        + "[server.deregistration]\nrequest_url = \"https://[2001:db8::1]:8443/d/{user}\"\n")
    _ = machine.doctor()
    #expect(
      machine.requests.map(\.url) == ["https://fido.example.com:443/health", "https://[2001:db8::1]:8443/health"])
    #expect(machine.requests.allSatisfy { $0.timeoutMilliseconds == 10_000 })
  }

  @Test func `trusts the configured authority alone`() {
    let machine = Machine(configuration: Machine.configuration + "ca_file = \"/nonexistent/ca.pem\"\n")
    let line = Machine.lines(machine.doctor(), about: "server").first
    #expect(line?.hasPrefix("FAIL server: ca_file /nonexistent/ca.pem: ") == true)
    #expect(machine.requests.isEmpty)
    let folder = Folder()
    let path = folder.file("ca.pem", Array("PEM".utf8), mode: 0o644)
    let other = Machine(configuration: Machine.configuration + "ca_file = \"\(path)\"\n")
    _ = other.doctor()
    #expect(other.requests.first?.certificateAuthorities == "PEM")
  }

  @Test func `warns in red where certificates are not checked`() {
    let machine = Machine(
      configuration: """
        [server]
        request_url = "https://127.0.0.1:8443/uaf/get"
        response_url = "https://127.0.0.1:8443/uaf/respond"
        tls_verify = false

        """)
    let bench = machine.doctor(colours: true)
    #expect(bench.output.contains("\u{1B}[31mwarn configuration: tls_verify = false: "))
    #expect(machine.requests.first?.skipsVerification == true)
    #expect(
      Machine.lines(bench, about: "server")
        == ["ok   server: https://127.0.0.1:8443 answers (status 200), its certificate was not checked"])
    #expect(bench.exit == .success)
  }

  @Test(arguments: [
    (FetchOutcome.nameNotResolved, "the name cannot be resolved"), (.refused, "the connection was refused"),
    (.unreachable, "no network leads there"),
    (.timedOut, "no answer within the time"), (.tlsFailed, "no TLS"),
    (.certificateRefused, "its certificate is not trusted"), (.connectionLost, "the connection was lost"),
    (.stalled, "connected, and no TLS within the time"), (.ownMeans, "this machine lacks what a connection needs"),
    (.other, "failed"),
  ])
  func `a server that cannot be used is a failure, with what to do`(outcome: FetchOutcome, text: String) {
    let machine = Machine()
    var response = FetchResponse(outcome, handshakeCompleted: false)
    response.detail = "curl\u{1B} says"
    machine.response = response
    let bench = machine.doctor()
    let line = Machine.lines(bench, about: "server").first
    #expect(line?.hasPrefix("FAIL server: https://fido.example.com:443: \(text) (curl says) : ") == true)
    #expect(bench.exit == .refused)
  }

  @Test func `uaf-fetch is started with the conversation as descriptor 3`() throws {
    let folder = Folder()
    let request = FetchRequest(.get, url: "https://x/", timeoutMilliseconds: 1000)
    let answer = FetchResponse(.timedOut, handshakeCompleted: false)
    let octal = try answer.packet().map { "\\0" + String($0, radix: 8) }.joined()
    let program = folder.file(
      "fetch", Array("#!/bin/sh\ndd bs=65536 count=1 <&3 >'\(folder.path)/asked'\nprintf '%b' '\(octal)' >&3\n".utf8),
      mode: 0o700)
    #expect(FetchProbe(path: program).exchange(request) == answer)
    #expect(try folder.bytes("asked") == request.packet())
  }

  @Test(arguments: ["exit 0", "printf '\\202' >&3", "printf '\\204' >&3", "echo garbage >&3"])
  func `a uaf-fetch that does not keep to the protocol has no answer`(script: String) {
    let folder = Folder()
    let program = folder.file("fetch", Array("#!/bin/sh\n\(script)\n".utf8), mode: 0o700)
    let request = FetchRequest(.get, url: "https://x/", timeoutMilliseconds: 1000)
    #expect(FetchProbe(path: program).exchange(request) == nil)
    #expect(FetchProbe(path: folder.path + "/none").exchange(request) == nil)
  }
}
