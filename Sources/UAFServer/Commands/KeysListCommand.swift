import ArgumentParser
import UAFService

/// `uaf-server keys list`: which keys there are, by their ids.
struct KeysListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the keys of the state folder: kind, id, since when, and what it is used for.",
    discussion: "The id of a verdict's key is the 'kid' of its tokens. Those of secrets are only names.")

  @OptionGroup var state: StateOption

  func run() throws {
    let directory = try state.open(create: false)
    guard try StateFile.readSecret(path: directory.secretPath, counts: KeyFile<ServerSecret>.lengths) != nil else {
      throw ServerError.noStore(path: directory.path)
    }
    let now = Terminal.now
    for line in Self.lines(try ServerKeys(state: directory, now: { now }), now: now) { Terminal.result(line) }
  }

  /// A line for each key that is accepted.
  static func lines(_ keys: ServerKeys, now: Int64) -> [String] {
    let rings = keys.rings
    return ["kind\tid\tsince\tuse"] + lines(.secret, rings.secrets, now: now, id: \.id)
      + lines(.verdict, rings.verdictKeys, now: now, id: \.id)
  }

  private static func lines<Key>(
    _ kind: RotatedKey, _ ring: KeyRing<Key>, now: Int64, id: (Key) -> String
  ) -> [String] {
    let current = id(ring.current(at: now))
    return ring.kept(at: now).map { entry in
      let name = id(entry.key)
      let use = name == current ? "in-use" : entry.from > now ? "to-come" : "accepted"
      return "\(kind.rawValue)\t\(name)\t\(entry.from == 0 ? "-" : Terminal.time(entry.from))\t\(use)"
    }
  }
}
