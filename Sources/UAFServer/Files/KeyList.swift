import UAFConsole
import UAFMessages
import UAFService

/// The keys as administrators read them.
enum KeyList {
  private struct Row {
    let kind: RotatedKey
    let id: String
    /// Since when it is used, in seconds since 1970; 0 for a key from before there were rotations.
    let from: Int64
    let use: String
  }

  /// A line for each key that is accepted, after one with titles.
  static func lines(_ keys: ServerKeys, now: Int64) -> [String] {
    ["kind\tid\tsince\tuse"]
      + rows(keys, now: now).map { row in
        "\(row.kind.rawValue)\t\(row.id)\t\(row.from == 0 ? "-" : Terminal.time(row.from))\t\(row.use)"
      }
  }

  /// An object for each key that is accepted.
  static func objects(_ keys: ServerKeys, now: Int64) -> [JSONObject] {
    rows(keys, now: now).map { row in
      var object: JSONObject = ["kind": .string(row.kind.rawValue), "id": .string(row.id), "use": .string(row.use)]
      object.set("since", row.from == 0 ? nil : .integer(row.from))
      return object
    }
  }

  /// The keys as the console shows them.
  static func facts(_ keys: ServerKeys, now: Int64) -> [ServerFacts.Key] {
    rows(keys, now: now).map { row in
      ServerFacts.Key(
        kind: row.kind.rawValue, id: row.id, from: row.from == 0 ? nil : row.from,
        use: row.use == "in-use" ? .inUse : row.use == "to-come" ? .toCome : .accepted)
    }
  }

  /// The keys in one line, for the log and the audit: kind, id and use of each.
  static func text(_ keys: ServerKeys, now: Int64) -> String {
    rows(keys, now: now).map { "\($0.kind.rawValue) \($0.id) \($0.use)" }.joined(separator: ", ")
  }

  private static func rows(_ keys: ServerKeys, now: Int64) -> [Row] {
    let rings = keys.rings
    return rows(.secret, rings.secrets, now: now, id: \.id) + rows(.verdict, rings.verdictKeys, now: now, id: \.id)
      + rows(.audit, rings.auditKeys, now: now, id: \.id)
  }

  private static func rows<Key>(_ kind: RotatedKey, _ ring: KeyRing<Key>, now: Int64, id: (Key) -> String) -> [Row] {
    let current = id(ring.current(at: now))
    return ring.kept(at: now).map { entry in
      let name = id(entry.key)
      let use = name == current ? "in-use" : entry.from > now ? "to-come" : "accepted"
      return Row(kind: kind, id: name, from: entry.from, use: use)
    }
  }
}
