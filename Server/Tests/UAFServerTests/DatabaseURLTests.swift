import Foundation
import Invocation
import Logging
import NIOCore
import NIOHTTP1
import Testing
import UAFMessages
import UAFService
import WebMessages

@testable import PostgreSQLStore
@testable import ServerTesting
@testable import UAFServer

import struct UAFMessages.RequestContext

/// `--store`: which URLs are accepted, where the password comes from, and what clients are told while the database is away.
struct DatabaseURLTests {
  private let folder: TemporaryFolder
  private let password: String

  init() throws {
    folder = try TemporaryFolder()
    password = folder.path(DatabaseURL.credential)
  }

  private func write(_ text: String, mode: Int = 0o600) throws {
    try Data(text.utf8).write(to: URL(filePath: password))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: password)
  }

  private func refusal(_ url: String, _ environment: [String: String] = [:]) -> ServerError? {
    do {
      _ = try DatabaseURL(url, environment: environment).openStore(create: true, allowsAsynchronous: false)
      return nil
    } catch {
      return error as? ServerError
    }
  }

  @Test(arguments: [
    "postgresql://uaf:4711@127.0.0.1:1/uaf", "uaf:4711", "postgresql://127.0.0.1:1/uaf",
    "postgresql:///uaf?host=/nowhere",
  ])
  func `a database that cannot be the store gives one line and exit status 78, and the line has no password`(
    url: String
  ) throws {
    let found = try #require(refusal(url))
    #expect(found.exit.rawValue == 78)
    #expect(!found.description.contains("4711") && !found.description.contains("\n"))
  }

  @Test func `refuses a database's password in the environment`() throws {
    let found = try #require(refusal("postgresql:///uaf?host=/nowhere", ["PGPASSWORD": "4711"]))
    #expect(found.description.contains("PGPASSWORD") && !found.description.contains("4711"))
  }

  @Test func `refuses a database service that the environment names`() throws {
    let found = try #require(refusal("postgresql:///uaf?host=/nowhere", ["PGSERVICE": "uaf"]))
    #expect(found.description.contains("PGSERVICE") && found.exit.rawValue == 78)
  }

  @Test func `reads the database's password from systemd's credential, with or without a final line end`() throws {
    let cluster = try PostgreSQLCluster()
    let administrator = try cluster.connection()
    try administrator.execute("CREATE ROLE keeper LOGIN SUPERUSER PASSWORD 'geheim 4711'")
    let rules = "\(cluster.folder)/data/pg_hba.conf"
    try Data("local all keeper scram-sha-256\nlocal all all trust\n".utf8).write(to: URL(filePath: rules))
    try administrator.execute("SELECT pg_reload_conf()")
    let (url, folder) = (cluster.url(user: "keeper"), ["CREDENTIALS_DIRECTORY": folder.url.path()])
    while refusal(url) == nil {}
    for text in ["geheim 4711", "geheim 4711\n"] {
      try write(text)
      #expect(refusal(url, folder) == nil)
    }
    try write("geheim")
    #expect(refusal(url, folder)?.exit.rawValue == 78)
  }

  @Test func `refuses a file with the database's password that others can read`() throws {
    try write("geheim", mode: 0o644)
    let found = try #require(
      refusal(PostgreSQLCluster.shared().url(), ["CREDENTIALS_DIRECTORY": folder.url.path()]))
    #expect(found == .unusableFile(path: password, reason: "others can read it: 'chmod 600 \(password)'"))
  }

  @Test func `clients are told to try again later while the store is away, and nothing is accepted`() async throws {
    let database = try PostgreSQLTestDatabase()
    let server = try TestServer(database: database)
    let alice = try await server.registered("alice")
    let answer = try await alice.authenticate(server.authenticationRequest("alice"), counter: 1)
    let administrator = try database.place.cluster.connection()
    try administrator.execute("ALTER DATABASE \(database.place.name) ALLOW_CONNECTIONS false")
    let open = "FROM pg_stat_activity WHERE datname = '\(database.place.name)'"
    try administrator.execute("SELECT pg_terminate_backend(pid) \(open)")
    while try administrator.execute("SELECT 1 \(open)").first != nil {}
    let watch = StoreWatch(server.environment.store, logger: Logger(label: "test"), now: server.environment.now)
    let routes = UAFRoutes(environment: server.environment, logger: Logger(label: "test"), watch: watch)
    await watch.look()
    try await TestClient(routes: routes).test { client in
      let bodies = [
        ("/uaf/get", GetUAFRequest(op: .authentication, context: RequestContext(username: "alice").jsonText).jsonBytes),
        ("/uaf/respond", SendUAFResponse(uafResponse: answer.text, context: nil).jsonBytes),
      ]
      for (path, body) in bodies {
        let response = try await client.executeRequest(
          uri: path, method: .POST, headers: ["Content-Type": "application/fido+uaf"], body: ByteBuffer(bytes: body))
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers.value(of: "Retry-After") == "5")
      }
      #expect(
        try await client.executeRequest(uri: "/readyz", method: .GET, headers: [:], body: nil).status
          == .serviceUnavailable)
    }
    try administrator.execute("ALTER DATABASE \(database.place.name) ALLOW_CONNECTIONS true")
  }
}
