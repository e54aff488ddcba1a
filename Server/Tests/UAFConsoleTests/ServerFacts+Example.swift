@testable import UAFConsole

extension ServerFacts {
  static let example = ServerFacts(
    listeners: [(.logins, "<b>:8443"), (.administration, "127.0.0.1:8444")], certificateEnds: { [1234] },
    store: "SQLite",
    keys: { now in
      [
        Key(kind: "verdict", id: "old", from: nil, use: .accepted),
        Key(kind: "verdict", id: "now", from: 7, use: .inUse),
        Key(kind: "verdict", id: "next", from: now + 60, use: .toCome),
      ]
    })
}
