import Testing

@testable import UAFConfiguration

@Suite struct UsernameMappingTests {
  @Test func `the placeholder of the user name template becomes the account's name`() {
    #expect(UsernameMapping("{user}")?.name(of: "alice") == "alice")
    #expect(UsernameMapping("x-{user}@example.com")?.name(of: "alice") == "x-alice@example.com")
    #expect(UsernameMapping.identity == UsernameMapping("{user}"))
  }

  @Test(arguments: ["", "alice", "{user}{user}", "{USER}", "{user} ", "é{user}", "{user}{x}", "{{user}}", "{user}\n"])
  func `refuses a template that would give several accounts the same user name, or one without a meaning`(
    _ template: String
  ) {
    #expect(UsernameMapping(template) == nil)
  }

  @Test(arguments: ["", "a b", "a\tb", "a\n", "é", "a\u{0}", "\u{202e}a", "a\u{7f}"])
  func `refuses an account whose name cannot be a user name at a server`(_ account: String) {
    #expect(UsernameMapping.identity.name(of: account) == nil)
  }

  @Test func `refuses a user name longer than UAF allows`() {
    #expect(UsernameMapping.identity.name(of: String(repeating: "a", count: 128)) != nil)
    #expect(UsernameMapping.identity.name(of: String(repeating: "a", count: 129)) == nil)
    #expect(UsernameMapping("{user}@")?.name(of: String(repeating: "a", count: 128)) == nil)
  }

  @Test func `braces in an account's own name are ordinary text`() {
    #expect(UsernameMapping("<{user}>")?.name(of: "{user}") == "<{user}>")
  }
}
