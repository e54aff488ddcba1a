import Glibc
import Invocation
import Logging
import NIOHTTP1
import SecretMemory
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// `uaf-server sync ldap` without a directory: the program that searches, the requests, and what is printed.
struct DirectorySyncTests {
  private static let password = "correct horse"

  private static func settings(_ url: String, binds: Bool = true) throws -> DirectorySettings {
    let bind = binds ? #""bindDN":"cn=uaf,dc=a","passwordFile":"/x","# : ""
    let text =
      #"{"source":"corp","url":"\#(url)",\#(bind)"base":"dc=a","filter":"(a=b)","attributes":{"id":"i","name":"n"}}"#
    return try DirectorySettings(parsing: Array(text.utf8))
  }

  private static func command(_ url: String, binds: Bool = true, isRoot: Bool = false) throws -> [String] {
    DirectorySearch(settings: try settings(url, binds: binds), now: { 0 })
      .command(base: "dc=a", filter: "(a=b)", attributes: ["i", "n"], isRoot: isRoot)
  }

  private static func process(_ script: String, password text: String? = nil) throws -> SearchProcess {
    var secret: Secret?
    if let text { secret = try Secret(copying: Array((text + "\0").utf8).span) }
    return try SearchProcess(["/bin/sh", "-c", script], password: secret, owner: nil)
  }

  private static func said(by process: SearchProcess) throws -> String {
    var bytes: [UInt8] = []
    while let part = try process.output(by: 60_000, now: { 0 }) { bytes += part }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func end(_ process: SearchProcess) throws { try process.ended(by: 60_000, now: { 0 }) }

  // MARK: The search

  @Test func `the search demands a certificate, follows nothing, and asks for pages that it must get`() throws {
    let command = try Self.command("ldaps://ldap.example.org").joined(separator: " ")
    #expect(
      command
        == "/usr/bin/ldapsearch -x -H ldaps://ldap.example.org -o tls_reqcert=demand "
        + "-o tls_cacert=/etc/ssl/certs/ca-certificates.crt -o nettimeout=30 -D cn=uaf,dc=a -y /dev/fd/3 -LLL "
        + "-o ldif_wrap=no -a never -s sub -E !pr=500/noprompt -b dc=a (a=b) i n")
  }

  @Test func `without TLS at the beginning the search ends unless StartTLS succeeds`() throws {
    #expect(try Self.command("ldap://a").contains("-ZZ"))
    #expect(try !Self.command("ldaps://a").contains("-ZZ"))
  }

  @Test func `root's search gives up root, groups and capabilities before it starts`() throws {
    let command = try Self.command("ldaps://a", isRoot: true)
    let search = try #require(command.firstIndex(of: "/usr/bin/ldapsearch"))
    #expect(command[0] == "/usr/bin/setpriv" && command[search - 1] == "--")
    let dropped = "--reuid 60993 --regid 60993 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all"
    #expect(command[1..<(search - 1)].joined(separator: " ") == dropped)
  }

  @Test func `a search without a name needs no password`() throws {
    let command = try Self.command("ldaps://a", binds: false)
    #expect(!command.contains("-D") && !command.contains("-y"))
  }

  @Test func `the process reads the password at its descriptor, and finds it nowhere else`() throws {
    let process = try Self.process("cat /dev/fd/3; echo; env; echo $0 $*", password: Self.password)
    let lines = try Self.said(by: process).split(separator: "\n").map(String.init)
    try Self.end(process)
    #expect(lines.first == Self.password)
    #expect(lines.dropFirst().allSatisfy { !$0.contains(Self.password) })
    #expect(lines.contains("LDAPNOINIT=1") && !lines.contains { $0.hasPrefix("HOME=") })
  }

  @Test func `the process gets no descriptors but its own`() throws {
    // SAFETY: the path is a literal.
    let other = unsafe open("/dev/null", O_RDONLY)
    defer { close(other) }
    let process = try Self.process("ls /proc/self/fd | wc -l")
    // 0 to 2, and that of the folder.
    #expect(try Self.said(by: process) == "4\n")
    try Self.end(process)
  }

  @Test func `refuses a password file that is empty`() {
    #expect(throws: ServerError.self) { try Self.process("true", password: "") }
  }

