import UAFService

/// The keys as administrators read them.
enum KeyList {
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
