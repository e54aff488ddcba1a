import ArgumentParser
import Foundation
import Invocation
import Testing
import UAFAdministration
import UAFMessages
import UAFService

@testable import ServerTesting
@testable import UAFServer

struct CommandTests {
  @Test(arguments: [
    ("127.0.0.1:8443", "127.0.0.1", 8443, "https://127.0.0.1:9"), ("[::1]:0", "::1", 0, "https://[::1]:9"),
    ("fido.example.com:443", "fido.example.com", 443, "https://fido.example.com:9"),
  ])
  func `--listen accepts an address with its port`(text: String, host: String, port: Int, url: String) {
    let address = ListenAddress(argument: text)
    #expect(address == .network(host: host, port: port))
    #expect(address?.url(port: 9) == url)
    #expect(address?.description == text)
  }

  @Test func `--listen accepts the path of a socket`() {
    #expect(ListenAddress(argument: "unix:/run/uaf-server/socket")?.path == "/run/uaf-server/socket")
    #expect(ListenAddress(argument: "unix:/run/uaf-server/socket")?.url(port: nil) == "unix:/run/uaf-server/socket")
  }

  @Test(arguments: ["unix:", "unix:relative", "unix:/", "unix:/a/", "unix:/\(String(repeating: "a", count: 107))"])
  func `--listen refuses a socket without an absolute path, or with one that is too long`(text: String) {
    #expect(ListenAddress(argument: text) == nil)
  }

  @Test(arguments: ["", "8443", ":8443", "::1:8443", "a:b", "a:-1", "a:65536", "a b:1", "a/b:1", "a:"])
  func `--listen refuses an address without host or port`(text: String) {
    #expect(ListenAddress(argument: text) == nil)
  }

  @Test(arguments: [
    ("https://a.test", "https://a.test", "a.test"), ("https://a.test:8443/", "https://a.test:8443", "a.test"),
    ("https://[::1]:1/fido/", "https://[::1]:1/fido", "::1"),
  ])
  func `a public URL is accepted without its trailing slash`(text: String, url: String, host: String) {
    #expect(PublicURL(argument: text)?.text == url)
    #expect(PublicURL(argument: text)?.host == host)
  }

  @Test(arguments: [
    "", "a.test", "http://a.test", "https://", "https:///", "https://a.test?x", "https://a.test#x", "https://u@a.test",
    "https://a test", "https://\(String(repeating: "a", count: 300))",
  ])
  func `refuses an invalid public URL on the command line`(text: String) {
    #expect(PublicURL(argument: text) == nil)
  }

