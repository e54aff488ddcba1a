import ArgumentParser
import UAFService

/// `uaf-server keys rotate`: adds a key that is used from a later time on.
struct KeysRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Make a new key, which is used from a later time on.",
    discussion: """
      'secret' is the one over session data: give the file server.secret to the other servers of this store before the new \
      one is used. 'verdict' signs successes: give verdict.key to the other servers, and verdict.pub to every workstation. \
      Then send each server SIGHUP. A replaced key is accepted for a day more.
      """)

  @Argument(help: "secret or verdict.") var kind: RotatedKey
  @OptionGroup var state: StateOption
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp(
      "Seconds until the new key is used, 0 to 2592000 (default: an hour for secret, a week for verdict).",
      valueName: "seconds"))
  var delay: Int64?

  func validate() throws {
    guard (0...2_592_000).contains(delay ?? 0) else { throw ValidationError("--in must be 0 to 2592000 seconds.") }
  }

  func run() throws {
    let directory = try state.openWithKeys()
    let now = Terminal.now
    let keys = try StateLock.hold(directory) { try rotated(in: directory, now: now) }
    for line in KeyList.lines(keys, now: now) { Terminal.result(line) }
    Terminal.note("send SIGHUP to the server (systemctl reload uaf-server), and see uaf-server(8) for several servers")
  }

  /// The keys with the new one among them.
  private func rotated(in directory: ServerDirectory, now: Int64) throws -> ServerKeys {
    // Makes the secret of decoys, which must not change with this one, and writes verdict.pub if an earlier rotation did not.
    let keys = try ServerKeys(state: directory, now: { now })
    let from = now + (delay ?? kind.standardDelay)
    switch kind {
    case .secret: _ = try directory.secrets.rotate(now: now, from: from)
    case .verdict: _ = try directory.verdictKeys.rotate(now: now, from: from)
    }
    try keys.reload(from: directory)
    return keys
  }
}
