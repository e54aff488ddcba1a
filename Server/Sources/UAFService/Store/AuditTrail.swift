import UAFCrypto
import UAFMessages

/// The audit: rows that are numbered without gaps and chained by their hashes, and the signed heads of that chain.
package protocol AuditTrail {
  /// Adds rows to the end of the chain, in the transaction whose changes they describe.
  ///
  /// Of all instances and processes, only one at a time adds rows. To avoid deadlocks, a store may add the rows at the end of
  /// the transaction; until then the transaction does not see them.
  func append(_ events: [AuditEntry]) throws

  /// The end of the chain.
  func last() throws -> AuditLink

  /// Rows in the order of their numbers, or the newest first.
  ///
  /// - Parameter limit: how many at most.
  func rows(_ filter: AuditFilter, limit: Int) throws -> [AuditRow]

  /// How many rows a filter matches; at most `limit` are counted.
  func count(_ filter: AuditFilter, atMost limit: Int) throws -> Int

  /// The number of the first row that is not older than a time; nil if there is none.
  ///
  /// - Parameter time: seconds since 1970.
  func firstNumber(since time: Int64) throws -> Int64?

  /// The numbers of the two rows next to a time, if rows are ordered by time: the last one that is older, and the first one
  /// that is not.
  ///
  /// Rows are numbered in the order in which they were stored. That is not the order of their times if the clocks of instances
  /// differ, or a clock was set. The call takes the same time for every part of the audit.
  ///
  /// - Parameter time: seconds since 1970.
  /// - Returns: nil for a row that does not exist.
  func numbers(around time: Int64) throws -> (older: Int64?, notOlder: Int64?)

  /// Signed heads in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: heads with higher numbers.
  ///   - limit: how many at most.
  func heads(after number: Int64, limit: Int) throws -> [StoredHead]

  /// The signed head with the highest number that is not above `number`.
  func lastHead(through number: Int64) throws -> StoredHead?

  /// Stores a signed head, instead of an earlier one for the same row.
  func keep(_ head: StoredHead) throws

  /// Removes the heads with higher numbers.
  func removeHeads(after number: Int64) throws

  /// Removes the rows and the heads up to a number.
  ///
  /// - Returns: how many rows there were.
  func remove(through number: Int64) throws -> Int
}

extension AuditTrail {
  /// The signed head with the highest number.
  package func lastHead() throws -> StoredHead? { try lastHead(through: .max) }
}

