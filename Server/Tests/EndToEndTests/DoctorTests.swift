import Foundation
import Testing

extension EndToEnd {
  /// `uafctl doctor` with real servers, a real core and a real uaf-fetch.
  @Suite struct `The doctor` {
    /// A mistake that root makes, and the name of the finding for it.
    struct Mistake: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let finding: String
      let make: @Sendable (Scene) throws -> Void

      init(_ name: String, _ finding: String, _ make: @escaping @Sendable (Scene) throws -> Void) {
        testDescription = name
        self.finding = finding
        self.make = make
      }
    }

    private static let mistakes = [
      Mistake("a wrong path", "server-path") { scene in
        try scene.configure { $0.requestURL = scene.server.url + "/uaf/gte" }
      },
      Mistake("a wrong path for answers", "server-path") { scene in
        try scene.configure { $0.responseURL = scene.server.url + "/respond" }
      },
      Mistake("a wrong host", "server-unreachable") { scene in
        let url = scene.server.url.replacing("127.0.0.1", with: "127.0.0.2")
        try scene.configure { $0.requestURL = url + "/uaf/get" }
      },
      Mistake("a wrong port", "server-unreachable") { scene in
        try scene.configure { $0.requestURL = "https://127.0.0.1:1/uaf/get" }
      },
      Mistake("an authority that is not the server's", "server-certificate") { scene in
        try scene.write(BadServers.shared().authority, to: "other.pem")
        try scene.configure { $0.authority = scene.path("other.pem") }
      },
      Mistake("an expired certificate", "server-certificate") { try bad("expired", $0) },
      Mistake("a certificate for another name", "server-certificate") { try bad("wrongHost", $0) },
      Mistake("the key of another server's verdicts", "verdict-key") { scene in
        let other = try Server()
        defer { try? other.stop() }
        try scene.write(String(contentsOfFile: other.state + "/verdict.pub", encoding: .utf8), to: "verdict.pub")
        try scene.configure {
          $0.server = "require_signed_verdict = true\nverdict_key = \"\(scene.path("verdict.pub"))\""
        }
      },
      Mistake("a FacetID that the server does not list", "facet-list") { scene in
        try scene.configure { $0.server = "facet_id = \"linux:other\"" }
      },
      Mistake("the wrong dialect", "server-path") { scene in try scene.configure { $0.server = "dialect = \"plain\"" }
      },
      Mistake("a wrong proxy", "server-proxy") { scene in
        try scene.configure { $0.server = "proxy = \"http://127.0.0.1:1\"" }
      },
      Mistake("a damaged account file", "account-damaged") { scene in
        try scene.register()
        try Data(repeating: 7, count: 8192).write(to: URL(filePath: scene.path("state/accounts/\(Scene.uid).db")))
      },
      Mistake("everybody locked", "accounts-locked") { scene in
        try scene.register()
        for number in 0..<5 { _ = try scene.logIn("wrong\(number)") }
      },
      Mistake("a state folder that is older than what the server has seen", "key-behind") { scene in
        try scene.register()
        try Command.succeed(["cp", "-a", scene.path("state"), scene.path("copy")], logged: false)
        for _ in 0..<2 { _ = try scene.logIn(Scene.passcode) }
        try FileManager.default.removeItem(atPath: scene.path("state"))
        try Command.succeed(["cp", "-a", scene.path("copy"), scene.path("state")], logged: false)
        _ = try scene.logIn(Scene.passcode)
      },
      Mistake("lock options that wait for a right entry", "lock-options") { scene in
        try scene.register()
        _ = try scene.logIn("wrong")
        try scene.configure { $0.lock = "retry_count_to_lock = 9" }
      },
      Mistake("a damaged trust.conf", "trust-unusable") { scene in
        try scene.write("[state]\ndirectory = \"\(scene.settings.stateDirectory)\"\n", to: "pam_uaf.conf")
        try scene.write("[server]\nrequest_url = 'htt", to: "state/trust.conf", mode: 0o600)
      },
    ]

    private static func bad(_ name: String, _ scene: Scene) throws {
      let servers = try BadServers.shared()
      try scene.write(servers.authority, to: "bad.pem")
      try scene.configure {
        $0.authority = scene.path("bad.pem")
        $0.requestURL = try servers.url(name)
      }
    }

    /// The remedy of each finding by the finding's name, including findings about the rest of this machine, which do not
    /// matter.
    private func found(_ scene: Scene) throws -> [String: String] {
      let output = try scene.tool("doctor", "--json", "--pam-directory", scene.path("pam.d"))
      let line = try #require(output.lines.first { $0.hasPrefix("{") }, "\(output.text)")
      let document = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let findings = try #require(document["findings"] as? [[String: String]])
      return Dictionary(
        findings.compactMap { finding in finding["id"].map { ($0, finding["remedy"] ?? "") } },
        uniquingKeysWith: { first, _ in first })
    }

    @Test(arguments: mistakes)
    func `uafctl doctor names root's mistake, and reports nothing before root makes the mistake`(
      _ mistake: Mistake
    )
      throws
    {
      let scene = try Scene()
      let before = try found(scene)
      #expect(before.keys.allSatisfy { name in !Self.mistakes.contains { $0.finding == name } }, "\(before)")
      try mistake.make(scene)
      #expect(try found(scene)[mistake.finding]?.isEmpty == false)
    }

    @Test(arguments: ForeignServer.Dialect.allCases)
    func `uafctl doctor finds no fault with a different maker's server, in each dialect`(
      _ dialect: ForeignServer.Dialect
    ) throws {
      let scene = try Scene()
      try ForeignServer.shared().serve(scene, dialect)
      let names = try found(scene).keys.filter { $0.hasPrefix("server-") || $0.hasPrefix("facet-") }
      #expect(names.isEmpty, "\(names)")
    }

    @Test func `uafctl doctor leaves nothing at the server, and recognises the server's verdict key`() throws {
      let scene = try Scene.registered()
      try scene.configure {
        $0.server = "require_signed_verdict = true\nverdict_key = \"\(scene.server.state)/verdict.pub\""
      }
      let users = { try Command.run([Programs.server, "users", "--state", scene.server.state], logged: false).text }
      let before = try users()
      let found = try found(scene)
      #expect(found["verdict-key"] == nil && found["clock-server"] == nil)
      #expect(try users() == before)
      #expect(!before.contains("uafctl-doctor"))
    }
  }
}
