import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A server` {
    private static let untrusted =
      "The server's certificate or the channel binding is wrong. Do not enter your passcode elsewhere; "
      + "tell the administrator."
    private static let misunderstood =
      "A message from the server was not understood. Tell the administrator; the log says which one."

    /// A server with one fault, and the result of a login with the right passcode.
    struct Case: Sendable, CustomTestStringConvertible {
      let server: String
      let path: String
      let refusal: Refusal

      init(_ server: String, path: String = "/ok", _ code: PAMCode, _ text: String, log: String) {
        (self.server, self.path) = (server, path)
        refusal = Refusal(code: code, text: text, log: log, asks: true)
      }

      var testDescription: String { server + path }
    }

    /// Servers with which no TLS session begins.
    ///
    /// Only a refused connection counts as an unreachable server: a server that accepts the connection was reached.
    private static let absent = [
      Case(
        "closed", .informationUnavailable, "No answer from the server: the connection was refused.",
        log: "no connection to the server (refused); check network, address and server"),
      Case(
        "plain", .authenticationError, "No answer from the server: no secure connection could be made.",
        log: "no secure connection could be made (tls)"),
      Case(
        "tls11", .authenticationError, "No answer from the server: no secure connection could be made.",
        log: "no secure connection could be made (tls)"),
      Case(
        "reset", .authenticationError, "No answer from the server: no secure connection could be made.",
        log: "no secure connection could be made (tls)"),
      Case(
        "mute", .authenticationError, "No answer from the server: it took too long.",
        log: "no secure connection could be made (timeOut)"),
    ]

    private static let uncertified = ["wrongHost", "expired", "unknown", "selfSigned"].map {
      Case($0, .authenticationError, untrusted, log: "the server's certificate is not trusted; check the server")
    }

    private static let slow = ["/hang", "/drip"].map {
      Case(
        "good", path: $0, .authenticationError, "No answer from the server: it took too long.",
        log: "the server stopped replying (timeOut)")
    }

    private static let lost = ["/garbage", "/cut"].map {
      Case(
        "good", path: $0, .authenticationError, "No answer from the server: the connection broke off.",
        log: "the server stopped replying (connectionLost); check the server")
    }

    private static let garbage = [
      Case(
        "good", path: "/ok", .authenticationError,
        "The server sent an invalid message. Tell the administrator; the log says what.",
        log: "the UAF message lacks ReturnUAFRequest.statusCode; the sender must correct it"),
      Case(
        "good", path: "/one-more", .authenticationError, misunderstood,
        log: "the server's reply is too large; check that the address belongs to a UAF server"),
      notUAF("/empty", 204), notUAF("/redirect", 302), notUAF("/nothing-here", 404),
    ]

    private static func notUAF(_ path: String, _ status: Int) -> Case {
      Case(
        "good", path: path, .authenticationError, misunderstood,
        log: "the reply with HTTP status \(status) is not a UAF message; check the addresses in the configuration")
    }

    private static let all = absent + uncertified + slow + lost + garbage

    // SAFETY: the tests of this target run one after the other.
    private nonisolated(unsafe) static let one = Result { try registered() }

    /// A registered account, whose machine trusts the bad servers' CA too.
    private static func registered() throws -> Scene {
      let scene = try Scene.registered()
      let own = try String(contentsOfFile: scene.server.authority, encoding: .utf8)
      try scene.write(try BadServers.shared().authority + own, to: "ca.pem")
      scene.settings.authority = scene.path("ca.pem")
      scene.settings.server = "timeout = 1"
      return scene
    }

    /// One account for all cases, because a server's fault does not change it; each case has its own configuration.
    private func scene(_ change: (inout Settings) throws -> Void) throws -> Scene {
      let scene = try unsafe Self.one.get()
      let settings = scene.settings
      defer { scene.settings = settings }
      try scene.configure(change)
      return scene
    }

    @Test(arguments: all)
    func `if the server's request cannot be got or read, the login is refused, and a correct passcode is not counted`(
      _ bad: Case
    ) throws {
      let scene = try scene { $0.requestURL = try BadServers.shared().url(bad.server, bad.path) }
      try bad.refusal.check { try scene.logIn(Scene.passcode) }
      #expect(try scene.status().remainingTries == 5)
    }

    /// If the server has sent a request and then falls silent, that is a refusal: a PAM stack must not fall back to passwords
    /// then.
    @Test(arguments: all)
    func `if the server's verdict is missing or unreadable, the login is refused, and not as unreachable`(_ bad: Case)
      throws
    {
      let scene = try scene { $0.responseURL = try BadServers.shared().url(bad.server, bad.path) }
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .authenticationError)
      #expect(login.errors == [bad.refusal.text])
      #expect(login.prompts.count == 1)
    }

    @Test func `a wrong passcode is counted even if the server cannot be reached`() throws {
      let scene = try scene { $0.requestURL = try BadServers.shared().url("closed") }
      #expect(try scene.logIn("wrong1111").errors == ["Wrong passcode: 4 tries left."])
      #expect(try scene.status().remainingTries == 4)
      // Restores the configuration for the other tests.
      try scene.configure()
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }
  }
}
