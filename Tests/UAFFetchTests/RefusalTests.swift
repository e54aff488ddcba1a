import Foundation
import Testing
import UAFWire

@testable import UAFFetch

/// Servers that cannot be reached, are not the right ones, or must not be contacted.
struct RefusalTests {
  let servers: Servers

  init() throws { servers = try Servers.shared() }

  private func outcome(_ request: FetchRequest) throws -> FetchResponse {
    let fetch = try FetchProcess()
    let (response, body) = try fetch.perform(request)
    #expect(response.status == 0)
    #expect(body.isEmpty)
    #expect(response.detail?.isEmpty == false)
    #expect(response.detail?.utf8.allSatisfy { 0x20...0x7E ~= $0 } == true)
    return response
  }

  @Test func `reports that the server refused the connection`() throws {
    let response = try outcome(servers.get(servers.closed))
    #expect(response.outcome == .refused)
    #expect(!response.handshakeCompleted)
    #expect(response.detail?.hasPrefix("curl 7: ") == true)
  }

  @Test func `reports that the server's name cannot be resolved`() throws {
    // The resolver refuses this label of more than 63 bytes without asking a name server.
    var request = servers.get(1)
    request.url = "https://\(String(repeating: "a", count: 64)).invalid/"
    let response = try outcome(request)
    #expect(response.outcome == .nameNotResolved)
    #expect(!response.handshakeCompleted)
  }

  @Test func `distinguishes a thread that could not be started from a name that cannot be resolved`() throws {
    var request = servers.get(1)
    request.url = "https://\(String(repeating: "a", count: 64)).invalid/"
    let fetch = try FetchProcess(limits: ["--nproc=1"])
    let (response, _) = try fetch.perform(request)
    #expect(response.outcome == .ownMeans && !response.handshakeCompleted)
    #expect(response.detail?.hasPrefix("no thread") == true)
  }

  @Test func `distinguishes a process without free descriptors from a server that cannot be reached`() throws {
    // The program has four descriptors open and libcurl opens three, so with a limit of 7 none is left for the connection.
    for (count, outcomes) in [(7, [FetchOutcome.ownMeans]), (60, [.refused])] {
      let fetch = try FetchProcess(limits: ["--nofile=\(count)"])
      let (response, _) = try fetch.perform(servers.get(servers.closed))
      #expect(outcomes.contains(response.outcome), "with \(count) descriptors")
    }
  }

  @Test func `distinguishes a connection that nobody answers from one that is accepted and closed`() throws {
    let silent = try outcome(servers.get(servers.hole, timeout: 400))
    #expect(silent.outcome == .timedOut && !silent.handshakeCompleted)
    let closing = try outcome(servers.get(servers.closing))
    #expect(closing.outcome != .refused && closing.outcome != .timedOut && !closing.handshakeCompleted)
  }

  @Test func `reports at the deadline that a server accepted the connection and sent nothing`() throws {
    let response = try outcome(servers.get(servers.mute, timeout: 2000))
    #expect(response.outcome == .stalled)
    #expect(!response.handshakeCompleted)
    #expect(response.certificate == nil)
  }

  @Test(arguments: ["plain", "tls11", "reset"])
  func `refuses a server that does not speak TLS 1 2 or newer`(_ name: String) throws {
    let response = try outcome(servers.get(servers[dynamicMember: name]))
    #expect(response.outcome == .tlsFailed)
    #expect(!response.handshakeCompleted)
  }

  @Test(arguments: ["wrongHost", "expired", "unknown", "selfSigned"])
  func `refuses a server with a wrong certificate, and never reports it as unreachable`(
    _ name: String
  ) throws {
    let response = try outcome(servers.get(servers[dynamicMember: name]))
    #expect(response.outcome == .certificateRefused)
    #expect(response.handshakeCompleted)
  }

  @Test func `refuses a certificate of a private CA if the request names no CA`() throws {
    var request = servers.get(servers.good)
    request.certificateAuthorities = nil
    let response = try outcome(request)
    #expect(response.outcome == .certificateRefused)
  }

  @Test func `refuses a server that it has accepted if a later request trusts different CAs`() throws {
    let fetch = try FetchProcess()
    let (first, _) = try fetch.perform(servers.get(servers.good))
    var request = servers.get(servers.good)
    request.certificateAuthorities = nil
    let (second, _) = try fetch.perform(request)
    #expect(first.outcome == .answered)
    #expect(second.outcome == .certificateRefused)
  }

  @Test func `uses CAs that were sent before a request for that request only`() throws {
    let fetch = try FetchProcess()
    var request = servers.get(servers.good)
    let own = try #require(request.certificateAuthorities)
    let bundle = String(repeating: own, count: 1_000_000 / own.utf8.count)
    request.certificateAuthorities = bundle
    let (first, _) = try fetch.perform(request)
    #expect(first.outcome == .answered)
    let lone = try #require(request.packets().last)
    try fetch.send(lone)
    #expect(try fetch.receive().0.outcome == .unacceptableRequest)
    request.certificateAuthorities = nil
    #expect(try fetch.perform(request).0.outcome == .certificateRefused)
    request.certificateAuthorities = bundle
    #expect(try fetch.perform(request).0.outcome == .answered)
  }

