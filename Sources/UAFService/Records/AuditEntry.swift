/// What a row of the audit says, before it has its place in the chain.
///
/// Nothing is absent: what a row does not name is an empty text. No text has U+0000, which ends a text for much that reads
/// SQLite's files, and which PostgreSQL refuses: U+FFFD stands in its place.
package struct AuditEntry: Equatable, Sendable {
  /// Seconds since 1970, by the clock of the instance that wrote it.
  package let time: Int64
  package let kind: AuditKind
  /// ``done``, or the reason of a refusal.
  package let outcome: String
  package let account: String
  package let actor: String
  package let address: String
  /// The machine's name, or its id if it has none; what it said of itself.
  package let machine: String
  /// Each with AAID, KeyID and counter.
  package let authenticators: String
  /// A JSON object.
  package let detail: String

  /// The outcome of what was not refused.
  package static let done = "ok"
  /// The first byte of ``body``; another form has another number.
  private static let form: UInt8 = 1

  package init(
    time: Int64, kind: AuditKind, outcome: String = done, account: String = "", actor: AuditActor, address: String = "",
    machine: String = "", authenticators: String = "", detail: String = ""
  ) {
    self.time = time
    self.kind = kind
    self.outcome = Self.storable(outcome)
    self.account = Self.storable(account)
    self.actor = actor.text
    self.address = Self.storable(address)
    self.machine = Self.storable(machine)
    self.authenticators = Self.storable(authenticators)
    self.detail = Self.storable(detail)
  }

  private static func storable(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
  }

  /// Makes an event of what is stored, whatever that is.
  ///
  /// - Parameter texts: as ``texts`` has them.
  /// - Returns: nil for another number of texts.
  package init?(time: Int64, texts: [String]) {
    guard texts.count == 8 else { return nil }
    self.time = time
    kind = AuditKind(rawValue: texts[0])
    outcome = texts[1]
    account = texts[2]
    actor = texts[3]
    address = texts[4]
    machine = texts[5]
    authenticators = texts[6]
    detail = texts[7]
  }

  /// The texts in the order of their columns: kind, outcome, account, actor, address, machine, authenticators, detail.
  package var texts: [String] {
    [kind.rawValue, outcome, account, actor, address, machine, authenticators, detail]
  }

  /// The bytes that are hashed: form (1) | time (8) | each text after its length in bytes (4).
  ///
  /// Numbers are big-endian.
  package var body: [UInt8] {
    var bytes = [Self.form]
    bytes.reserveCapacity(256)
    BigEndian.append(time, to: &bytes)
    for text in texts {
      BigEndian.append(UInt32(clamping: text.utf8.count), to: &bytes)
      bytes += text.utf8
    }
    return bytes
  }
}