  @Test func `a search that fails after some entries is a failure`() throws {
    let process = try Self.process("echo dn: cn=a; echo 'Size limit exceeded (4)' >&2; exit 4")
    #expect(try Self.said(by: process) == "dn: cn=a\n")
    #expect(throws: ServerError.directory(DirectorySearchFailure(.sizeLimit, said: "Size limit exceeded (4)"))) {
      try Self.end(process)
    }
  }

  @Test func `a search that takes too long, or is killed, is a failure`() throws {
    let slow = try Self.process("exec sleep 60")
    var times: [Int64] = [0, 5]
    #expect(throws: ServerError.directory(DirectorySearchFailure(.tookTooLong))) {
      _ = try slow.output(by: 5, now: { times.isEmpty ? 5 : times.removeLast() })
    }
    let killed = try Self.process("kill -9 $$")
    _ = try Self.said(by: killed)
    #expect(throws: ServerError.directory(DirectorySearchFailure(.killed))) { try Self.end(killed) }
  }

  @Test func `a search that has closed its output and does not end is a failure, too`() throws {
    let silent = try Self.process("exec >&- 2>&-; exec sleep 60")
    #expect(try Self.said(by: silent) == "")
    var times: [Int64] = [5, 0]
    #expect(throws: ServerError.directory(DirectorySearchFailure(.tookTooLong))) {
      try silent.ended(by: 5, now: { times.isEmpty ? 5 : times.removeLast() })
    }
  }

  @Test func `what the search has started ends with it at the deadline`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("alive")
    // SAFETY: the paths live for the calls.
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let alive = unsafe open(path, O_RDONLY | O_NONBLOCK)
    defer { close(alive) }
    // The other end of the pipe is open for as long as the child of the process lives.
    let process = try Self.process("exec 4>\(path); sleep 60 & exec 4>&-; echo started; wait")
    #expect(try process.output(by: 60_000, now: { 0 }) == Array("started\n".utf8))
    #expect(!Self.hasEnded(alive, within: 0))
    #expect(throws: ServerError.directory(DirectorySearchFailure(.tookTooLong))) {
      _ = try process.output(by: 5, now: { 5 })
    }
    #expect(Self.hasEnded(alive, within: 10_000))
  }

  /// Whether nobody has the other end of a pipe open any longer.
  private static func hasEnded(_ descriptor: CInt, within milliseconds: CInt) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // SAFETY: one element.
    return unsafe poll(&entry, 1, milliseconds) == 1 && entry.revents & Int16(POLLHUP) != 0
  }

  @Test func `a malformed filter is an error of the settings, and is named`() throws {
    let process = try Self.process("echo 'ldap_search_ext: Bad search filter (-7)' >&2; exit 249")
    _ = try Self.said(by: process)
    let failure = try #require(throws: ServerError.self) { try Self.end(process) }
    let named = DirectorySearch.naming("(a=b", failure)
    #expect(named.exit == .usage && named.description.contains("(a=b") && named.description.contains("(-7)"))
    let other = ServerError.directory(DirectorySearchFailure(.init(80)))
    #expect(DirectorySearch.naming("(a=b", other) == other)
  }

  @Test func `authorities that are not there, or that the search cannot read, are an error of the settings`() throws {
    for path in ["/nonexistent.pem", "/etc", "/dev/null"] {
      let settings = try DirectorySettings(
        parsing: Array(
          (#"{"source":"corp","url":"ldaps://a","base":"dc=a","filter":"(a=b)","authorities":"\#(path)","#
            + #""attributes":{"id":"i","name":"n"}}"#).utf8))
      let failure = try #require(throws: ServerError.self) {
        try DirectorySearch(settings: settings, now: { 0 }).entries(base: "dc=a", filter: "(a=b)", attributes: ["i"]) {
          _ in
        }
      }
      #expect(failure.exit == .usage && failure.description.contains(path))
    }
  }

  @Test func `refuses a program that is not there, and names its package`() throws {
    #expect(
      throws: ServerError.directory(DirectorySearchFailure(.notStarted(program: "/nowhere", errorNumber: ENOENT)))
    ) {
      _ = try SearchProcess(["/nowhere"], password: nil, owner: nil)
    }
    #expect(DirectorySearchFailure(.init(127)).description.contains("ldap-utils"))
  }

  @Test(
    arguments: [
      (1, .unreachable), (255, .unreachable), (3, .unreachable), (52, .unreachable), (4, .refused), (10, .refused),
      (12, .refused), (32, .refused), (49, .refused), (80, .refused),
    ] as [(CInt, Invocation.ExitStatus)])
  func `a failure that may pass is told apart from one that somebody must end`(
    status: CInt, exit: Invocation.ExitStatus
  ) {
    #expect(DirectorySearchFailure(.init(status)).exit == exit)
  }

  // MARK: The requests

  private static func step(_ number: Int, name: String = "김미나") throws -> DirectoryStep {
    DirectoryStep(
      action: .add, username: "p\(number)", externalID: "ldap:corp:\(number)",
      change: try ProfileChange([.displayName: name, .mail: ""], groups: ["연구소", "Sales"]))
  }

  @Test func `no request has more steps or more bytes than the server accepts`() throws {
    let short = try (0..<401).map { try Self.step($0) }
    #expect(StepBatches.batches(of: short).map(\.count) == [200, 200, 1])
    let long = try (0..<401).map { try Self.step($0, name: String(repeating: "가", count: 128)) }
    let batches = StepBatches.batches(of: long)
    #expect(batches.joined().map(\.username) == long.map(\.username))
    for batch in batches {
      let size = batch.map { JSONValue.object(DirectoryRoutes.json($0)).bytes.count + 1 }.reduce(0, +)
      #expect(size <= StepBatches.maximumSize)
    }
    #expect(StepBatches.batches(of: []).isEmpty)
  }

  @Test func `a step is printed with what it changes`() throws {
    #expect(SyncLDAPCommand.line(try Self.step(1)) == "add\tp1\tdisplayName=김미나\tmail=\tgroups=Sales|연구소")
  }

  @Test func `a lock is no reason to enable an account, and a block that somebody made names them`() throws {
    let account = { (block: String) throws -> KnownAccount? in
      guard case .object(let object) = try JSONValue(parsing: Array(#"{"name":"a","externalID":"x"\#(block)}"#.utf8))
      else { return nil }
      return StoreAnswer.known(object, ["a"])
    }
    let profile = AccountProfile(externalID: "x")
    #expect(try account("") == KnownAccount(username: "a", profile: profile, isAdministrator: true))
    #expect(try account(#","block":{"since":1,"until":2,"by":"directory corp"}"#)?.disabledBy == nil)
    #expect(try account(#","block":{"since":1,"by":"directory corp"}"#)?.disabledBy == "directory corp")
  }

  // MARK: The route

  /// A body with steps of the directory `corp`.
  private static func steps(_ steps: String) -> String { #"{"directory":"corp","steps":[\#(steps)]}"# }

  private static func ask(_ body: String, of server: TestServer) async throws -> HTTPResponseStatus {
    let environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      models: server.environment.models)
    let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
    let token = try await AccessAdministration(environment).createToken(
      "t", role: .operator, lifetime: 3600, addresses: [], by: root)
    let api = APIResponder(environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (answer, _) = try await APIClient(api: api).ask(
      .POST, "/api/v1/directory-steps", token: token.text, body: body, headers: [:], from: "192.0.2.1")
    return answer.status
  }

  @Test func `the route carries out the steps that the command writes`() async throws {
    let server = try TestServer()
    let steps = try (0..<200).map { JSONValue.object(DirectoryRoutes.json(try Self.step($0))).text }
    let body = Self.steps(steps.joined(separator: ","))
    #expect(try await Self.ask(body, of: server) == .noContent)
    let profile = try await server.store.read { try $0.profiles.profiles(of: ["p7"]) }["p7"]
    #expect(profile == AccountProfile(displayName: "김미나", externalID: "ldap:corp:7", groups: ["Sales", "연구소"]))
  }

  @Test(
    arguments: [
      ("{}", .badRequest), (#"{"directory":"Corp","steps":[]}"#, .badRequest), (#"{"steps":[]}"#, .badRequest),
      (#"{"directory":"corp"}"#, .badRequest), (#"{"directory":"corp","steps":[]}"#, .badRequest),
      (steps(#""add""#), .badRequest),
      (steps(#"{"step":"delete","account":"a","externalID":"ldap:corp:a"}"#), .badRequest),
      (steps(#"{"step":"add","account":"a b","externalID":"ldap:corp:a"}"#), .badRequest),
      (steps(#"{"step":"add","account":"a"}"#), .badRequest),
      (steps(#"{"step":"add","account":"a","externalID":"ldap:other:a"}"#), .badRequest),
      (steps(#"{"step":"add","account":"a","externalID":"ldap:corp:a","role":"x"}"#), .badRequest),
      (steps(#"{"step":"disable","account":"a","externalID":"ldap:corp:a"}"#), .conflict),
    ] as [(String, HTTPResponseStatus)])
  func `the route refuses what is no step of the directory`(
    body: String, status: HTTPResponseStatus
  ) async throws {
    let server = try TestServer()
    #expect(try await Self.ask(body, of: server) == status)
    #expect(try await server.store.read { try $0.accounts.exists("a") } == false)
  }
}
