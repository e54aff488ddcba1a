import Testing

extension EndToEnd {
  @Suite struct `A user name` {
    private static let unusable =
      "The user name is not valid. Use a short name without spaces, control or non-ASCII characters."

    private static let bad: [(name: String, refusal: Refusal)] = [
      ("", Refusal(code: .userUnknown, text: "The user name is empty. Give a user name.", log: "user name is empty")),
      ("mina park", unusable(account: "mina%20park")),
      (" ", unusable(account: "%20")),
      ("mina\u{1b}[2J", unusable(account: "mina%1B[2J")),
      ("mina\nevent=authenticate result=0", unusable(account: "mina%0Aevent%3Dauthenticate%20result%3D0")),
      ("mina\t\r\u{7f}", unusable(account: "mina%09%0D%7F")),
      ("미나", unusable(account: "%EB%AF%B8%EB%82%98")),
      (
        String(repeating: "m", count: 65_536),
        Refusal(code: .userUnknown, text: unusable, log: "the user name is too long or could not be sent")
      ),
    ]

    private static func unusable(account: String) -> Refusal {
      Refusal(
        code: .userUnknown, text: unusable,
        log: "account=\(account) service=demo origin=local via=root detail=\"the user name has characters that are not")
    }

    // SAFETY: the tests of this target run one after the other.
    private nonisolated(unsafe) static let scene = Result { try Scene.registered() }

    @Test(arguments: bad)
    func `a name that no account can have is refused without a prompt, in one line of the log`(
      _ name: String, _ refusal: Refusal
    ) throws {
      let scene = try unsafe Self.scene.get()
      try refusal.check { try scene.logIn(Scene.passcode, as: name) }
    }

    @Test func `in a remote login, a name that no account can have is refused in the same way as a wrong passcode`()
      throws
    {
      let scene = try unsafe Self.scene.get()
      let wrong = try scene.logIn("wrong1111", from: "192.0.2.1")
      #expect(wrong.code == .authenticationError)
      #expect(wrong.prompts.count == 1)
      #expect(wrong.errors == ["Wrong passcode."])
      for name in Self.bad.map(\.name) {
        let login = try scene.logIn("wrong1111", as: name, from: "192.0.2.1")
        #expect(login.code == wrong.code)
        #expect(login.prompts.count == 1)
        #expect(login.errors == wrong.errors)
      }
    }

    @Test func `a login with a name that nobody has is refused`() throws {
      let refusal = Refusal(
        code: .userUnknown,
        text: "This account is not registered on this machine. Register with 'uafctl register --code FILE'.",
        log: "no such account, or its lookup failed")
      let scene = try Scene()
      try refusal.check { try scene.logIn(Scene.passcode, as: "nobodyhere") }
    }
  }
}
