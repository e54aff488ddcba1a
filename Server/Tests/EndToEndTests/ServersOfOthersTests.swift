import Foundation
import Testing

extension EndToEnd {
  /// The configurations of docs/servers-of-others.md, with servers that behave like the real ones.
  @Suite struct ServersOfOthersTests {
    private func standIns() throws -> StandIns { try StandIns.shared() }

    @Test func `the documentation page has a configuration for each of the other makers' servers, and no other`() throws
    {
      #expect(try ServersPage.configurations().count == StandIns.Kind.allCases.count)
      for block in try ServersPage.configurations() {
        #expect(block.contains("\"https://\(ServersPage.host)/") && block.contains("\"\(ServersPage.authority)\""))
      }
    }

    @Test(arguments: StandIns.Kind.allCases)
    func `with the page's configuration an account registers, logs in, is refused by the server, and deregisters`(
      _ kind: StandIns.Kind
    ) throws {
      let scene = try standIns().scene(kind)
      let registered = try standIns().register(scene, kind)
      #expect(registered.status == 0, "\(registered.text)")
      for _ in 0..<2 {
        let login = try scene.logIn(Scene.passcode)
        #expect(login.code == .success, "\(login.output.text)")
        #expect(login.prompts.count == 1)
      }
      #expect(try scene.logIn("wrong1111").code == .authenticationError)
      let refused = try standIns().replying { try scene.logIn(Scene.passcode) }
      #expect(refused.code == .authenticationError, "\(refused.output.text)")
      #expect(try scene.logIn(Scene.passcode).code == .success, "a refusal takes no key away")
      let output = try scene.tool("deregister", "--user", scene.user, input: Scene.passcode + "\n")
      #expect(output.status == 0, "\(output.text)")
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }

    @Test(arguments: StandIns.Kind.allCases)
    func `a second machine registers the same account, and the first machine's key still works`(
      _ kind: StandIns.Kind
    ) throws {
      let first = try standIns().scene(kind)
      let second = try standIns().scene(kind, user: first.user)
      for scene in [first, second] {
        let output = try standIns().register(scene, kind)
        #expect(output.status == 0, "\(output.text)")
      }
      for scene in [first, second, first] { #expect(try scene.logIn(Scene.passcode).code == .success) }
      guard StandIns.Kind.told.contains(kind) else { return }
      // These servers cannot distinguish machines: one deregistration removes both keys, and the first machine makes a new one.
      #expect(try second.tool("deregister", "--user", second.user, input: Scene.passcode + "\n").status == 0)
      let login = try first.logIn(Scene.passcode)
      #expect(login.code == .authenticationError, "\(login.output.text)")
      let again = try standIns().register(first, kind, [Scene.passcode])
      #expect(again.status == 0, "\(again.text)")
      #expect(try first.logIn(Scene.passcode).code == .success)
    }

    @Test(arguments: StandIns.Kind.allCases)
    func `a second person's registration does not change the first person's registration`(_ kind: StandIns.Kind) throws
    {
      let people = try (0..<2).map { _ in try standIns().scene(kind) }
      for scene in people { #expect(try standIns().register(scene, kind).status == 0) }
      for scene in people { #expect(try scene.logIn(Scene.passcode).code == .success) }
    }

    // MARK: Refused

    @Test(arguments: StandIns.Kind.allCases, StandIns.Reply.allCases)
    func `a machine keeps no key if another maker's server replies to the registration with anything but its success`(
      _ kind: StandIns.Kind, _ reply: StandIns.Reply
    ) throws {
      let scene = try standIns().scene(kind)
      #expect(try standIns().replying(reply) { try standIns().register(scene, kind) }.status == 1)
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }

    @Test(arguments: StandIns.Kind.allCases, StandIns.Reply.allCases)
    func `nobody is logged in if another maker's server replies with anything but its success`(
      _ kind: StandIns.Kind, _ reply: StandIns.Reply
    ) throws {
      let scene = try standIns().scene(kind)
      #expect(try standIns().register(scene, kind).status == 0)
      let login = try standIns().replying(reply) { try scene.logIn(Scene.passcode) }
      #expect(login.code != .success, "\(login.output.text)")
    }

    @Test func `a token that nevisFIDO's stand-in does not know registers nobody`() throws {
      let scene = try standIns().scene(.nevis)
      let entries = ["other_\(scene.user)", Scene.passcode, Scene.passcode]
      let output = try scene.tool("register", scene.user, input: entries.map { $0 + "\n" }.joined())
      #expect(output.status == 1 && output.text.contains("enrolment code"), "\(output.text)")
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }

    @Test
    func `a token's payload registers if it names the configured address, and nothing is sent if it names another`()
      throws
    {
      let standIns = try standIns()
      let scene = try standIns.scene(.nevis)
      let token = try #require(standIns.entry(scene, .nevis))
      let configured = "\(standIns.url)/nevisfido/token/redeem/registration"
      let others = [
        "https://localhost\(standIns.url.dropFirst("https://127.0.0.1".count))/nevisfido/token/redeem/registration",
        "\(standIns.url)/nevisfido/token/redeem/authentication",
        "https://fido.example.net/nevisfido/token/redeem/registration",
      ]
      for address in others + [configured] {
        let payload = #"{"nma_data":{"token":"\#(token)","redeem_url":"\#(address)"},"nma_data_version":"1"}"#
        try scene.write(Data(payload.utf8).base64EncodedString().filter { $0 != "=" }, to: "payload", mode: 0o600)
        let before = try standIns.heard()
        let output = try scene.tool(
          "register", scene.user, "--code", scene.path("payload"), input: "\(Scene.passcode)\n\(Scene.passcode)\n")
        if address == configured {
          #expect(output.status == 0, "\(output.text)")
        } else {
          #expect(output.status == 1 && output.text.contains("not for this machine's server"), "\(output.text)")
          #expect(try standIns.heard() == before, "\(address)")
        }
      }
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test
    func `a wrong enrolment code registers nobody at another maker's server, and the message says that it is wrong`()
      throws
    {
      let scene = try standIns().scene(.engine)
      let output = try scene.tool("register", scene.user, input: "wrong\n\(Scene.passcode)\n\(Scene.passcode)\n")
      #expect(output.status == 1 && output.text.contains("enrolment code"), "\(output.text)")
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }

    @Test func `a login is refused if the server adds a text to confirm and root has not allowed such texts`() throws {
      let scene = try standIns().scene(.newer)
      #expect(try standIns().register(scene, .newer).status == 0)
      try scene.configure { $0.serverTables = $0.serverTables?.replacing("accept_transaction = \"any\"", with: "") }
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
    }
  }
}
