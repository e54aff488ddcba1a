import ArgumentParser
import FidoResults
import Foundation
import Glibc
import UAFCrypto
import UAFMessages
import UAFService

/// `uaf-server migrate`: moves the store from the state folder into a PostgreSQL database.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Move the store from the state folder into an empty PostgreSQL database.",
    discussion: """
      During the move a running server can read server.db but not change it. The copy is read again and compared. \
      Then server.db is closed permanently, and the database can be used: start the server again with --store. Open \
      codes are not moved. If the move does not finish, the command says which store can be used; run it again. \
      --abandon empties the database, and opens server.db again as it was when it was closed.
      """)

  @Option(
    help: ArgumentHelp(
      "PostgreSQL database to which the store is moved, in the form of --store, without a password.", valueName: "url"))
  var to: String
  @Flag(help: "Use server.db again: what happened in the database since the move is lost.") var abandon = false
  @Flag(help: "Accept several hosts in --to without a synchronous standby; a failover may lose the copied store.")
  var allowAsynchronous = false
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard state.store == nil else {
      throw ValidationError("The store in the state folder is moved: give --to, and no --store.")
    }
  }

  func run() async throws {
    let directory = try state.open(create: false)
    let url = try DatabaseURL(to, environment: ProcessInfo.processInfo.environment)
    let source = try directory.openStore(allowsMoved: true)
    let move = try await source.move()
    guard !abandon || move != nil else {
      throw ServerError.invalidArgument("\(directory.databasePath) was not moved: it can be used as it is")
    }
    let target = try url.openStore(
      create: move == nil, allowsAsynchronous: allowAsynchronous, allowsUnfinished: true, deadline: StateOption.whole)
    let moving = StoreMigration(directory: directory, target: target, place: url.place, now: Terminal.now)
    guard let move else { return try await begin(moving) }
    guard abandon else { return try await resume(moving, move) }
    try await moving.abandon(source, mark: move.mark)
    json.print(
      ["state": .string("abandoned")],
      orElse: "server.db can be used again, as it was when it was moved; the database is empty, and no server uses it")
    Terminal.note(
      "start the server without --store, revoke and disable again what was revoked or disabled since the move, "
        + "and issue codes again"
    )
  }

  private func begin(_ moving: StoreMigration) async throws {
    let rows = try await moving.run(mark: Base64URL.encode(RandomBytes.make(16)))
    json.print(
      ["state": .string("moved"), "rows": .integer(rows), "store": .string(moving.place)],
      orElse: "moved \(rows) rows to \(moving.place); server.db is closed")
    advise()
  }

  private func resume(_ moving: StoreMigration, _ move: StoreMove) async throws {
    let hasEnded = try await moving.resume(mark: move.mark)
    json.print(
      ["state": .string("moved"), "store": .string(moving.place)],
      orElse: hasEnded
        ? "finished the move to \(moving.place); server.db is closed" : "server.db was moved to \(moving.place) before")
    advise()
  }

  private func advise() {
    Terminal.note(
      "stop the server, add --store with the URL of --to, and start it; issue open codes again; keep server.db unused"
    )
  }
}

/// `uaf-server export`: writes everything in the store as JSON lines, while the server runs.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write everything in the store as JSON, one object per line.",
    discussion: """
      The file is newly created, readable only by its owner; '-' writes to standard output. It has no private key: \
      copy verdict.key, verdict.pub, audit.key, audit.pub, machine.secret and decoy.secret from the state folder as \
      well, and never server.secret. It has no open codes and no sessions. Afterwards a row of the audit records the export.
      """)

  @Argument(help: "The new file, or - for standard output.", completion: .file()) var file: String
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard file != "-" || !json.isOn else { throw ValidationError("--json needs a file: '-' prints the export itself.") }
  }

  func run() async throws {
    let directory = try state.openWithKeys()
    let store = try state.openStoreForExport(in: directory)
    let now = Terminal.now
    let export = StoreExport(store: store, kind: state.store == nil ? "sqlite" : "postgresql", now: now)
    let written =
      file == "-"
      ? try await export.write(to: STDOUT_FILENO)
      : try await ExportFile.make(file) { try await export.write(to: $0) }
    let rows = written.rows
    let event = ServerEvents.command(.storeExport, detail: ["rows": .integer(rows)], now: now)
    try await store.write { try $0.audit.append([event]) }
    guard file != "-" else { return Terminal.note("exported \(rows) rows") }
    json.print(["rows": .integer(rows), "file": .string(file)], orElse: "exported \(rows) rows to \(file)")
  }
}

