import Foundation
import UAFWire

/// A ``Scene`` whose helper is reached over the socket of systemd's unit, by root and by the account itself.
///
/// Everything is in a mount namespace: `/run`, `/etc/security`, `/etc/passwd` and `/etc/group` are the scene's own there.
final class SocketMachine {
  /// The script that hides the machine's own paths, and listens.
  ///
  /// Arguments: the scene's folder, uafctl, the helper, until-closed.py, an option for systemd and one for the helper.
  ///
  /// The listener closes what it inherits, including the descriptor by which Foundation learns that a process has ended. So it
  /// cannot be the test's own child.
  private static let preparation = """
    set -e
    mount --make-rprivate /
    mount -t tmpfs -o mode=755 run /run
    mkdir /run/pam-uaf
    mount --bind "$1/security" /etc/security
    for name in passwd group; do mount --bind "$1/$name" "/etc/$name"; done
    : >"$1/uafctl"
    mount --bind "$2" "$1/uafctl"
    exec python3 "$4" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
      systemd-socket-activate $5 --seqpacket --listen=/run/pam-uaf/helper.sock "$3" $6
    """

  let scene: Scene
  private let listener: Command
  private let peer: String
  private let namespace: [String]

  /// - Parameter listens: whether `uaf-helper --listen` starts the cores, as in the unit's service; otherwise systemd starts
  ///   them.
  init(_ scene: Scene, listens: Bool = false) throws {
    self.scene = scene
    let security = scene.path("security")
    try FileManager.default.createDirectory(atPath: security, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: scene.configuration, toPath: security + "/pam_uaf.conf")
    // The checkout's folder may be accessible only to root.
    peer = scene.path("peer.py")
    try FileManager.default.copyItem(atPath: Programs.own("peer.py"), toPath: peer)
    listener = try Command(
      [
        "unshare", "--mount", "/bin/sh", "-c", Self.preparation, "sh", scene.folder, Programs.tool, Programs.helper,
        Programs.own("until-closed.py"), listens ? "" : "--accept", listens ? "--listen" : "",
      ])
    try listener.wait(for: "Listening on")
    namespace = ["nsenter", "--mount", "--target", "\(listener.identifier)"]
    // The same mode as the unit's SocketMode.
    try Command.succeed(namespace + ["chmod", "666", "/run/pam-uaf/helper.sock"], logged: false)
  }

  /// Runs a program as the account.
  func asPerson(_ arguments: [String], input: String = "") throws -> Output {
    try Command.run(namespace + Self.person(Scene.uid) + arguments, input: input, logged: false)
  }

  private static func person(_ uid: Int) -> [String] {
    ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "--inh-caps=-all"]
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// Runs a program as root, on the same machine.
  func asRoot(_ arguments: [String], input: String = "") throws -> Output {
    try Command.run(namespace + arguments, input: input, logged: false)
  }

  /// Starts a program as root, on the same machine.
  func startAsRoot(_ arguments: [String]) throws -> Command { try Command(namespace + arguments, logged: false) }

  /// The core that is kept ready, and its network program; nil while there is none.
  func readyCore() -> (core: pid_t, network: pid_t)? {
    for core in listener.descendants(named: "uaf-helper") where ProcessTable.arguments(core).last == "--ready" {
      // A core that a login uses runs under the seccomp filter, and is not one that is kept ready.
      guard ProcessTable.status(core, "Seccomp") == "0", ProcessTable.status(core, "NoNewPrivs") == "1" else {
        continue
      }
      let network = ProcessTable.descendants(of: core, named: "uaf-fetch").first
      if let network, ProcessTable.status(network, "NoNewPrivs") == "1" { return (core, network) }
    }
    return nil
  }

  /// Waits for a core that is kept ready.
  func awaitReadyCore() throws -> (core: pid_t, network: pid_t) {
    var found: (core: pid_t, network: pid_t)?
    try Wait.until("a ready core") {
      found = readyCore()
      return found != nil
    }
    guard let found else { throw Failure("no ready core") }
    return found
  }

  /// Ends the process that accepts the connections.
  func endListener() throws { _ = try listener.end() }

  /// Runs uafctl as the account.
  func tool(_ arguments: String..., input: String = "") throws -> Output {
    try asPerson([scene.path("uafctl")] + arguments, input: input)
  }

  /// Sends packets as the account or as a different person, one at the beginning and one for each prompt and *ready*, and
  /// returns what came back.
  func converse(_ packets: [UInt8]..., uid: Int = Scene.uid) throws -> [CoreMessage] {
    let program = ["python3", peer, "/run/pam-uaf/helper.sock"] + packets.map(Self.hexadecimal)
    let output = try Command.run(namespace + Self.person(uid) + program, logged: false)
    guard output.status == 0, output.lines.last == "end" else { throw Failure("peer.py: \(output.text)") }
    return try output.lines.dropLast().map(Self.message)
  }

  /// The message of a packet in hexadecimal.
  static func message(_ line: String) throws -> CoreMessage {
    let digits = Array(line)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
    return try CoreMessage(Packet(bytes.span), bytes.span)
  }

  /// Opens many conversations as the account, and keeps those open that are not refused.
  ///
  /// - Returns: the running program, which has printed what crowd.py prints.
  func crowd(_ count: Int, _ packet: [UInt8]) throws -> Command {
    let program = scene.path("crowd.py")
    try FileManager.default.copyItem(atPath: Programs.own("crowd.py"), toPath: program)
    let crowd = try Command(
      namespace + Self.person(Scene.uid) + ["python3", program, "/run/pam-uaf/helper.sock", "\(count)"]
        + [Self.hexadecimal(packet)], logged: false)
    try crowd.wait(for: "\nend\n")
    return crowd
  }

  /// The names of the files of accounts that have registered.
  func accountFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scene.settings.stateDirectory + "/accounts").sorted()
  }
}
