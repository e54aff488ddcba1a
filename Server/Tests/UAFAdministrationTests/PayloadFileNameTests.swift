import Testing
import UAFAdministration

/// The names of payload files, for accounts with any name.
struct PayloadFileNameTests {
  @Test(arguments: [
    ("mina", "mina.code"), ("Mina.K-2_x@example.org", "Mina.K-2_x@example.org.code"),
    ("../../etc/passwd", "%2e.%2f..%2fetc%2fpasswd.code"),
    (".", "%2e.code"), ("..", "%2e..code"), ("-f", "%2df.code"), ("~root", "%7eroot.code"),
    ("a;b$(c)`d`", "a%3bb%24%28c%29%60d%60.code"),
    ("<b>&\"'", "%3cb%3e%26%22%27.code"), ("100%", "100%25.code"), ("{}", "%7b%7d.code"),
    ("a\u{202E}b\n", "a%e2%80%aeb%0a.code"),
    ("eyJ2IjoxfQeyJ2IjoxfQeyJ2IjoxfQ", "%65yJ2IjoxfQeyJ2IjoxfQeyJ2IjoxfQ.code"),
  ])
  func `a payload file's name contains nothing that is special in a path, a shell or a command line`(
    account: String, name: String
  ) throws {
    #expect(try PayloadFileName.name(for: account) == name)
  }

  @Test func `the payload files of any two accounts have different names`() throws {
    let accounts = ["a/b", "a%2fb", "a%2Fb", "a_b", "A/b", "a~b", "a.code", "a", "eyJa", "%65yJa", ".a", "%2ea"]
    #expect(try Set(accounts.map { try PayloadFileName.name(for: $0) }).count == accounts.count)
  }

  @Test(arguments: ["/", "n", "é"])
  func `the name of a payload file is shortened for a name of 2,000 characters, and is still unique to the account`(
    character: String
  ) throws {
    let account = String(repeating: character, count: 2000)
    let (first, second) = (
      try PayloadFileName.name(for: account + "1"), try PayloadFileName.name(for: account + "2")
    )
    #expect(first.utf8.count <= 255 && first != second && first.hasSuffix(".code"))
    #expect(first.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") })
  }
}
