import ArgumentParser
import FidoResults
import Foundation
import UAFCrypto
import UAFMessages
import UAFService

/// `uaf-server migrate`: moves the store from the state folder into a PostgreSQL database.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Move the store from the state folder into an empty PostgreSQL database.",
    discussion: """
      While it runs, a server that serves reads server.db and cannot change it. The copy is read again and compared. Then \
      server.db is closed for good, and the database can be used: start the server again with --store. Open codes are not \
      moved. If it does not end, it says which store can be used; run it again. --abandon empties the database, and opens \
      server.db again as it was when it was closed.
      """)

  @Option(
    help: ArgumentHelp(
      "PostgreSQL database to move the store to, in the form of --store, with no password in it.", valueName: "url"))
  var to: String
  @Flag(help: "Take server.db back: what happened in the database since the move is lost.") var abandon = false
  @Flag(help: "Use a --to of several hosts also without a synchronous standby: a failover can then forget the copy.")
  var allowAsynchronous = false
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard state.store == nil else {
      throw ValidationError("It is the store in the state folder that is moved: give --to, and no --store.")
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
      "start the server without --store, revoke and disable again what was since the move, and issue codes again")
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
        ? "ended the move to \(moving.place); server.db is closed" : "server.db was moved to \(moving.place) before")
    advise()
  }

  private func advise() {
    Terminal.note(
      "stop the server, add --store with the URL of --to, and start it; issue open codes again; keep server.db unused"
    )
  }
}
