import Foundation
import Testing

extension EndToEnd {
  /// pam-uaf's programs with a server in a different language, which was written only from the specification's text.
  @Suite struct ForeignServerTests {
    private func foreign() throws -> ForeignServer { try ForeignServer.shared() }

    @Test(arguments: ForeignServer.Dialect.allCases)
    func `the client registers, logs in and deregisters at a server written only from the specification`(
      _ dialect: ForeignServer.Dialect
    ) throws {
      let scene = try foreign().registered(dialect)
      for _ in 0..<2 { #expect(try scene.logIn(Scene.passcode).code == .success) }
      #expect(try scene.logIn("wrong1111").code == .authenticationError)
      let output = try scene.tool("deregister", "--user", scene.user, input: Scene.passcode + "\n")
      #expect(output.status == 0, "\(output.text)")
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }

    @Test(arguments: [ForeignServer.Dialect.fido, .plain])
    func `the client registers again after a deregistration`(_ dialect: ForeignServer.Dialect) throws {
      let scene = try foreign().registered(dialect)
      #expect(try scene.tool("deregister", "--user", scene.user, input: Scene.passcode + "\n").status == 0)
      #expect(try foreign().register(scene).status == 0)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test(
      arguments: [ForeignServer.Dialect.fido, .plain],
      [
        "asking", "verified", "verified-if-known", "one-more", "four-more",
      ])
    func `the client logs in at a server that adds a known or optional extension, or up to four further requests`(
      _ dialect: ForeignServer.Dialect, _ behaviour: String
    ) throws {
      let scene = try Self.registered(dialect)
      try foreign().serve(scene, dialect, behaviour)
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .success, "\(login.output.text)")
      #expect(login.prompts.count == 1)
    }

    @Test func `the client registers at a server that requires to be told how the person was verified`() throws {
      let scene = try Scene()
      try foreign().serve(scene, .fido, "verified")
      let output = try foreign().register(scene)
      #expect(output.status == 0, "\(output.text)")
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `the client does not log in with a key that was registered under a different AppID`() throws {
      let scene = try foreign().registered(.fido)
      try foreign().serve(scene, .fido, "redirected")
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
    }

    @Test
    func `the client registers and logs in if the facet list's URL redirects and the server confirms the redirect`()
      throws
    {
      let scene = try Scene()
      try foreign().serve(scene, .fido, "redirected")
      #expect(try foreign().register(scene).status == 0)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `the client registers at a server that also requires an authentication with the new key`() throws {
      let scene = try Scene()
      try foreign().serve(scene, .plain, "one-more")
      let output = try foreign().register(scene)
      #expect(output.status == 0, "\(output.text)")
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test
    func `at a server that cannot distinguish machines, a registration on one machine keeps the other machines' keys`()
      throws
    {
      let one = try foreign().registered(.fido)
      let second = try Scene(user: one.user)
      try foreign().serve(second, .fido)
      #expect(try foreign().register(second).status == 0)
      #expect(try one.logIn(Scene.passcode).code == .success)
      #expect(try second.logIn(Scene.passcode).code == .success)
    }

    // MARK: Refused

    private static let requests = [
      "foreign-app", "android-app", "unlisted", "untyped", "unvouched", "future", "demanding", "short-challenge",
      "other-op", "other-keys", "slipped",
    ]
    private static let verdicts = [
      "always-more", "more-of-another", "empty", "ok-text", "no-status", "status-text", "pending", "bare",
      "status-twice", "revoked", "cut", "half", "http-201",
    ]

    @Test(arguments: [ForeignServer.Dialect.fido, .plain])
    func `the client refuses each login in which the server lies, and accepts the next honest one`(
      _ dialect: ForeignServer.Dialect
    ) throws {
      let scene = try Self.registered(dialect)
      // Inside the envelope both dialects have the same request, and read it in the same way. So one wrong request is enough
      // for `plain`.
      for behaviour in (dialect == .fido ? Self.requests : ["other-op"]) + Self.verdicts {
        try foreign().serve(scene, dialect, behaviour)
        let login = try scene.logIn(Scene.passcode)
        #expect(login.code == .authenticationError, "\(behaviour): \(login.output.text)")
      }
      try foreign().serve(scene, dialect)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test(arguments: ["other-kind", "twice", "trailing"])
    func `the client refuses a login if the server's reply is HTML, repeats a member or has trailing text`(
      _ behaviour: String
    ) throws {
      let scene = try Self.registered(.fido)
      try foreign().serve(scene, .fido, behaviour)
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
    }

    @Test(arguments: ["wrapped", "created"])
    func `with the plain dialect the client refuses a request in an envelope, or with HTTP status 201`(
      _ behaviour: String
    ) throws {
      let scene = try Self.registered(.plain)
      try foreign().serve(scene, .plain, behaviour)
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
    }

    @Test(arguments: [
      (ForeignServer.Dialect.fido, "other-user"), (.fido, "other-op"), (.fido, "foreign-app"), (.fido, "demanding"),
      (.fido, "empty"), (.plain, "empty"), (.plain, "half"),
    ])
    func `the client keeps no key if the server's messages are for something else, ask too much, or are no success`(
      _ dialect: ForeignServer.Dialect, _ behaviour: String
    ) throws {
      let scene = try Scene()
      try foreign().serve(scene, dialect, behaviour)
      #expect(try foreign().register(scene).status != 0)
      try foreign().serve(scene, dialect)
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }

    @Test(arguments: [(ForeignServer.Dialect.fido, "old-wildcard"), (.fido, "foreign-app"), (.plain, "others-keys")])
    func `the client keeps its key if the server's deregistration request names only other keys`(
      _ dialect: ForeignServer.Dialect, _ behaviour: String
    ) throws {
      let scene = try Self.registered(dialect)
      try foreign().serve(scene, dialect, behaviour)
      #expect(try scene.tool("deregister", "--user", scene.user, input: Scene.passcode + "\n").status != 0)
      try foreign().serve(scene, dialect)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `the client deletes its keys if the server sends the wildcard of UAF 1 dot 1`() throws {
      let scene = try foreign().registered(.fido)
      try foreign().serve(scene, .fido, "wildcard")
      #expect(try scene.tool("deregister", "--user", scene.user, input: Scene.passcode + "\n").status == 0)
      try foreign().serve(scene, .fido)
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }

    // A refusal does not change a registered account, so the refusals share one account for each dialect.
    // SAFETY: the tests of this target run one after the other.
    private nonisolated(unsafe) static var scenes: [ForeignServer.Dialect: Scene] = [:]

    private static func registered(_ dialect: ForeignServer.Dialect) throws -> Scene {
      if let scene = unsafe scenes[dialect] { return scene }
      let scene = try ForeignServer.shared().registered(dialect)
      unsafe scenes[dialect] = scene
      return scene
    }
  }
}
