import Testing

extension EndToEnd {
  @Suite struct `A passcode that can never have been stored` {
    private static let entries: [String: [UInt8]] = [
      "empty": [],
      "a space more than the limit": Array(repeating: 0x20, count: 257),
      "2,000 bytes": Array(repeating: 0x78, count: 2000),
      "2,000 bytes that begin as the right one": Array(Scene.passcode.utf8) + Array(repeating: 0x78, count: 1991),
      "not UTF-8": [0xff, 0xfe, 0x41, 0x80],
      "overlong UTF-8": [0xc1, 0xb4, 0x61, 0x6e, 0x67],
      "the right one and a control byte": Array(Scene.passcode.utf8) + [0x08],
      "sshd's answer for a user it has refused": [0x08, 0x0d, 0x7f] + Array("INCORRECT".utf8),
    ]

    // SAFETY: the tests of this target run one after the other.
    private nonisolated(unsafe) static let scene = Result { try Scene.registered() }

    @Test(arguments: entries.keys.sorted())
    func `a passcode that can never have been stored is refused like a wrong one, and is not counted`(_ name: String)
      throws
    {
      let scene = try unsafe Self.scene.get()
      let entry = try #require(Self.entries[name])
      try Refusal(
        code: .authenticationError, text: "Wrong passcode: 5 tries left.",
        log: "event=authenticate result=3012 name=LOCAL_FAIL_VERIFY pam=7", asks: true
      ).check { try scene.logIn(entry) }
      #expect(try scene.status().remainingTries == 5)
    }

    @Test
    func `in a remote login a passcode that can never have been stored looks the same as a wrong one that is counted`()
      throws
    {
      let scene = try Scene.registered()
      let counted = try scene.logIn("wrong1111", from: "192.0.2.1")
      for entry in Self.entries.values {
        let login = try scene.logIn(entry, from: "192.0.2.1")
        #expect(login.output.text == counted.output.text)
      }
    }

    @Test func `a passcode that can never be stored cannot be chosen in a registration`() throws {
      let scene = try Scene()
      try scene.write(try scene.server.enrol(scene.user), to: "payload", mode: 0o600)
      for entry in ["", String(repeating: "x", count: 1000), "tangerine\u{1}"] {
        let output = try scene.tool(
          "register", scene.user, "--payload", scene.path("payload"),
          input: String(repeating: entry + "\n", count: 6))
        #expect(output.status != 0)
      }
      #expect(try scene.logIn("").code == .userUnknown)
    }
  }
}
