import UAFAdministration
import UAFCrypto
import UAFMessages
import UAFService

/// A step that must be confirmed with a signature before it is performed.
enum DangerousStep: Equatable, Sendable {
  /// A token or code that a step has made, which is shown only once.
  enum Made {
    /// The text of a token.
    case token(String)
    /// An enrolment code.
    case code(IssuedPayload)
  }

  case revokeKey(KeyName, of: String, reason: String)
  case revokeAll(of: String, reason: String)
  case revokeMachine(String, reason: String)
  case deleteAccount(String, reason: String)
  /// Gives a role; `counting` are the existing keys that become accepted for the steps of administrators.
  case setRole(Role, of: String, counting: [EarlierKey])
  case removeAdministrator(String)
  case createToken(String, role: Role, lifetime: Int64)
  case issueCode(for: String, lifetime: Int64)
  case disableAccount(String, reason: String)
  case lockAccount(String, seconds: Int64, reason: String)
  case enableAccount(String)
  /// Saves a policy that is based on the one with the number `after`, and may lock out at most `lockingOut` accounts.
  case savePolicy(String, reason: String, after: Int64, lockingOut: Int64)
  /// Saves a policy for the machines of a group. It is based on the group's policy with the number `after`.
  case saveMachinePolicy(MachinePolicyDraft, reason: String, after: Int64)
  /// Maps the group of people with a number and a name, and may lock out at most `lockingOut` accounts.
  case mapGroup(Int64, named: String, to: MappingTarget, lockingOut: Int64)
  /// Removes the mapping of the group of people with a number and a name, which may lock out at most `lockingOut` accounts.
  case unmapGroup(Int64, named: String, lockingOut: Int64)
  case several(BulkStep)

  // MARK: As it is shown

  /// How many Unicode scalars of a long machine ID are shown; escaped, they need at most 112 bytes.
  private static let idHead = 7
  /// How many bytes of the SHA-256 of a long machine ID are shown.
  private static let idHashBytes = 8

  /// The text that the person reads and signs; nil if it is too long to be signed whole.
  ///
  /// If a role is given with many keys, the text contains only a hash of the keys and of the issuers of their codes.
  ///
  /// A machine chooses its own ID, and an authenticator chooses the ID of a passkey. If an ID is too long, the text contains its
  /// first characters, and the first 16 hexadecimal digits of its SHA-256.
  ///
  /// - Parameter number: the number of the confirmation code, as it is shown.
  /// - Throws: ``CryptoError``.
  func shownText(number: String) throws -> String? {
    if let text = TextKind.step(try text(number: number)) { return text }
    if case .setRole(let role, let name, let keys) = self {
      return TextKind.step(try "\(Self.role(role, of: name, counting: keys, isShort: true)), code \(number)")
    }
    if case .several(let bulk) = self { return TextKind.step("\(try bulk.text(isShort: true)), code \(number)") }
    if case .revokeKey(let key, let name, _) = self {
      let short = "\(key.idText.prefix(Self.idHead))... (SHA-256 \(try Self.digits(key.idText)))"
      return TextKind.step("Revoke key \(short) of \(name), code \(number)")
    }
    if let short = try shortMapping { return TextKind.step("\(short), code \(number)") }
    guard case .revokeMachine(let id, let reason) = self else { return nil }
    let digits = try Self.digits(id)
    let short = "\(String(String.UnicodeScalarView(id.unicodeScalars.prefix(Self.idHead))))... (SHA-256 \(digits))"
    return TextKind.step(try Self.revokeMachine(short, reason: reason).text(number: number))
  }

  /// What the members of a mapped group get; a role is always named.
  private static func words(_ target: MappingTarget, policy: String) -> String {
    [target.policyGroup.map { _ in policy }, target.role.map { "role \($0.rawValue)" }].compactMap(\.self)
      .joined(separator: " and ")
  }

  /// The text of a step on a group of people whose names are too long, with a hash of the names; nil for other steps.
  private var shortMapping: String? {
    get throws {
      switch self {
      case .mapGroup(let id, let name, let target, let count):
        "Map group \(id) to \(Self.words(target, policy: "a policy")), SHA-256 of the names "
          + "\(try Self.digits("\(name)\n\(target.policyGroup ?? "")")), may lock out \(count)"
      case .unmapGroup(let id, let name, let count):
        "Remove the mapping of group \(id), SHA-256 of the name \(try Self.digits(name)), may lock out \(count)"
      default: nil
      }
    }
  }

