import ArgumentParser
import UAFAdministration
import UAFMessages
import UAFService

/// `uaf-server keys`: lists and rotates the keys that can be replaced while people log in.
struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "List the server's keys, and replace them without losing a login.",
    subcommands: [KeysListCommand.self, KeysStatusCommand.self, KeysRotateCommand.self, KeysFinishCommand.self])
}

/// `uaf-server keys list`: lists the keys by their ids.
struct KeysListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the keys in the state folder: kind, id, since when, and whether it is used, accepted or ended.",
    discussion: "The id of a verdict key is the 'kid' of its tokens. The ids of secrets are only names.")

  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func run() throws {
    let directory = try state.openWithKeys()
    let now = Terminal.now
    let keys = try StateLock.wait(for: directory) { try ServerKeys(state: directory, now: { now }) }
    json.print(keys, now: now)
  }
}

/// `uaf-server keys rotate`: adds a key that will be used from a later time on.
struct KeysRotateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Make a new key, which comes into use later.",
    discussion: """
      'secret' authenticates session data: copy server.secret to the other servers of this store before the new key \
      is used. 'verdict' signs successes: copy verdict.key to the other servers, and verdict.pub to every \
      workstation. 'audit' signs heads of the audit: copy audit.key and audit.pub to the other servers. 'machine' is \
      what machines prove themselves with: copy machine.secret to the other servers; every machine that has joined \
      must join again. Then send each server SIGHUP. A replaced key is accepted for one more day. \
      Machines that have joined learn the new verdict key at their next check-in: 'keys status' says which lack it.
      """)

  @Argument(help: "secret, verdict, audit or machine.") var kind: RotatedKey
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp(
      "Seconds until the new key is used, 0 to 2592000 (default: an hour, for verdict a week).",
      valueName: "seconds"))
  var delay: Int64?

  func validate() throws {
    guard (0...2_592_000).contains(delay ?? 0) else { throw ValidationError("--in must be 0 to 2592000 seconds.") }
  }

  func run() async throws {
    let directory = try state.openWithKeys()
    let now = Terminal.now
    let keys = try StateLock.hold(directory) { try rotated(in: directory, now: now) }
    json.print(keys, now: now)
    await record(keys, in: directory, now: now)
    if kind == .verdict { await noteLacking(keys, in: directory, now: now) }
    Terminal.note("send SIGHUP to the server (systemctl reload uaf-server), and see uaf-server(8) for several servers")
  }

  /// Says how many machines have to learn the new key, and until when.
  private func noteLacking(_ keys: ServerKeys, in directory: ServerDirectory, now: Int64) async {
    guard let key = keys.comingVerdictKeys.last, let store = try? state.openStore(in: directory),
      let coming = try? await store.read({ records in
        try ComingTrust(.verdictKey(key.id), usedFrom: key.from, in: records, now: now)
      })
    else { return }
    Terminal.note(
      "\(coming.lackingText) key \(key.id), which is used from \(Terminal.time(key.from)); machines learn it by check-in, "
        + "and 'keys status' lists those that lack it")
  }

  /// Records the rotation in the audit; a failure of the store is not an error.
  ///
  /// The rotation is already done, and it must be possible to replace a stolen key even while the store is down. If this row is
  /// missing, a row at the server's next start or SIGHUP lists the keys that it has.
  private func record(_ keys: ServerKeys, in directory: ServerDirectory, now: Int64) async {
    let detail: JSONObject = [
      "kind": .string(kind.rawValue), "from": .integer(now + (delay ?? kind.standardDelay)),
      "keys": .string(KeyList.text(keys, now: now)),
    ]
    do {
      let store = try state.openStore(in: directory)
      let event = ServerEvents.command(.keyRotation, detail: detail, now: now)
      try await store.write { try $0.audit.append([event]) }
    } catch {
      Terminal.note(
        "the audit has no row for this, because the store cannot be used; at its next SIGHUP the server records "
          + "which keys it has"
      )
    }
  }

  /// Adds the new key, and returns all keys.
  private func rotated(in directory: ServerDirectory, now: Int64) throws -> ServerKeys {
    // This also creates the secret for decoys, which must exist before `server.secret` is rotated, and writes verdict.pub if an
    // earlier rotation failed to.
    let keys = try ServerKeys(state: directory, now: { now })
    let from = now + (delay ?? kind.standardDelay)
    switch kind {
    case .secret: _ = try directory.secrets.rotate(now: now, from: from)
    case .verdict: _ = try directory.verdictKeys.rotate(now: now, from: from)
    case .audit: _ = try directory.auditKeys.rotate(now: now, from: from)
    case .machine: _ = try directory.machineSecrets.rotate(now: now, from: from)
    }
    try keys.reload(from: directory)
    return keys
  }
}
