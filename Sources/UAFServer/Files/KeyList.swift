import UAFService

/// The keys as administrators read them.
enum KeyList {
  /// A line for each key that is accepted.
  static func lines(_ keys: ServerKeys, now: Int64) -> [String] {
    let rings = keys.rings
    return ["kind\tid\tsince\tuse"] + lines(.secret, rings.secrets, now: now, id: \.id)
      + lines(.verdict, rings.verdictKeys, now: now, id: \.id)
      + lines(.audit, rings.auditKeys, now: now, id: \.id)
  }

  /// The keys in one line, for the log and the audit: kind, id and use of each.
  static func text(_ keys: ServerKeys, now: Int64) -> String {
    let lines = lines(keys, now: now).dropFirst().map { $0.split(separator: "\t") }
    return lines.filter { $0.count == 4 }.map { "\($0[0]) \($0[1]) \($0[3])" }.joined(separator: ", ")
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
