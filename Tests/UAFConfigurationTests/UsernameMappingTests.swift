import Testing

@testable import UAFConfiguration

@Suite struct UsernameMappingTests {
  @Test func `replaces the placeholder with the account`() {
    #expect(UsernameMapping("{user}")?.name(of: "alice") == "alice")
    #expect(UsernameMapping("x-{user}@example.com")?.name(of: "alice") == "x-alice@example.com")
    #expect(UsernameMapping.identity == UsernameMapping("{user}"))
  }

  @Test(arguments: ["", "alice", "{user}{user}", "{USER}", "{user} ", "é{user}", "{user}{x}", "{{user}}", "{user}\n"])
  func `refuses templates that would map accounts to one name or to none`(_ template: String) {
    #expect(UsernameMapping(template) == nil)
  }

  @Test(arguments: ["", "a b", "a\tb", "a\n", "é", "a\u{0}", "\u{202e}a", "a\u{7f}"])
  func `refuses accounts that the server could not name`(_ account: String) {
    #expect(UsernameMapping.identity.name(of: account) == nil)
  }

  @Test func `refuses names longer than UAF allows`() {
    #expect(UsernameMapping.identity.name(of: String(repeating: "a", count: 128)) != nil)
    #expect(UsernameMapping.identity.name(of: String(repeating: "a", count: 129)) == nil)
    #expect(UsernameMapping("{user}@")?.name(of: String(repeating: "a", count: 128)) == nil)
  }

  @Test func `a placeholder in an account's name is just text`() {
    #expect(UsernameMapping("<{user}>")?.name(of: "{user}") == "<{user}>")
  }
}