  @Test(arguments: [
    ["serve", "--state", "d"], ["serve", "--state", "d", "--certificate", "c"],
    ["serve", "--state", "d", "--development", "--certificate", "c", "--key", "k"],
    ["serve", "--state", "d", "--development", "--listen", "0.0.0.0:1"], ["serve", "--development"],
    ["enrol", "--state", "d"], ["enrol", "a b", "--state", "d"], ["enrol", "", "--state", "d"],
    ["enrol", "a", "--state", "d", "--lifetime", "0"], ["enrol", "a", "--state", "d", "--lifetime", "604801"],
    ["enrol", "a", "--state", "d", "--server", "http://a"], ["revoke", "a\u{1b}", "--state", "d"],
    ["disable", "a", "--state", "d"], ["disable", "a", "--state", "d", "--reason", ""],
    ["disable", "a", "--state", "d", "--reason", "a\u{1b}"], ["disable", "a b", "--state", "d", "--reason", "r"],
    ["lock", "a", "--state", "d", "--reason", "r"], ["lock", "a", "--state", "d", "--reason", "r", "--for", "0"],
    ["lock", "a", "--state", "d", "--reason", "r", "--for", "31536001"], ["enable", "--state", "d"],
    ["enable", "a b", "--state", "d"],
    ["devices", "--state", "d"], ["devices", "a b", "--state", "d"],
    ["serve", "--state", "d", "--development", "--channel-binding", "maybe"], ["metadata", "iris"],
    ["serve", "--state", "d", "--development", "--uvm", "maybe"], ["approve", "a", "--state", "d"],
    ["approve", "a", "--state", "d", "--text", ""],
    ["approve", "a", "--state", "d", "--text", String(repeating: "a", count: 201)],
    ["approve", "a", "--state", "d", "--text", String(repeating: "\u{e9}", count: 101)],
    ["approve", "a", "--state", "d", "--text", "t", "--lifetime", "3601"],
    ["approve", "a b", "--state", "d", "--text", "t"], ["audit", "show", "--state", "d"],
    ["audit", "show", "x", "--state", "d"],
    ["serve", "--state", "d", "--development", "--channel-binding", "off", "--tls-certificate", "c"],
    ["serve", "--state", "d", "--development", "--address-connections", "-1"],
    ["serve", "--state", "d", "--development", "--address-connections", "1025"],
    ["serve", "--state", "d", "--listen", "unix:/s", "--public-url", "https://a.test"],
    ["serve", "--state", "d", "--listen", "unix:/s", "--channel-binding", "off"],
    [
      "serve", "--state", "d", "--listen", "unix:/s", "--public-url", "https://a.test", "--channel-binding", "off",
      "--development",
    ],
    ["serve", "--state", "d", "--development", "--behind", "0.0.0.0/0"],
    ["serve", "--state", "d", "--development", "--behind", "10.0.0.1", "--forwarded-header", "x-real-ip"],
    ["keys", "rotate", "--state", "d"], ["keys", "rotate", "decoys", "--state", "d"],
    ["keys", "rotate", "secret", "--state", "d", "--in", "2592001"],
    ["keys", "rotate", "secret", "--state", "d", "--in", "-1"], ["keys", "list"],
    ["keys", "finish", "--state", "d"], ["keys", "finish", "verdict", "--state", "d", "--anyway"],
    ["keys", "finish", "verdict", "--state", "d", "--anyway", "--reason", ""],
    ["keys", "finish", "verdict", "--state", "d", "--reason", "r"], ["authority", "announce", "--state", "d"],
    ["authority", "announce", "f", "--state", "d", "--in", "-1"], ["authority", "end", "--state", "d"],
    ["audit", "list", "--state", "d", "--limit", "0"], ["audit", "list", "--state", "d", "--since", "yesterday"],
    ["audit", "list", "--state", "d", "--after", "-1"], ["audit", "export", "--state", "d", "--after", "-1"],
    ["audit", "prune", "--state", "d"], ["audit", "prune", "--state", "d", "--older-than", "0"],
    ["audit", "verify", "alice", "--state", "d"], ["audit", "list", "--state", "d", "--not", "number"],
    ["policy", "set", "p", "--state", "d"], ["policy", "back", "--state", "d", "--reason", "r"],
    ["machine-policy", "set", "p", "--state", "d"], ["machine-policy", "remove", "--state", "d", "--reason", "r"],
    ["machine-policy", "set", "p", "--state", "d", "--reason", "r", "--days", "0"],
    ["machine-policy", "set", "p", "--state", "d", "--reason", "r", "--group", "Lab"],
    ["policy", "show", "--state", "d", "--number", "x"], ["policy", "preview", "--state", "d"],
    ["revoke", "--state", "d"], ["revoke", "--state", "d", "--key", "k"],
    ["revoke", "a", "--state", "d", "--key", "k", "--device", "x"],
    ["admin", "add", "a", "root", "--state", "d"], ["admin", "add", "a b", "auditor", "--state", "d"],
    ["token", "create", "t", "--state", "d"],
    ["token", "create", "t", "--state", "d", "--role", "auditor", "--from", "10.0.0.7/8"],
    ["serve", "--state", "d", "--development", "--admin-listen", "unix:/s"],
    [
      "serve", "--state", "d", "--listen", "unix:/s", "--public-url", "https://a.test", "--channel-binding", "off",
      "--admin-listen", "9443",
    ],
    ["serve", "--state", "d", "--development", "--audit-syslog", "log.example.org"],
    ["serve", "--state", "d", "--development", "--audit-syslog", "log.example.org:0"],
    ["serve", "--state", "d", "--development", "--audit-syslog", "unix:/dev/log"],
    ["serve", "--state", "d", "--development", "--audit-syslog-ca", "c"],
    ["serve", "--state", "d", "--development", "--audit-syslog", "a:1", "--audit-syslog-key", "k"],
    ["serve", "--state", "d", "--development", "--audit-webhook", "https://a.test"],
    ["serve", "--state", "d", "--development", "--audit-webhook", "http://a.test", "--audit-webhook-secret", "s"],
    ["serve", "--state", "d", "--development", "--audit-webhook-ca", "c"],
  ])
  func `refuses a command line with missing, contradictory or unknown options`(arguments: [String]) async {
    await #expect(throws: (any Error).self) { _ = try await UAFServerCommand.asyncParseAsRoot(arguments) }
  }

