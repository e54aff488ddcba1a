import ArgumentParser
import Glibc
import UAFMessages
import UAFService

/// The options of every administrative subcommand: where the state folder is, or how to reach a running server.
///
/// Without any, the subcommand asks the server that the package's service runs on this machine.
struct AdministrationOptions: ParsableArguments {
  @Option(
    name: .customLong("state"), help: "Folder that holds the server's store, keys and certificate.",
    completion: .directory)
  var directory: String?

  @Option(
    help: ArgumentHelp(
      "PostgreSQL database that is the store instead of a file in the state folder: "
        + "postgresql://HOST,HOST/DATABASE?SETTING=VALUE.", valueName: "url"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "Ask a running server: unix:PATH of its admin.sock, or https://HOST:PORT of --admin-listen (default: "
        + "unix:\(Self.standardSocket), if --state is not given).",
      valueName: "address"))
  var api: APIAddress?

  @Option(
    help: ArgumentHelp("File with the token for --api https, readable only by its owner.", valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Option(
    help: ArgumentHelp("Certificate authorities of that server, PEM (default: the system's).", valueName: "file"),
    completion: .file())
  var apiCa: String?

  func validate() throws {
    guard directory == nil || api == nil else {
      throw ValidationError("Give --state DIRECTORY or --api ADDRESS, not both.")
    }
    guard store == nil || api == nil else { throw ValidationError("--store needs --state.") }
    if case .network = api {
      guard tokenFile != nil else { throw ValidationError("--api https needs --token-file.") }
    } else {
      guard tokenFile == nil, apiCa == nil else {
        throw ValidationError("--token-file and --api-ca are only for --api https.")
      }
    }
  }

  /// Whether the state folder is used, and not a running server.
  var isLocal: Bool { directory != nil }

  /// The socket of the server that the package's service runs.
  static let standardSocket = "/var/lib/uaf-server/admin.sock"

  /// The address of a server that runs on this machine.
  ///
  /// - Throws: ``ServerError/notRunning(path:errorNumber:)`` if there is no socket with that name, or the caller may not reach
  ///   it.
  static func running(at path: String) throws(ServerError) -> APIAddress {
    // SAFETY: the path lives for the call.
    guard unsafe access(path, R_OK | W_OK) == 0 else { throw .notRunning(path: path, errorNumber: errno) }
    return .unixSocket(path: path)
  }

  /// The state folder and the store, if the command line names them.
  private var state: StateOption? {
    guard let directory else { return nil }
    var option = StateOption()
    (option.directory, option.store) = (directory, store)
    return option
  }

  /// Opens the link that carries the command's requests, passes it to `body`, and closes it.
  ///
  /// - Parameters:
  ///   - server: the base URL for payloads; nil for the one that `serve` was last started with.
  ///   - models: the authenticators that policies can name; nil for this project's own.
  func link(
    server: PublicURL? = nil, models: AuthenticatorModels? = nil, _ body: (any AdministrationLink) async throws -> Void
  ) async throws {
    let link = try open(server: server, models: models)
    do {
      try await body(link)
    } catch {
      await link.close()
      throw error
    }
    await link.close()
  }

  private func open(server: PublicURL?, models: AuthenticatorModels?) throws -> any AdministrationLink {
    if let state { return try state.link(server: server, models: models) }
    guard server == nil else {
      throw ValidationError("--server is only for --state: a running server knows its own address.")
    }
    return try RemoteLink(
      to: try api ?? Self.running(at: Self.standardSocket), token: tokenFile.map { try LinkToken(path: $0) },
      trust: SinkTrust(authorities: apiCa))
  }
}

/// The option `--json` of commands that print results for people or for programs.
struct JSONFlag: ParsableArguments {
  @Flag(
    name: .customLong("json"),
    help: ArgumentHelp(
      "Print JSON, as docs/api.md describes it, one object per line.")) var isOn = false

  /// With `--json` prints the object on one line; otherwise prints the text.
  func print(_ object: JSONObject, orElse text: String) {
    Terminal.result(isOn ? JSONText.ascii(JSONValue.object(object).text) : text)
  }

  /// Prints the title line of a list, unless `--json` is given.
  func title(_ text: String) {
    if !isOn { Terminal.result(text) }
  }

  /// Prints the keys of the state folder.
  func print(_ keys: ServerKeys, now: Int64) {
    guard isOn else { return KeyList.lines(keys, now: now).forEach { Terminal.result($0) } }
    for object in KeyList.objects(keys, now: now) { print(object, orElse: "") }
  }
}

/// Shell completion of account names.
enum AccountCompletion {
  /// Completes with the accounts in the store of the folder that `--state` names on the command line so far.
  static let accounts = CompletionKind.custom { (words: [String], _: Int, begun: String) async in
    guard let index = words.firstIndex(of: "--state").map({ $0 + 1 }), words.indices.contains(index) else { return [] }
    return (try? await names(in: words[index], prefix: begun)) ?? []
  }

  /// The most names that are offered.
  private static let most = 200

  private static func names(in folder: String, prefix: String) async throws -> [String] {
    let query = AccountQuery(prefix: prefix, limit: most)
    let store = try ServerDirectory(path: folder, create: false).openStore()
    return try await store.read { try $0.accounts.page(query, now: Terminal.now) }.map(\.username)
  }
}