  @Test func `ends if it receives more CAs than allowed`() throws {
    var fetch = try FetchProcess()
    var request = servers.get(servers.good)
    request.certificateAuthorities = String(repeating: "c", count: WireLimit.longAuthorities)
    for packet in try request.packets().dropLast() { try fetch.send(packet) }
    request.certificateAuthorities = String(repeating: "c", count: WireLimit.certificateAuthorities + 1)
    try fetch.send(try #require(request.packets().first))
    #expect(fetch.ended() == FetchExitStatus.malformedPacket.rawValue)
  }

  @Test func `refuses a wrong certificate even after a request that did not check certificates`() throws {
    let fetch = try FetchProcess()
    var request = servers.get(servers.selfSigned)
    request.skipsVerification = true
    let (first, _) = try fetch.perform(request)
    request.skipsVerification = false
    let (second, _) = try fetch.perform(request)
    #expect(first.outcome == .answered)
    #expect(first.certificate?.isEmpty == false)
    #expect(second.outcome == .certificateRefused)
  }

  @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"])
  func `trusts no server if the CAs in the request are not certificates`(_ authorities: String) throws {
    var request = servers.get(servers.good)
    request.certificateAuthorities = authorities
    let response = try outcome(request)
    #expect(response.outcome == .unacceptableRequest || response.outcome == .certificateRefused)
  }

  @Test(arguments: ["http://10.0.0.1", "ftp://127.0.0.1", "file://127.0.0.1", "gopher://127.0.0.1", "HTTP://10.0.0.1"])
  func `refuses an address that is not https, unless it is http to this machine`(_ server: String) throws {
    var request = servers.get(servers.plain)
    request.url = "\(server):\(servers.plain)/ok"
    let response = try outcome(request)
    #expect(response.outcome == .unacceptableRequest)
    #expect(!response.handshakeCompleted)
  }

  @Test func `no environment variable changes the proxy, the trusted CAs or the TLS settings`() throws {
    let folder = servers.folder
    let keys = folder + "/keys-\(UUID().uuidString)"
    let fetch = try FetchProcess(environment: [
      "SSL_CERT_FILE=\(folder)/authority.pem", "CURL_CA_BUNDLE=\(folder)/authority.pem", "SSLKEYLOGFILE=\(keys)",
      "https_proxy=http://127.0.0.1:\(servers.closed)", "HTTPS_PROXY=http://127.0.0.1:\(servers.closed)",
      "ALL_PROXY=http://127.0.0.1:\(servers.closed)", "OPENSSL_CONF=\(folder)/openssl.cnf", "HOME=\(folder)",
    ])
    let (trusting, _) = try fetch.perform(servers.get(servers.tls12))
    var request = servers.get(servers.good)
    request.certificateAuthorities = nil
    let (distrusting, _) = try fetch.perform(request)
    #expect(trusting.outcome == .answered)
    #expect(distrusting.outcome == .certificateRefused)
    #expect(!FileManager.default.fileExists(atPath: keys))
  }

  // MARK: Allowed destinations

  @Test func `connects only to hosts and ports in the list that it got first, whatever later requests name`() throws {
    let fetch = try FetchProcess()
    let allowed = servers.get(servers.closed)
    try fetch.send(FetchPlaces(of: [allowed.url], proxy: nil).packet())
    #expect(try fetch.perform(allowed).0.outcome == .refused)
    for url in ["https://127.0.0.1:\(servers.mute)/", "https://localhost:\(servers.closed)/", "https://127.0.0.1/"] {
      var request = allowed
      request.url = url
      #expect(try fetch.perform(request).0.outcome == .unacceptableRequest, "\(url)")
    }
    var request = allowed
    request.proxy = "http://127.0.0.1:\(servers.closed)"
    #expect(try fetch.perform(request).0.outcome == .unacceptableRequest)
    #expect(try fetch.perform(allowed).0.outcome == .refused)
  }

  @Test(arguments: [false, true])
  func `ends if a list of allowed hosts and ports is not the first message`(isSecondList: Bool) throws {
    var fetch = try FetchProcess()
    let request = servers.get(servers.closed)
    if isSecondList {
      try fetch.send(FetchPlaces(of: [request.url], proxy: nil).packet())
    } else {
      _ = try fetch.perform(request)
    }
    try fetch.send(FetchPlaces(of: ["https://elsewhere.example/"], proxy: nil).packet())
    #expect(fetch.ended() == FetchExitStatus.malformedPacket.rawValue)
  }
}
