import Foundation
import Testing
import UAFWire

/// Requests that the built program sends to servers that answer.
struct ExchangeTests {
  let servers: Servers

  init() throws { servers = try Servers.shared() }

  @Test func `returns the answer's status, type and body, and the server's certificate`() throws {
    let fetch = try FetchProcess()
    let (response, body) = try fetch.perform(servers.get(servers.good))
    #expect(response.outcome == .answered)
    #expect(response.handshakeCompleted)
    #expect(response.status == 200)
    #expect(response.contentType == "application/json")
    #expect(response.certificate == Data(base64Encoded: servers.leaf).map(Array.init))
    #expect(body == Array(#"{"ok":true}"#.utf8))
  }

  @Test func `returns the time of the server's answer, or none if it cannot be read`() throws {
    let fetch = try FetchProcess()
    #expect(try fetch.perform(servers.get(servers.good, "/dated")).0.date == 1_800_000_000)
    for path in ["/undated", "/dated-twice", "/dated-long-ago", "/dated-otherwise"] {
      let (response, _) = try fetch.perform(servers.get(servers.good, path))
      #expect(response.status == 200 && response.date == nil, "\(path)")
    }
  }

  @Test func `several requests use one connection, and each answer names the server's certificate`() throws {
    let fetch = try FetchProcess()
    let (first, one) = try fetch.perform(servers.get(servers.good, "/connection"))
    let (second, two) = try fetch.perform(servers.get(servers.good, "/connection"))
    let (third, _) = try fetch.perform(servers.get(servers.good, "/nowhere"))
    #expect(one == two)
    #expect(second.handshakeCompleted)
    #expect(first.certificate?.isEmpty == false)
    #expect(second.certificate == first.certificate)
    #expect(third.certificate == first.certificate)
  }

  @Test
  func `accepts http to this machine, where a connection counts as the handshake and there is no certificate`() throws {
    let fetch = try FetchProcess()
    let url = "http://127.0.0.1:\(servers.plain)/ok"
    let (response, body) = try fetch.perform(FetchRequest(.get, url: url, timeoutMilliseconds: 20_000))
    #expect(response.outcome == .answered && response.handshakeCompleted && response.status == 200)
    #expect(response.certificate == nil && body == Array(#"{"ok":true}"#.utf8))
    let (refused, _) = try fetch.perform(
      FetchRequest(.get, url: "http://127.0.0.1:1/ok", timeoutMilliseconds: 20_000))
    #expect(refused.outcome == .refused && !refused.handshakeCompleted)
  }

  @Test func `posts a body with any bytes, up to the limit`() throws {
    let fetch = try FetchProcess()
    for count in [0, 1, WireLimit.requestBody] {
      let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let (response, body) = try fetch.perform(servers.post(servers.good, "/echo", sent))
      #expect(response.status == 200)
      #expect(body == sent)
    }
    let (response, body) = try fetch.perform(servers.post(servers.good, "/echo", nil))
    #expect(response.status == 200)
    #expect(body.isEmpty)
  }