/// The conditions for rows of the audit.
package struct AuditFilter: Equatable, Sendable {
  /// Rows with a higher number.
  package var after: Int64
  /// nil for every account.
  ///
  /// The following fields too match every row if they are nil.
  package var account: String?
  package var kind: AuditKind?
  package var outcome: String?
  /// The machine's name, or its ID if it has no name.
  package var machine: String?
  /// The PAM service that the machine has named.
  package var service: String?
  /// Words in any of a row's texts except kind and outcome; ASCII letters match both cases.
  package var words: String?
  /// The fields whose conditions rows must not meet.
  package var negated: Set<AuditField> = []
  /// Seconds since 1970, this second included.
  package var since: Int64?
  /// Seconds since 1970, this second not included.
  package var until: Int64?

  /// Rows with a lower number; nil for all.
  package var before: Int64?
  package var isNewestFirst = false

  package init(
    after: Int64 = 0, account: String? = nil, kind: AuditKind? = nil, outcome: String? = nil, since: Int64? = nil,
    until: Int64? = nil, machine: String? = nil
  ) {
    self.after = after
    self.account = account
    self.kind = kind
    self.outcome = outcome
    self.since = since
    self.until = until
    self.machine = machine
  }

  /// Whether every row matches that comes between ``after`` and ``before``.
  package var hasNoConditions: Bool {
    var plain = AuditFilter(after: after)
    (plain.before, plain.isNewestFirst) = (before, isNewestFirst)
    return self == plain
  }

  /// The part of a row's detail that names ``service``; nil for every service.
  ///
  /// It cannot be a part of any other text in the detail, because there each quotation mark has a backslash before it.
  package var serviceMember: String? { service.map { #""service":\#(JSONValue.string($0).text)"# } }

  /// A pattern for SQL's LIKE that finds some words anywhere in a text.
  ///
  /// - Parameter escape: the character that is put before `%`, `_` and itself.
  package static func pattern(_ words: String, escape: Unicode.Scalar) -> String {
    // Scalar by scalar: a Character may consist of `%` and a combining accent, but SQL sees a separate `%`.
    let escaped = words.unicodeScalars.reduce(into: "".unicodeScalars) { text, scalar in
      if ["%", "_", escape].contains(scalar) { text.append(escape) }
      text.append(scalar)
    }
    return "%\(String(escaped))%"
  }

  /// The fields that this filter restricts to something other than their most common value (`login`, `done`), each with that
  /// value.
  ///
  /// Stores have a partial index of the rows that do not have that value. A query uses the index only if it excludes the value
  /// explicitly.
  package var rareFields: [(AuditField, String)] {
    var fields: [(AuditField, String)] = []
    if let kind, kind != .login, !negated.contains(.kind) { fields.append((.kind, AuditKind.login.rawValue)) }
    if let outcome, outcome != AuditEntry.done, !negated.contains(.outcome) {
      fields.append((.outcome, AuditEntry.done))
    }
    return fields
  }
}

/// One row of the audit.
package struct AuditRow: Equatable, Sendable {
  package let link: AuditLink
  package let event: AuditEntry

  package init(link: AuditLink, event: AuditEntry) {
    self.link = link
    self.event = event
  }

  package var number: Int64 { link.number }
}

/// A link of the audit's chain: the number of a row, and its hash, which covers all rows before it.
package struct AuditLink: Equatable, Sendable {
  package let number: Int64
  /// 32 bytes.
  package let hash: [UInt8]

  /// The link before the first row.
  package static let start = AuditLink(number: 0, hash: [UInt8](repeating: 0, count: 32))

  package init(number: Int64, hash: [UInt8]) {
    self.number = number
    self.hash = hash
  }

  /// The link of the row that follows: SHA-256 of this hash, the row's number (8 bytes, big-endian), and its body.
  ///
  /// - Parameter body: ``AuditEntry/body``.
  /// - Throws: ``CryptoError``.
  package func next(_ body: [UInt8]) throws(CryptoError) -> AuditLink {
    let number = number &+ 1
    var bytes = hash
    bytes.reserveCapacity(hash.count + 8 + body.count)
    BigEndian.append(number, to: &bytes)
    bytes += body
    return AuditLink(number: number, hash: try SHA256.hash(bytes))
  }
}

/// A signed head of the audit as it is stored; its signature is not checked.
package struct StoredHead: Equatable, Sendable {
  /// The row that it signs.
  package let number: Int64
  package let token: String

  package init(number: Int64, token: String) {
    self.number = number
    self.token = token
  }
}

/// The content of a row of the audit, without its number and hash.
///
/// No field is absent: a field without a value is an empty text. U+FFFD replaces U+0000 in texts: PostgreSQL refuses U+0000,
/// and many programs that read SQLite's files take it as the end of a text.
package struct AuditEntry: Equatable, Sendable {
  /// Seconds since 1970, by the clock of the instance that wrote it.
  package let time: Int64
  package let kind: AuditKind
  /// ``done``, or the reason of a refusal.
  package let outcome: String
  package let account: String
  package let actor: String
  package let address: String
  /// The machine's name, or its ID if it has no name; as the machine describes itself.
  package let machine: String
  /// AAID, KeyID and counter of each authenticator.
  package let authenticators: String
  /// A JSON object.
  package let detail: String

  /// The outcome of an event that was not refused.
  package static let done = "ok"
  /// The first byte of ``body``; it identifies the version of that format.
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

  /// Makes an entry from stored values, without checking them.
  ///
  /// - Parameter texts: in the order of ``texts``.
  /// - Returns: nil for a different number of texts.
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

  /// The PAM service that the machine has named; nil if the row has none.
  package var service: String? {
    guard !detail.isEmpty, case .object(let object)? = try? JSONValue(parsing: Array(detail.utf8)),
      case .string(let name)? = object["service"]
    else { return nil }
    return name
  }

  /// The model of each authenticator, without repetitions: an AAID, or `passkey`.
  package var models: [String] {
    authenticators.split(separator: ",").reduce(into: []) { models, entry in
      guard let model = entry.split(separator: " ").first.map(String.init), !models.contains(model) else { return }
      models.append(model)
    }
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

/// The kind of a row of the audit.
///
/// It is a struct and not an enum, so that rows with kinds of a later version can still be read.
package struct AuditKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }
}

extension AuditKind {
  // Actions of people.
  package static let login = AuditKind(rawValue: "login")
  package static let confirmation = AuditKind(rawValue: "confirmation")
  package static let denial = AuditKind(rawValue: "denial")
  package static let registration = AuditKind(rawValue: "registration")
  package static let deregistration = AuditKind(rawValue: "deregistration")
  /// The number of refusals that have no row of their own.
  package static let refusals = AuditKind(rawValue: "refusals")
  // Actions on accounts.
  package static let enrolmentCode = AuditKind(rawValue: "enrolment-code")
  package static let enrolmentClosure = AuditKind(rawValue: "enrolment-closure")
  package static let approvalCode = AuditKind(rawValue: "approval-code")
  package static let approvalClosure = AuditKind(rawValue: "approval-closure")
  package static let accountCreation = AuditKind(rawValue: "account-creation")
  package static let accountDeletion = AuditKind(rawValue: "account-deletion")
  /// What the server knows about the account's person was changed.
  package static let accountChange = AuditKind(rawValue: "account-change")
  /// A group of people was added without members, got a different name, or was removed.
  package static let groupCreation = AuditKind(rawValue: "group-creation")
  package static let groupChange = AuditKind(rawValue: "group-change")
  package static let groupRemoval = AuditKind(rawValue: "group-removal")
  package static let groupMapping = AuditKind(rawValue: "group-mapping")
  package static let groupMappingRemoval = AuditKind(rawValue: "group-mapping-removal")
  package static let revocation = AuditKind(rawValue: "revocation")
  package static let accountDisabled = AuditKind(rawValue: "account-disabled")
  package static let accountLocked = AuditKind(rawValue: "account-locked")
  package static let accountEnabled = AuditKind(rawValue: "account-enabled")
  /// Somebody issued an unlock for the account on one machine.
  package static let unlock = AuditKind(rawValue: "unlock")
  /// Steps of a run that took the people of a directory into the store.
  package static let directorySync = AuditKind(rawValue: "directory-sync")
  // Actions of machines and on machines.
  package static let joinCode = AuditKind(rawValue: "join-code")
  package static let joinCodeClosure = AuditKind(rawValue: "join-code-closure")
  package static let machineJoin = AuditKind(rawValue: "machine-join")
  package static let machineLeave = AuditKind(rawValue: "machine-leave")
  /// The machine's description of itself has changed.
  package static let machineCheckIn = AuditKind(rawValue: "machine-checkin")
  /// Two machines have the same state, or a machine was restored from a backup.
  package static let machineCopied = AuditKind(rawValue: "machine-copied")
  /// A machine reports a lock of an account that it had not reported before.
  package static let machineLock = AuditKind(rawValue: "machine-lock")
  /// A machine reports several wrong values in a row for an account.
  package static let machineWrongValues = AuditKind(rawValue: "machine-wrong-values")
  /// A machine reports that it let somebody in without the server.
  package static let offlineLogin = AuditKind(rawValue: "offline-login")
  /// A policy for the workstations of a group was saved.
  package static let machinePolicy = AuditKind(rawValue: "machine-policy")
  // Actions on administrators, tokens and sessions.
  package static let tokenCreation = AuditKind(rawValue: "token-creation")
  package static let tokenRevocation = AuditKind(rawValue: "token-revocation")
  package static let administratorChange = AuditKind(rawValue: "administrator-change")
  package static let administratorRemoval = AuditKind(rawValue: "administrator-removal")
  package static let consoleSignIn = AuditKind(rawValue: "console-sign-in")
  package static let consoleSignOut = AuditKind(rawValue: "console-sign-out")
  // Actions on the server.
  package static let serverStart = AuditKind(rawValue: "server-start")
  package static let serverStop = AuditKind(rawValue: "server-stop")
  package static let keysRead = AuditKind(rawValue: "keys-read")
  package static let policy = AuditKind(rawValue: "policy")
  package static let keyRotation = AuditKind(rawValue: "key-rotation")
  package static let decoysReplaced = AuditKind(rawValue: "decoys-replaced")
  package static let backup = AuditKind(rawValue: "backup")
  package static let storeExport = AuditKind(rawValue: "export")
  /// The store was made from an export: the audit does not contain what happened in the old store after the export.
  package static let storeImport = AuditKind(rawValue: "import")
  /// The store was moved here from a store of a different kind, with all its rows.
  package static let storeMove = AuditKind(rawValue: "migration")
  /// The move of the store was abandoned: the store is used again in the state that it had when it was moved.
  package static let moveAbandoned = AuditKind(rawValue: "migration-abandoned")
  /// A backup replaced a newer store: the audit does not contain what happened after the backup.
  package static let restore = AuditKind(rawValue: "restore")
  // Actions on the audit.
  package static let export = AuditKind(rawValue: "audit-export")
  package static let removal = AuditKind(rawValue: "audit-removal")
  /// The server has found that signed rows are missing or changed.
  package static let broken = AuditKind(rawValue: "audit-broken")
  /// For some time the server signed nothing: rows of that time could have been rewritten.
  package static let unsigned = AuditKind(rawValue: "audit-unsigned")
}

/// The person, machine or program whose action a row of the audit records.
package enum AuditActor: Equatable, Sendable {
  case person
  case server
  /// A machine that joins, leaves, or reports about itself; its name is in the row's field `machine`.
  case machine
  /// Somebody on the command line. `login` is the user who logged in, even if they became a different user later; nil if the
  /// process does not come from a login.
  case commandLine(uid: UInt32, login: UInt32?)

  /// A program that uses the API, by the name of its token.
  case token(String)
  /// Somebody who has signed in to administer the server, by the name of their account.
  case administrator(String)

  /// A directory whose people somebody took into the store, by its name here; a separate row says who that was.
  case directory(String)

  /// The actor as it is stored.
  package var text: String {
    switch self {
    case .person: "person"
    case .server: "server"
    case .machine: "machine"
    case .token(let name): "token \(name)"
    case .administrator(let name): "administrator \(name)"
    case .directory(let name): "directory \(name)"
    case .commandLine(let uid, let login): "command-line uid \(uid)" + (login.map { " login \($0)" } ?? "")
    }
  }

  /// Reads the text that ``text`` writes; nil for anything else.
  package init?(text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("person", 1): self = .person
    case ("server", 1): self = .server
    case ("machine", 1): self = .machine
    case ("token", 2): self = .token(parts[1])
    case ("administrator", 2): self = .administrator(parts[1])
    case ("directory", 2): self = .directory(parts[1])
    case ("command-line", 3), ("command-line", 5):
      let login = parts.count == 5 ? UInt32(parts[4]) : nil
      guard parts[1] == "uid", let uid = UInt32(parts[2]), parts.count == 3 || (parts[3] == "login" && login != nil)
      else { return nil }
      self = .commandLine(uid: uid, login: login)
    default: return nil
    }
  }
}

/// The fields by which rows of the audit are searched, besides numbers and times.
package enum AuditField: String, CaseIterable, Sendable {
  case account
  case kind
  case outcome
  case machine
  case service
  case words
}