  /// The SHA-256 of a text in hexadecimal digits.
  static func hash(_ text: String) throws -> String {
    Hexadecimal.text(try SHA256.hash(Array(text.utf8)))
  }

  /// The first digits of the SHA-256 of a text.
  private static func digits(_ text: String) throws -> Substring { try hash(text).prefix(2 * idHashBytes) }

  /// The first digits of the SHA-256 over some keys and the issuers of their codes.
  static func digits(_ keys: [EarlierKey]) throws -> Substring { try digits(keys.map(\.text).joined(separator: "\n")) }

  private static func role(
    _ role: Role, of name: String, counting keys: [EarlierKey], isShort: Bool = false
  ) throws -> String {
    let given = "Give \(name) the role \(role.rawValue)"
    guard !keys.isEmpty else { return given }
    let issuers = Dictionary(grouping: keys) { $0.issuedBy ?? "" }.sorted { $0.key < $1.key }
    let from = issuers.map { "\($0.value.count) by \($0.key)" }.joined(separator: ", ")
    return "\(given), keys that count: \(isShort ? String(keys.count) : from), SHA-256 \(try digits(keys))"
  }

  /// The text with every value that determines what the step does.
  private func text(number: String) throws -> String {
    let what =
      switch self {
      case .revokeKey(let key, let name, _): "Revoke key \(key.idText) of \(name)"
      case .revokeAll(let name, _): "Revoke all keys of \(name)"
      case .revokeMachine(let id, _): "Revoke all keys on machine \(id)"
      case .deleteAccount(let name, _): "Delete account \(name)"
      case .setRole(let role, let name, let keys): try Self.role(role, of: name, counting: keys)
      case .removeAdministrator(let name): "Remove administrator \(name)"
      case .createToken(let name, let role, let lifetime):
        "Make token \(name), role \(role.rawValue), \(Self.length(lifetime))"
      case .issueCode(let name, let lifetime): "Issue an enrolment code for \(name), \(Self.length(lifetime))"
      case .disableAccount(let name, _): "Disable account \(name)"
      case .lockAccount(let name, let seconds, _): "Lock account \(name) for \(Self.length(seconds))"
      case .enableAccount(let name): "Enable account \(name)"
      case .savePolicy(let policy, _, let last, let count):
        "Save policy after number \(last), SHA-256 \(try Self.hash(policy)), may lock out \(count)"
      case .saveMachinePolicy(let draft, _, let last):
        "Policy of \(draft.group) after \(last), \(Self.time(draft)), SHA-256 \(try Self.hash(draft.text))"
      case .mapGroup(let id, let name, let target, let count):
        "Map group \(id) (\(name)) to \(Self.words(target, policy: "policy \(target.policyGroup ?? "")")), "
          + "may lock out \(count)"
      case .unmapGroup(let id, let name, let count):
        "Remove the mapping of group \(id) (\(name)), may lock out \(count)"
      case .several(let bulk): try bulk.text(isShort: false)
      }
    return "\(what), code \(number)"
  }

  /// A length of time as people say it; the exact number of seconds follows from it.
  private static func length(_ seconds: Int64) -> String { PageLanguage.english.exactLength(seconds) }

  /// The lifetime of a policy, in as few characters as possible: with a group name of 64 characters, the text reaches the limit
  /// of 200 bytes.
  private static func time(_ draft: MachinePolicyDraft) -> String {
    MachinePolicyDraft.days(of: draft.seconds).map { "\($0) days" } ?? "\(draft.seconds) s"
  }

  /// The permission that the caller needs.
  var permission: Permission {
    switch self {
    case .revokeKey, .revokeAll, .revokeMachine: .revoke
    case .deleteAccount, .disableAccount, .lockAccount, .enableAccount: .manageAccounts
    case .setRole, .removeAdministrator, .createToken, .mapGroup, .unmapGroup: .manageAccess
    case .issueCode: .enrol
    case .savePolicy, .saveMachinePolicy: .managePolicies
    case .several(let bulk): bulk.permission
    }
  }