  @Test(arguments: [
    ["serve", "--state", "d", "--development"], ["serve", "--state", "d", "--certificate", "c", "--key", "k"],
    ["serve", "--state", "d", "--development", "--listen", "0.0.0.0:1", "--public-url", "https://a.test"],
    ["enrol", "a", "--state", "d", "--server", "https://a", "--lifetime", "60"], ["users", "--state", "d"],
    ["devices", "a", "--state", "d"], ["revoke", "a", "--state", "d"], ["metadata"],
    ["disable", "a", "--state", "d", "--reason", "r"], ["enable", "a", "--state", "d"],
    ["lock", "a", "--state", "d", "--reason", "r", "--for", "60"],
    ["approve", "a", "--state", "d", "--text", String(repeating: "a", count: 200), "--wait", "--lifetime", "3600"],
    ["metadata", "passcode"], ["metadata", "pattern"], ["audit", "verify", "--state", "d"],
    ["audit", "show", "7", "--state", "d"], ["audit", "texts", "mina", "--state", "d"],
    ["audit", "verify", "--state", "d", "--head", "h", "--key", "k"],
    ["audit", "export", "--state", "d", "--after", "7"],
    ["audit", "prune", "--state", "d", "--older-than", "90"], ["keys", "rotate", "audit", "--state", "d"],
    [
      "audit", "list", "--state", "d", "--account", "a", "--kind", "login", "--outcome", "ok", "--since", "2026-11-23",
      "--until", "2026-11-23T12:00:00Z", "--after", "3", "--limit", "9", "--json",
    ],
    ["serve", "--state", "d", "--development", "--audit-heads", "h"],
    [
      "serve", "--state", "d", "--development", "--audit-syslog", "log.example.org:6514", "--audit-syslog-ca", "c",
      "--audit-syslog-certificate", "d", "--audit-syslog-key", "e",
    ],
    [
      "serve", "--state", "d", "--development", "--audit-webhook", "https://log.example.org/audit",
      "--audit-webhook-secret", "s", "--audit-webhook-ca", "c",
    ],
    ["audit", "prune", "--state", "d", "--older-than", "90", "--accept-broken", "--accept-undelivered"],
    ["serve", "--state", "d", "--development", "--uvm", "require", "--policy", "p"],
    [
      "serve", "--state", "d", "--listen", "unix:/s", "--public-url", "https://a.test", "--tls-certificate", "c",
      "--forwarded-header", "forwarded",
    ],
    ["serve", "--state", "d", "--development", "--behind", "10.0.0.1", "--behind", "2001:db8::/32"],
    ["keys", "rotate", "secret", "--state", "d", "--in", "0"], ["keys", "rotate", "verdict", "--state", "d"],
    ["keys", "finish", "verdict", "--state", "d", "--anyway", "--reason", "r", "--json"],
    ["keys", "status", "--state", "d", "--json"], ["machines", "--state", "d", "--lacks", "k"],
    ["authority", "announce", "f", "--state", "d", "--in", "0"], ["authority", "list", "--state", "d", "--json"],
    ["authority", "finish", String(repeating: "0f", count: 32), "--state", "d"],
    ["authority", "end", String(repeating: "0F", count: 32), "--state", "d", "--anyway", "--reason", "r"],
    ["keys", "list", "--state", "d"], ["policy", "show", "--state", "d", "--number", "3", "--json"],
    ["policy", "set", "p", "--state", "d", "--reason", "r", "--after", "2", "--lock-out", "1", "--metadata", "m"],
    ["machine-policy", "show", "--state", "d", "--group", "lab", "--json"],
    ["machine-policy", "show", "--state", "d", "--number", "3"],
    ["machine-policy", "list", "--state", "d", "--group", "lab", "--before", "9", "--limit", "5", "--json"],
    ["machine-policy", "preview", "p", "--state", "d", "--group", "lab"],
    ["machine-policy", "set", "p", "--state", "d", "--reason", "r", "--group", "lab", "--days", "30", "--after", "2"],
    ["machine-policy", "back", "2", "--state", "d", "--reason", "r", "--json"],
    ["machine-policy", "remove", "--state", "d", "--group", "lab", "--reason", "r"],
    ["policy", "back", "2", "--state", "d", "--reason", "r"], ["policy", "list", "--state", "d", "--before", "9"],
    ["audit", "list", "--state", "d", "--machine", "m", "--words", "w", "--not", "words", "--not", "machine"],
    ["serve", "--state", "d", "--development", "--admin-listen", "9443"],
    ["users", "--state", "d", "--json"], ["machines", "--state", "d", "--json"],
    ["join-code", "create", "--state", "d", "--group", "lab-1", "--machines", "200", "--lifetime", "60", "--json"],
    ["join-code", "create", "--state", "d", "--server", "https://a.test", "--payload-file", "p"],
    ["join-code", "list", "--state", "d", "--json"], ["join-code", "close", "4", "--state", "d"],
    ["revoke", "a", "--state", "d", "--key", "k", "--reason", "lost"], ["revoke", "--state", "d", "--device", "x"],
    ["admin", "add", "a", "helpdesk", "--state", "d"], ["admin", "remove", "a", "--force", "--state", "d"],
    ["admin", "list", "--state", "d"], ["token", "list", "--state", "d"], ["token", "revoke", "t", "--state", "d"],
    ["token", "create", "t", "--state", "d", "--role", "auditor", "--from", "10.0.0.0/8", "--lifetime", "60"],
    ["serve", "--state", "d", "--development", "--channel-binding", "off", "--metadata", "m"],
    [
      "serve", "--state", "d", "--development", "--channel-binding", "require", "--tls-certificate", "a",
      "--tls-certificate", "b",
    ],
  ])
  func `accepts the command lines that scripts and documents rely on`(arguments: [String]) async throws {
    _ = try await UAFServerCommand.asyncParseAsRoot(arguments)
  }

