import ArgumentParser
import Foundation
import Glibc
import Logging
import NIOCore
import UAFService

/// The options of every subcommand that needs the state folder or the store.
struct StateOption: ParsableArguments {
  @Option(
    name: .customLong("state"), help: "Folder that holds the server's store, keys and certificate.",
    completion: .directory)
  var directory: String

  @Option(
    help: ArgumentHelp(
      "PostgreSQL database that is the store instead of a file in the state folder: "
        + "postgresql://HOST,HOST/DATABASE?SETTING=VALUE.", valueName: "url"))
  var store: String?

  /// Opens the store: the database that `--store` names, or else the file in the state folder.
  ///
  /// - Parameters:
  ///   - directory: the state folder, if it is open already.
  ///   - create: whether the store is created if it does not exist.
  ///   - allowsAsynchronous: whether a database with several hosts is used even if it has no synchronous standby.
  func openStore(
    in directory: ServerDirectory? = nil, create: Bool = false, allowsAsynchronous: Bool = true
  ) throws -> any ServerStore {
    let directory = try directory ?? open(create: create)
    guard let store else { return try directory.openStore(create: create) }
    return try DatabaseURL(store, environment: ProcessInfo.processInfo.environment)
      .openStore(create: create, allowsAsynchronous: allowsAsynchronous)
  }

  /// Opens the state folder and the store for administration.
  ///
  /// - Parameters:
  ///   - server: the base URL for payloads; nil for the one that `serve` was last started with.
  ///   - models: the authenticators that policies can name; nil for this project's own.
  func link(server: PublicURL?, models: AuthenticatorModels? = nil) throws -> LocalLink {
    let directory = try open(create: false)
    return try LocalLink(directory, store: openStore(in: directory), server: server, models: models)
  }

  /// The time limit of a transaction that reads, fills or empties the whole store: a day.
  static let whole = Duration.seconds(86_400)

  /// Opens the store to read all of it.
  func openStoreForExport(in directory: ServerDirectory) throws -> any ServerStore {
    guard let store else { return try directory.openStore() }
    return try DatabaseURL(store, environment: ProcessInfo.processInfo.environment)
      .openStore(create: false, allowsAsynchronous: true, deadline: Self.whole)
  }

  /// Opens the store to fill it, and creates it if it does not exist.
  func openStoreForImport(in directory: ServerDirectory) throws -> any ServerStore {
    guard let store else { return try directory.openStore(create: true, allowsUnfinished: true) }
    return try DatabaseURL(store, environment: ProcessInfo.processInfo.environment)
      .openStore(create: true, allowsAsynchronous: true, allowsUnfinished: true, deadline: Self.whole)
  }

  /// Opens a state folder that must contain keys, since the server has run before.
  func openWithKeys() throws -> ServerDirectory {
    let directory = try open(create: false)
    guard try StateFile.readSecret(path: directory.secretPath, counts: KeyFile<ServerSecret>.lengths) != nil else {
      throw ServerError.noStore(path: directory.path)
    }
    return directory
  }

  func open(create: Bool) throws -> ServerDirectory {
    try ServerDirectory(path: directory, create: create)
  }
}

/// The last steps of the server's start, which are done once it listens.
struct ServerStart: Sendable {
  let listen: ListenAddress
  /// The base URL that clients use; nil if it is the address where the server listens.
  let publicURL: PublicURL?
  let facets: [String]
  /// Returns the certificates that clients see now, DER.
  let certificates: @Sendable () -> [[UInt8]]
  let channelBinding: ChannelBindingPolicy
  let identity: IdentityBox
  let manager: ServiceManager
  let store: any ServerStore
  /// The statistics from which decoys get their shapes.
  let shapes: [KeyShapeKeeper]
  let logger: Logger

  /// Makes the identity before the server listens, unless clients have to use a port that the system will choose.
  ///
  /// A client may connect as soon as the socket listens, and ``announce(_:)`` is called only after that.
  ///
  /// - Throws: an error if the identity cannot be made.
  func prepare() throws {
    if publicURL == nil, case .network(_, 0) = listen { return }
    identity.set(try known(at: listen.url(port: nil)))
  }

  private func known(at local: String) throws -> ServerIdentity {
    try ServerIdentity(
      publicURL: publicURL?.text ?? local, facets: facets, certificates: certificates(), channelBinding: channelBinding)
  }

  /// Makes the identity for the port that is now known, stores the URL for the other commands, and prints where the server
  /// listens.
  func announce(_ channel: any Channel) async {
    let local = listen.url(port: channel.localAddress?.port)
    do {
      if let path = listen.path { try ProxySocket(path: path).open() }
      let known = try known(at: local)
      identity.set(known)
      try await store.write { [url = publicURL?.text ?? local] records in
        try records.settings.set(.publicURL, to: url)
        try records.accounts.spreadBlocks()
      }
      for keeper in shapes {
        keeper.keep(upWith: store, appID: known.appID) { error in
          logger.error("failed", metadata: ["error": "\(type(of: error))"])
        }
      }
      Terminal.result("listening on \(local)")
      manager.ready()
      // If the line could not be printed, a program that waits for it would wait forever. So the server stops as after a
      // signal, and reports why.
      if Terminal.failure != nil { kill(getpid(), SIGTERM) }
    } catch {
      let reason = (error as? ServerError)?.description ?? "\(type(of: error))"
      logger.critical("failed", metadata: ["error": "\(reason)"])
    }
  }
}