  // MARK: As it is kept until then

  private static func text(_ name: String, _ parts: [String]) -> String {
    JSONValue.array(([name] + parts).map(JSONValue.string)).text
  }

  var stored: String {
    switch self {
    case .revokeKey(let key, let name, let reason): Self.text("revoke-key", [key.text, name, reason])
    case .revokeAll(let name, let reason): Self.text("revoke-all", [name, reason])
    case .revokeMachine(let id, let reason): Self.text("revoke-machine", [id, reason])
    case .deleteAccount(let name, let reason): Self.text("delete-account", [name, reason])
    case .setRole(let role, let name, let keys):
      Self.text("set-role", [name, role.rawValue] + keys.map(\.text))
    case .removeAdministrator(let name): Self.text("remove-administrator", [name])
    case .createToken(let name, let role, let lifetime):
      Self.text("create-token", [name, role.rawValue, String(lifetime)])
    case .issueCode(let name, let lifetime): Self.text("issue-code", [name, String(lifetime)])
    case .disableAccount(let name, let reason): Self.text("disable-account", [name, reason])
    case .lockAccount(let name, let seconds, let reason):
      Self.text("lock-account", [name, String(seconds), reason])
    case .enableAccount(let name): Self.text("enable-account", [name])
    case .savePolicy(let policy, let reason, let last, let count):
      Self.text("save-policy", [policy, reason, String(last), String(count)])
    case .saveMachinePolicy(let draft, let reason, let last):
      Self.text(
        "save-machine-policy", [draft.group, draft.text, String(draft.seconds), reason, String(last)])
    case .mapGroup(let id, let name, let target, let count):
      // No group of a policy and no role has an empty name.
      Self.text(
        "map-group", [String(id), name, target.policyGroup ?? "", target.role?.rawValue ?? "", String(count)])
    case .unmapGroup(let id, let name, let count): Self.text("unmap-group", [String(id), name, String(count)])
    case .several(let bulk): Self.text("several", [bulk.kind.rawValue, bulk.reason] + bulk.names)
    }
  }

  /// Reads a stored step; nil for anything else.
  init?(stored text: String) {
    guard case .array(let values)? = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
    let parts = values.compactMap { value -> String? in if case .string(let text) = value { text } else { nil } }
    guard parts.count == values.count, let name = parts.first else { return nil }
    switch (name, parts.count) {
    case ("revoke-key", 4):
      guard let key = KeyName(parts[1]) else { return nil }
      self = .revokeKey(key, of: parts[2], reason: parts[3])
    case ("revoke-all", 3): self = .revokeAll(of: parts[1], reason: parts[2])
    case ("revoke-machine", 3): self = .revokeMachine(parts[1], reason: parts[2])
    case ("delete-account", 3): self = .deleteAccount(parts[1], reason: parts[2])
    case ("remove-administrator", 2): self = .removeAdministrator(parts[1])
    case ("set-role", 3...):
      let keys = parts.dropFirst(3).compactMap { EarlierKey($0) }
      guard let role = Role(rawValue: parts[2]), keys.count == parts.count - 3 else { return nil }
      self = .setRole(role, of: parts[1], counting: keys)
    case ("create-token", 4):
      guard let role = Role(rawValue: parts[2]), let lifetime = Int64(parts[3]) else { return nil }
      self = .createToken(parts[1], role: role, lifetime: lifetime)
    case ("issue-code", 3):
      guard let lifetime = Int64(parts[2]) else { return nil }
      self = .issueCode(for: parts[1], lifetime: lifetime)
    case ("disable-account", 3): self = .disableAccount(parts[1], reason: parts[2])
    case ("lock-account", 4):
      guard let seconds = Int64(parts[2]) else { return nil }
      self = .lockAccount(parts[1], seconds: seconds, reason: parts[3])
    case ("enable-account", 2): self = .enableAccount(parts[1])
    case ("save-policy", 5):
      guard let last = Int64(parts[3]), let count = Int64(parts[4]) else { return nil }
      self = .savePolicy(parts[1], reason: parts[2], after: last, lockingOut: count)
    case ("save-machine-policy", 6):
      guard let seconds = Int64(parts[3]), let last = Int64(parts[5]) else { return nil }
      let draft = MachinePolicyDraft(group: parts[1], text: parts[2], lifetime: seconds)
      self = .saveMachinePolicy(draft, reason: parts[4], after: last)
    case ("map-group", 6):
      let role = Role(rawValue: parts[4])
      guard let id = Int64(parts[1]), let count = Int64(parts[5]), role != nil || parts[4].isEmpty else { return nil }
      let target = MappingTarget(policyGroup: parts[3].isEmpty ? nil : parts[3], role: role)
      self = .mapGroup(id, named: parts[2], to: target, lockingOut: count)
    case ("unmap-group", 4):
      guard let id = Int64(parts[1]), let count = Int64(parts[3]) else { return nil }
      self = .unmapGroup(id, named: parts[2], lockingOut: count)
    case ("several", 4...):
      guard let kind = BulkStep.Kind(rawValue: parts[1]) else { return nil }
      self = .several(BulkStep(kind: kind, names: Array(parts.dropFirst(3)), reason: parts[2]))
    default: return nil
    }
  }