  /// The exit code of `decode` for a file with this content; nil for success.
  private static func decodingEnds(_ content: [UInt8]) throws -> ExitCode? {
    let file = FileManager.default.temporaryDirectory.appending(path: "message-\(UUID().uuidString)")
    try Data(content).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    do {
      try DecodeCommand.parse([file.path()]).run()
      return nil
    } catch let code as ExitCode {
      return code
    }
  }

  @Test(arguments: [
    "[]", "{}", "[{}]", "[1]", #""""#, #"{"a":1}"#, #"{"uafProtocolMessage":"[{}]"}"#, "abc", "null", "", "{",
  ])
  func `'decode' exits with 1 for input that is not a message`(_ content: String) throws {
    let code = try Self.decodingEnds(Array(content.utf8))
    #expect(code?.rawValue == 1)
  }

  @Test func `'decode' exits with 0 for a message, and with 1 after the message is damaged`() throws {
    let first = try Self.decodingEnds(Vector("reg-surrogate-sig1-key100").responseBytes)
    let second = try Self.decodingEnds(Vector("reg-bad-signature").responseBytes)
    #expect(first == nil && second?.rawValue == 1)
  }

  @Test func `'approve --wait' has its own exit status for a denial`() {
    #expect(ExitStatus.denied.rawValue == 4)
    #expect(ApproveCommand.configuration.discussion.contains("denied (4)"))
  }

  private func line(_ summary: AccountSummary, now: Int64) -> String {
    UsersCommand.line(APIShapes.account(AccountRow(summary: summary, group: nil)), now: now)
  }

  @Test func `'users' lists an account on one line`() {
    let summary = AccountSummary(
      username: "alice", keys: 2, revokedKeys: 1, lastUsedAt: 1_800_000_000, hasOpenCode: true)
    #expect(line(summary, now: 5) == "alice\t2\t1\t2027-01-15T08:00:00Z\topen\tactive\t-\t-")
  }

  @Test(
    arguments: [
      (nil, 5, "disabled\tleft\t-"), (6, 5, "locked until 1970-01-01T00:00:06Z\tleft\t-"), (5, 5, "active\t-\t-"),
    ] as [(Int64?, Int64, String)])
  func `'users' shows whether an account is disabled or locked, and shows no lock that has ended`(
    until: Int64?, now: Int64, state: String
  ) {
    let summary = AccountSummary(
      username: "alice", keys: 0, revokedKeys: 0, lastUsedAt: nil, hasOpenCode: false,
      block: AccountBlock(since: 1, until: until, reason: "left", actor: "command-line uid 0"))
    #expect(line(summary, now: now) == "alice\t0\t0\tnever\t-\t\(state)")
  }

