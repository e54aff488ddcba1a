import ArgumentParser
import FidoResults
import Foundation
import UAFCrypto
import UAFMessages
import UAFService

/// `uaf-server import`: makes a store from an export.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make a store from an export, in an empty state folder or database.",
    discussion: """
      Stop the old server first, and copy verdict.key, verdict.pub, audit.key, audit.pub and decoy.secret into the state \
      folder; server.secret is removed there, so no signature that was used since the export can be used again. The whole \
      file is checked before anything is stored. If the import does not end, no server starts with the store: run it again, \
      and it begins anew. What was changed since the export is as it was: revoke and disable again. An export \
      is not signed: check the administrators and tokens that are listed at the end, and run 'audit verify'.
      """)

  @Argument(help: "The file that 'uaf-server export' made.", completion: .file()) var file: String
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func run() async throws {
    // What is wrong with the folder is said before a large file is read; it is not made before the file was found good.
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
      // Before the store can be used: answers to requests of before must not count.
      try StateLock.wait(for: directory) {
        guard FileManager.default.fileExists(atPath: directory.secretPath) else { return }
        try FileManager.default.removeItem(atPath: directory.secretPath)
      }
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
      "revoke again what was revoked since \(time), disable again what was disabled, and issue codes again that were not used"
    )
    for line in powers.lines { Terminal.note(line) }
  }
}

/// Who may administer a store after it was made from an export, which whoever could write to the file may have changed.
struct ImportedPowers: Equatable {
  /// Each with the role in parentheses.
  let administrators: [String]
  /// Those that are not over, each with the role in parentheses.
  let tokens: [String]

  /// - Parameter now: seconds since 1970.
  init(_ records: any StoreTransaction, now: Int64) throws {
    administrators = try records.administrators.all().map { "\($0.name) (\($0.role))" }
    tokens = try records.accessTokens.all().filter { $0.revokedAt == nil && $0.expiresAt > now }.map {
      "\($0.name) (\($0.role))"
    }
  }

  /// What is told to whoever imports.
  var lines: [String] {
    [("administrators", administrators), ("tokens", tokens)].filter { !$0.1.isEmpty }.map { name, list in
      "the file has these \(name); remove those that are not yours: \(list.joined(separator: ", "))"
    }
  }
}