  // MARK: Done

  /// Throws if ``perform(in:by:)`` would refuse the step now, so that nobody signs a step that cannot be performed.
  ///
  /// - Throws: the errors of ``perform(in:by:)``.
  func check(in environment: AdministrationEnvironment, by caller: Caller) async throws {
    guard case .several(let bulk) = self else {
      return try await environment.trying { _ = try await perform(in: $0, by: caller.havingSigned) }
    }
    for step in bulk.each { try await step.check(in: environment, by: caller) }
  }

  /// Performs the step.
  ///
  /// - Returns: the token or code that the step has made; nil if it makes none.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  func perform(in environment: AdministrationEnvironment, by caller: Caller) async throws -> Made? {
    let access = AccessAdministration(environment)
    let states = AccountStateAdministration(environment)
    switch self {
    case .revokeKey(let key, let name, let reason):
      _ = try await KeyAdministration(environment).revoke(key.selection(of: name), reason: reason, by: caller)
    case .revokeAll(let name, let reason):
      _ = try await KeyAdministration(environment).revoke(.all(of: name), reason: reason, by: caller)
    case .revokeMachine(let id, let reason):
      _ = try await MachineAdministration(environment).revoke(id, reason: reason, by: caller)
    case .deleteAccount(let name, let reason):
      try await AccountAdministration(environment).delete(name, reason: reason, by: caller)
    case .setRole(let role, let name, let keys):
      try await access.setAdministrator(name, role: role, counting: keys, by: caller)
    case .removeAdministrator(let name): try await access.removeAdministrator(name, by: caller)
    case .createToken(let name, let role, let lifetime):
      return .token(try await access.createToken(name, role: role, lifetime: lifetime, by: caller).text)
    case .issueCode(let name, let lifetime):
      return .code(try await EnrolmentAdministration(environment).issue(for: name, lifetime: lifetime, by: caller))
    case .disableAccount(let name, let reason): try await states.disable(name, reason: reason, by: caller)
    case .lockAccount(let name, let seconds, let reason):
      try await states.lock(name, seconds: seconds, reason: reason, by: caller)
    case .enableAccount(let name): try await states.enable(name, by: caller)
    case .savePolicy(let policy, let reason, let last, let count):
      _ = try await PolicyAdministration(environment).save(
        policy, reason: reason, after: last, lockingOut: Int(clamping: count), by: caller)
    case .saveMachinePolicy(let draft, let reason, let last):
      _ = try await MachinePolicyAdministration(environment).save(draft, reason: reason, after: last, by: caller)
    case .mapGroup(let id, let name, let target, let count):
      try await GroupMappingAdministration(environment).map(
        id, named: name, to: target, lockingOut: Int(clamping: count), by: caller)
    case .unmapGroup(let id, _, let count):
      // A mapped group keeps its name, so it is the one that was signed.
      try await GroupMappingAdministration(environment).unmap(id, lockingOut: Int(clamping: count), by: caller)
    case .several(let bulk):
      for step in bulk.each { _ = try await step.perform(in: environment, by: caller) }
    }
    return nil
  }
}
