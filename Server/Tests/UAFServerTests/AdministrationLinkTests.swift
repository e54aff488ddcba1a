import Glibc
import NIOHTTP1
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Where commands send their requests, and how they read the answers.
@Suite(.onEachStore) struct AdministrationLinkTests {
  @Test(arguments: [
    ("unix:/var/lib/uaf-server/admin.sock", "http+unix://%2Fvar%2Flib%2Fuaf-server%2Fadmin.sock"),
    ("https://server.example.org:9443", "https://server.example.org:9443"),
    ("https://[::1]:9443/", "https://[::1]:9443"),
  ])
  func `--api accepts the address of a socket, and of a server with TLS`(text: String, base: String) {
    #expect(APIAddress(argument: text)?.base == base)
  }

  @Test(arguments: [
    "", "unix:", "unix:admin.sock", "http://server.example.org", "https://", "https://server/api/v1", "server:9443",
    "https://user@server",
  ])
  func `--api refuses any other address than a socket's or a TLS server's`(text: String) {
    #expect(APIAddress(argument: text) == nil)
  }

  @Test(arguments: [
    ["--state", "s", "--api", "unix:/s"], ["--store", "postgresql:///x", "--api", "unix:/s"],
    ["--api", "https://server"], ["--api", "unix:/s", "--token-file", "t"], ["--state", "s", "--token-file", "t"],
    ["--state", "s", "--api-ca", "c"], ["--api", "server"],
  ])
  func `refuses a command that names both a state folder and an API, or lacks an option for the API`(
    arguments: [String]
  ) {
    #expect(throws: (any Error).self) { try UsersCommand.parse(arguments) }
  }

  @Test(arguments: [
    [], ["--state", "s"], ["--state", "s", "--store", "postgresql:///x"], ["--api", "unix:/s"],
    ["--api", "https://server", "--token-file", "t", "--api-ca", "c"],
  ])
  func `accepts a command that names a state folder, an API with all its options, or neither`(arguments: [String])
    throws
  {
    _ = try UsersCommand.parse(arguments)
  }

  @Test func `without --state and --api a command asks the server at its socket, and says how to go on if none runs`()
    throws
  {
    let path = "/nonexistent/admin.sock"
    let error = #expect(throws: ServerError.notRunning(path: path, errorNumber: ENOENT)) {
      try AdministrationOptions.running(at: path)
    }
    #expect(error?.description.contains("systemctl start uaf-server") == true)
    #expect(error?.description.contains("runuser -u uaf-server") == true && error?.exit == .unreachable)
    #expect(ServerError.notRunning(path: path, errorNumber: EACCES).description.hasSuffix("run this as root"))
    #expect(try AdministrationOptions.running(at: "/dev/null") == .unixSocket(path: "/dev/null"))
  }

  @Test func `options that need the server's state folder are refused with --api and at the server's socket`() {
    #expect(throws: (any Error).self) { try AdminRemoveCommand.parse(["mina", "--force"]) }
    #expect(throws: (any Error).self) { try PolicyListCommand.parse(["--metadata", "m"]) }
    let api = ["--api", "unix:/s"]
    #expect(throws: (any Error).self) { try AdminRemoveCommand.parse(["mina", "--force"] + api) }
    #expect(throws: (any Error).self) { try PolicyListCommand.parse(["--metadata", "m"] + api) }
  }

  private func link(_ server: TestServer) -> LocalLink {
    LocalLink(
      AdministrationEnvironment(
        store: server.store, group: { _ in nil }, now: { [server] in server.now },
        random: { try RandomBytes.make($0) }, publicURL: TestServer.publicURL, authority: { _ in nil },
        verdictKeys: { "keys" },
        enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) },
        models: server.environment.models))
  }

  @Test func `a command reads a list of several pages to its end, or only as many rows as it needs`() async throws {
    let server = try TestServer()
    let names = (1000..<1450).map { "user\($0)" }
    try await server.store.write { [now = server.now] records in
      for name in names { try records.accounts.add(name, now: now) }
    }
    let accounts = APIRequest(.GET, ["accounts"])
    var found: [String] = []
    try await link(server).forEach(accounts, "accounts") { found.append($0.text("name") ?? "") }
    #expect(found == names)
    found = []
    try await link(server).forEach(accounts, "accounts", after: "user1001", atMost: 201) {
      found.append($0.text("name") ?? "")
    }
    #expect(found == Array(names[2..<203]))
  }

  @Test func `a command reaches an account whatever characters its name has`() async throws {
    let server = try TestServer()
    for name in ["a/b", "a%2Fb", "a?b=c", "a#b", ".."] {
      _ = try await link(server).ask(APIRequest(.POST, ["accounts"], body: ["name": .string(name)]))
      #expect(try await link(server).ask(APIRequest(.GET, ["accounts", name])).text("name") == name)
    }
  }

  @Test func `the refusal of a command says what to do, and sets the exit status`() async throws {
    let server = try TestServer()
    let problem = await #expect(throws: Problem.self) {
      try await link(server).ask(APIRequest(.DELETE, ["accounts", "nobody", "block"]))
    }
    #expect(
      problem?.text == "there is no account nobody; 'uaf-server users' lists the accounts" && problem?.exit == .refused)
    #expect(Problem(.serviceUnavailable, "store-away", "").exit == .unreachable)
    #expect(Problem(.tooManyRequests, "too-many", "").exit == .unreachable)
    #expect(Problem(.forbidden, "not-allowed", "a\u{1B}[2Jb").text == "a[2Jb")
  }

  @Test func `a command does not follow a server that names the same next page forever`() async throws {
    struct Circle: AdministrationLink {
      func response(to request: APIRequest) async throws -> [UInt8] { Array(#"{"rows":[],"next":"7"}"#.utf8) }
      func close() async {}
    }
    await #expect(throws: LinkError.unexpected) {
      try await Circle().forEach(APIRequest(.GET, ["audit"]), "rows") { _ in }
    }
  }
}