  @Test func `sends a machine's proof in a header of its own`() throws {
    let fetch = try FetchProcess()
    var request = servers.post(servers.good, "/headers", [1])
    request.machineProof = "AQI"
    let (_, body) = try fetch.perform(request)
    #expect(
      try JSONDecoder().decode([String].self, from: Data(body)).filter { $0.contains("AQI") } == ["UAF-Machine: AQI"])
  }

  @Test func `sends an enrolment code in a header of its own`() throws {
    let fetch = try FetchProcess()
    var request = servers.post(servers.good, "/headers", [1])
    request.authorization = "Bearer abc"
    let (_, body) = try fetch.perform(request)
    #expect(try JSONDecoder().decode([String].self, from: Data(body)).contains("Authorization: Bearer abc"))
  }

  @Test func `sends the further headers of a request`() throws {
    let fetch = try FetchProcess()
    var request = servers.post(servers.good, "/headers", [1])
    request.headers = ["Origin: linux://example.com", "X-Session-Token: abc"]
    let (_, body) = try fetch.perform(request)
    let sent = try JSONDecoder().decode([String].self, from: Data(body))
    #expect(request.headers.allSatisfy(sent.contains))
  }

  @Test func `sends the cookies of a request, and returns them as the answer has changed them`() throws {
    let fetch = try FetchProcess()
    var request = servers.get(servers.good, "/cookies")
    request.cookies = "session=a1; old=1; theme=dark"
    let (response, body) = try fetch.perform(request)
    #expect(response.cookies == "session=b2; theme=dark")
    #expect(String(decoding: body, as: UTF8.self) == #""session=a1; old=1; theme=dark""#)
    request.cookies = ""
    let (first, none) = try fetch.perform(request)
    #expect(first.cookies == "session=b2" && String(decoding: none, as: UTF8.self) == "null")
  }

  @Test func `handles cookies only if the request contains a cookie field, and remembers none`() throws {
    let fetch = try FetchProcess()
    for _ in 0..<2 {
      let (response, body) = try fetch.perform(servers.get(servers.good, "/cookies"))
      #expect(response.cookies == nil && String(decoding: body, as: UTF8.self) == "null")
    }
  }

  @Test(arguments: [
    ("/session", "eyJ.a-b_c.d" as String?), ("/session-longest", String(repeating: "k", count: 992)),
    ("/session-too-long", nil), ("/session-twice", nil), ("/session-with-space", nil), ("/ok", nil),
  ])
  func `returns the session in an answer's header, unless the header is not exactly one that can be sent back`(
    _ path: String, _ session: String?
  ) throws {
    let fetch = try FetchProcess()
    var request = servers.get(servers.good, path)
    request.cookies = ""
    #expect(try fetch.perform(request).0.session == session)
    request.cookies = nil
    #expect(try fetch.perform(request).0.session == nil)
  }

  @Test func `sends no header except the requested ones and the name of the program`() throws {
    let fetch = try FetchProcess()
    var request = servers.post(servers.good, "/headers", [1, 2, 3])
    request.contentType = "application/fido+uaf; charset=utf-8"
    request.accept = "application/fido+uaf"
    let (_, body) = try fetch.perform(request)
    #expect(
      try JSONDecoder().decode([String].self, from: Data(body)) == [
        "POST", "Accept: application/fido+uaf", "Content-Length: 3",
        "Content-Type: application/fido+uaf; charset=utf-8", "Host: 127.0.0.1:\(servers.good)",
        "User-Agent: pam-uaf/0.2.0",
      ])
    let (_, bare) = try fetch.perform(servers.get(servers.good, "/headers"))
    #expect(
      try JSONDecoder().decode([String].self, from: Data(bare)) == [
        "GET", "Host: 127.0.0.1:\(servers.good)", "User-Agent: pam-uaf/0.2.0",
      ])
  }

  @Test func `returns the refusal of a server with its status and body`() throws {
    let fetch = try FetchProcess()
    let (response, body) = try fetch.perform(servers.get(servers.good, "/nowhere"))
    #expect(response.outcome == .answered)
    #expect(response.status == 404)
    #expect(body == Array("no such path".utf8))
  }

  @Test func `returns an answer that has no body`() throws {
    let fetch = try FetchProcess()
    let (response, body) = try fetch.perform(servers.get(servers.good, "/empty"))
    #expect(response.status == 204)
    #expect(body.isEmpty)
  }

  @Test func `the network program follows no redirect`() throws {
    let fetch = try FetchProcess()
    let (response, body) = try fetch.perform(servers.get(servers.good, "/redirect"))
    #expect(response.status == 302)
    #expect(body == Array("elsewhere".utf8))
    let place = "https://127.0.0.1:\(servers.good)/ok"
    #expect(response.redirect == FetchResponse.Redirect(url: place, isAuthorized: false))
  }

  @Test(arguments: [
    ("vouched", true), ("vouched-lower", true), ("unvouched", false), ("vouched-twice", false),
    ("vouched-upper", false), ("vouched-more", false),
  ]) func `reports whether the server vouches for its redirect`(_ path: String, _ isAuthorized: Bool) throws {
    let fetch = try FetchProcess()
    let (response, _) = try fetch.perform(servers.get(servers.good, "/\(path)"))
    let redirect = FetchResponse.Redirect(url: "https://other.example:8443/f?x", isAuthorized: isAuthorized)
    #expect(response.status == 301 && response.redirect == redirect)
  }

  @Test(arguments: ["nowhere-to", "too-far"]) func `reports no redirect if the answer has no usable address`(
    _ path: String
  ) throws {
    let fetch = try FetchProcess()
    let (response, _) = try fetch.perform(servers.get(servers.good, "/\(path)"))
    #expect(response.status == 301 && response.redirect == nil)
  }

  @Test func `reports no redirect if the status is not that of a redirect`() throws {
    let fetch = try FetchProcess()
    let (response, _) = try fetch.perform(servers.get(servers.good, "/created"))
    #expect(response.status == 201 && response.redirect == nil)
  }

  @Test func `accepts an answer whose body has exactly the maximum size`() throws {
    let fetch = try FetchProcess()
    let (response, body) = try fetch.perform(servers.get(servers.good, "/largest"))
    #expect(response.outcome == .answered)
    #expect(body == (0..<WireLimit.responseBody).map { UInt8($0 % 251) })
  }

  @Test(arguments: ["/one-more", "/announced", "/unannounced", "/endless", "/many-headers", "/long-headers"])
  func `refuses an answer that is too large, and performs the next request`(_ path: String) throws {
    let fetch = try FetchProcess()
    let (response, body) = try fetch.perform(servers.get(servers.good, path))
    #expect(response.outcome == .tooLarge)
    #expect(response.handshakeCompleted)
    #expect(response.status == 0)
    #expect(body.isEmpty)
    let (next, _) = try fetch.perform(servers.get(servers.good))
    #expect(next.outcome == .answered)
  }

  @Test(arguments: ["/drip", "/hang"]) func `gives up at the deadline, even if the server still sends`(_ path: String)
    throws
  {
    let fetch = try FetchProcess()
    _ = try fetch.perform(servers.get(servers.good))
    let (response, body) = try fetch.perform(servers.get(servers.good, path, timeout: 700))
    #expect(response.outcome == .timedOut)
    #expect(response.handshakeCompleted)
    #expect(response.status == 0)
    #expect(body.isEmpty)
  }

  @Test(arguments: ["/cut", "/reset"]) func `reports a connection that is lost after the handshake`(_ path: String)
    throws
  {
    let fetch = try FetchProcess()
    let (response, _) = try fetch.perform(servers.get(servers.good, path))
    #expect(response.outcome == .connectionLost)
    #expect(response.handshakeCompleted)
  }

  @Test func `refuses an answer that is not HTTP`() throws {
    let fetch = try FetchProcess()
    let (response, _) = try fetch.perform(servers.get(servers.good, "/garbage"))
    #expect(response.outcome == .other)
    #expect(response.handshakeCompleted)
    #expect(response.status == 0)
  }

  @Test func `shortens a content type, and removes its control bytes`() throws {
    let fetch = try FetchProcess()
    let (response, _) = try fetch.perform(servers.get(servers.good, "/strange-type"))
    #expect(response.outcome == .answered)
    #expect(response.contentType?.utf8.count == 256)
    #expect(response.contentType?.utf8.allSatisfy { 0x20...0x7E ~= $0 } == true)
  }

  @Test func `uses a proxy if the request names one`() throws {
    let fetch = try FetchProcess()
    var request = servers.get(servers.good)
    request.proxy = "http://127.0.0.1:\(servers.proxy)"
    let (response, _) = try fetch.perform(request)
    #expect(response.outcome == .answered)
    #expect(response.certificate == Data(base64Encoded: servers.leaf).map(Array.init))
  }

  @Test func `a proxy that refuses or cannot be reached is reported as no handshake with the server`() throws {
    let fetch = try FetchProcess()
    var request = servers.get(servers.good)
    request.url = "https://127.0.0.2:1/ok"
    request.proxy = "http://127.0.0.1:\(servers.proxy)"
    let (forbidden, _) = try fetch.perform(request)
    #expect(forbidden.outcome == .proxyRefused)
    #expect(!forbidden.handshakeCompleted)
    request.proxy = "http://127.0.0.1:\(servers.closed)"
    let (away, _) = try fetch.perform(request)
    #expect(away.outcome == .refused)
    #expect(!away.handshakeCompleted)
  }
}