/// `uaf-server import`: makes a store from an export.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make a store from an export, in an empty state folder or database.",
    discussion: """
      Stop the old server first, and copy verdict.key, verdict.pub, audit.key, audit.pub, machine.secret and \
      decoy.secret into the state folder; server.secret is removed there, so no signature that was used since the export can be used again. \
      The whole file is checked before anything is stored. If the import does not finish, no server starts with the \
      store: run it again, and it starts from the beginning. Everything is as it was at the export: revoke and \
      disable again what was revoked or disabled since then. An export is not signed: check the administrators and \
      tokens that are listed at the end, and run 'audit verify'.
      """)

  @Argument(help: "The file that 'uaf-server export' made.", completion: .file()) var file: String
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func run() async throws {
    // An existing folder is checked before the file is read, which may be large. A missing folder is created only after the
    // file was checked.
    if FileManager.default.fileExists(atPath: state.directory) { _ = try state.open(create: false) }
    guard let input = try TrustedPath.open(file, followsLinks: false) else {
      throw ServerError.unusableFile(path: file, reason: "no such file")
    }
    do {
      try await run(input.descriptor)
    } catch let fault as ExportFault {
      throw ServerError.unusableExport(file, fault)
    }
  }

  private func run(_ descriptor: CInt) async throws {
    let header = try StoreImport.check(descriptor, path: file)
    let directory = try state.open(create: true)
    let store = try state.openStoreForImport(in: directory)
    let now = Terminal.now
    let detail: JSONObject = ["madeAt": .integer(header.madeAt), "store": .string(header.store)]
    let entry = ServerEvents.command(.storeImport, detail: detail, now: now)
    let mark = Base64URL.encode(try RandomBytes.make(16))
    let moving = StoreImport(store: store, descriptor: descriptor, path: file, mark: mark)
    let rows = try await moving.run(header, entry: entry, now: now) {
      // The old secret is removed before the store can be used, so that answers to earlier requests are refused.
      try StateLock.wait(for: directory) { try directory.dropSecret() }
    }
    let time = Terminal.time(header.madeAt)
    let powers = try await store.read { try ImportedPowers($0, now: now) }
    json.print(
      [
        "rows": .integer(rows), "madeAt": .integer(header.madeAt), "version": .string(header.version),
        "administrators": .array(powers.administrators.map(JSONValue.string)),
        "tokens": .array(powers.tokens.map(JSONValue.string)),
      ],
      orElse: "imported \(rows) rows of \(time), made by uaf-server \(Text.cleaned(header.version, limit: 80))")
    Terminal.note(
      "changes since \(time) are lost: revoke and disable again what was revoked or disabled since then, and "
        + "issue unused codes again"
    )
    for line in powers.lines { Terminal.note(line) }
  }
}

/// The administrators and tokens that an import has brought into a store.
///
/// They are reported, because somebody who could write to the export may have added some.
struct ImportedPowers: Equatable {
  /// Each administrator with the role in parentheses.
  let administrators: [String]
  /// The tokens that have not expired, each with the role in parentheses.
  let tokens: [String]

  /// - Parameter now: seconds since 1970.
  init(_ records: any StoreTransaction, now: Int64) throws {
    administrators = try records.administrators.all().map { "\($0.name) (\($0.role))" }
    tokens = try records.accessTokens.all().filter { $0.revokedAt == nil && $0.expiresAt > now }.map {
      "\($0.name) (\($0.role))"
    }
  }

  /// The report to the person who runs the import.
  var lines: [String] {
    [("administrators", administrators), ("tokens", tokens)].filter { !$0.1.isEmpty }.map { name, list in
      "the file has these \(name); remove any that are not yours: \(list.joined(separator: ", "))"
    }
  }
}