  private let mina = AccountSummary(
    username: "mina", keys: 0, revokedKeys: 0, lastUsedAt: nil, hasOpenCode: false,
    profile: AccountProfile(
      displayName: "김미나\u{202E}\t", mail: "mina@example.org", department: "=A1,b", externalID: "7",
      groups: ["Labs", "연구소"]))

  @Test func `'users' shows the person's name, and with --csv everything that a list of people has`() {
    #expect(line(mina, now: 5).hasSuffix("\t-\t김미나[U+202E][U+0009]"))
    let account = APIShapes.account(AccountRow(summary: mina, group: nil))
    #expect(UsersCommand.csv(account) == "mina,김미나\u{202E}\t,mina@example.org,\"'=A1,b\",7,Labs|연구소")
    #expect(PeopleListText.header == "username,displayName,mail,department,externalID,groups\n")
  }

  @Test func `'group list' shows a group on one line, whatever its name is`() {
    let group = PersonGroup(id: 3, name: "=a\u{202E}\tb", members: 12)
    #expect(PersonGroupListCommand.line(APIShapes.personGroup(group)) == "3\t'=a[U+202E][U+0009]b\t12")
  }

  @Test func `'person' shows each field of a person on a line`() {
    let account = APIShapes.account(AccountRow(summary: mina, group: nil))
    #expect(
      PersonCommand.lines(account) == """
        user\tmina
        displayName\t김미나[U+202E][U+0009]
        mail\tmina@example.org
        department\t'=A1,b
        externalID\t7
        groups\tLabs | 연구소
        """)
  }

  @Test(arguments: [
    ["--mail", "mina"], ["--display-name", "a\u{202E}"], ["--group", ""], ["--group", "a", "--no-groups"],
    ["--external-id", String(repeating: "1", count: 129)],
  ])
  func `'person' refuses a value that breaks a rule before it asks the server, and names the option`(options: [String])
    async
  {
    let error = await #expect(throws: (any Error).self) {
      try await PersonCommand.asyncParse(["mina", "--state", "s"] + options)
    }
    #expect(error.map { PersonCommand.message(for: $0).contains(options[0]) } == true)
  }

  @Test func `'machines' lists a machine on one line, whatever the machine says about itself`() {
    var device = AccountDevice(
      name: "민아의\tdesk\u{1B}[2J\u{202E}", model: "x86_64", system: nil, keys: 2, revokedKeys: 0,
      registeredAt: 1_800_000_000, lastUsedAt: nil)
    let line = DevicesCommand.line(APIShapes.device(device))
    #expect(line == "민아의[U+0009]desk[U+001B][2J[U+202E]\tx86_64\t-\t2\t0\t2027-01-15T08:00:00Z\tnever")
    device = AccountDevice(
      name: "", model: "-", system: "Linux 6.1", keys: 0, revokedKeys: 1, registeredAt: 0, lastUsedAt: 1_800_000_000)
    let other = DevicesCommand.line(APIShapes.device(device))
    #expect(other == "-\t'-\tLinux 6.1\t0\t1\t1970-01-01T00:00:00Z\t2027-01-15T08:00:00Z", "no formula")
  }

  @Test func `a log line has its fields in order`() {
    let line = KeyValueLogHandler.line(
      time: "t", level: "info", message: "accepted", fields: ["user": "alice", "op": "Auth"])
    #expect(String(decoding: line, as: UTF8.self) == "time=t level=info msg=accepted op=Auth user=alice\n")
  }

  @Test(arguments: [
    ("a b", "\"a b\""), ("", "\"\""), ("a\nlevel=info", "\"a\\u{a}level=info\""), ("\u{1b}[2J", "\"\\u{1b}[2J\""),
    ("\"\\", "\"\\\"\\\\\""), ("\u{202e}x", "\"\\u{202e}x\""), ("é", "\"\\u{e9}\""), ("\u{7f}", "\"\\u{7f}\""),
  ])
  func `the log escapes what could control a terminal or begin a new line`(value: String, expected: String) {
    let line = KeyValueLogHandler.line(time: "t", level: "info", message: "m", fields: ["user": .string(value)])
    #expect(String(decoding: line, as: UTF8.self) == "time=t level=info msg=m user=\(expected)\n")
  }

  @Test func `the log limits the length of a value`() {
    let line = KeyValueLogHandler.line(
      time: "t", level: "info", message: "m", fields: ["user": .string(String(repeating: "\n", count: 100_000))])
    #expect(line.count < 4096)
  }
}
