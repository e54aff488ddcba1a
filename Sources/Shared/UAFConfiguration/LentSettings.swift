import AuthenticatorTypes
import FidoResults

/// The settings that a server's policy asks for: the text of a workstation policy, read and checked by itself.
///
/// A setting that the text leaves out has a value that changes nothing.
public struct LentSettings: Sendable {
  /// The most bytes of a text.
  public static let maximumSize = 16 * 1024

  /// The policy's version.
  public let version: Int64
  /// Lengths, rules, ignored texts and expressions; the rest is not used.
  var passcode = PasscodeSettings.allowingAll
  /// Fewest nodes.
  var minimumNodes = Pattern.minimumNodesRange.lowerBound
  /// `[lock]`.
  var lock = LockSettings()
  /// `[lock.remote]`.
  var remoteLock = LockSettings()
  /// The texts of `[prompt]`.
  var cancelTexts: [Language: String] = [:]
  /// The keys of the text with their values, in its order; for comparing two texts.
  public internal(set) var entries: [(key: String, value: String)] = []
  /// The line of each key in the text.
  var lines: [String: ConfigurationLine] = [:]

  init(version: Int64) { self.version = version }

  /// The name of a policy in errors and reports; a policy that is not saved yet has version 0.
  public static func name(of version: Int64) -> String { version == 0 ? "policy" : "policy \(version)" }

  /// The sections in which it sets something.
  public var sections: [LentSection] {
    let names = lines.keys
    func has(_ section: String) -> Bool { names.contains { $0 == section || $0.hasPrefix(section + ".") } }
    return LentSection.allCases.filter { has($0 == .promptTexts ? "prompt" : $0.rawValue) }
  }
}

extension PasscodeSettings {
  /// Settings that refuse nothing.
  fileprivate static var allowingAll: PasscodeSettings {
    var settings = PasscodeSettings()
    settings.policy.minimumLength = PasscodePolicy.lengthRange.lowerBound
    settings.policy.maximumLength = PasscodePolicy.lengthRange.upperBound
    return settings
  }
}

/// A part of the configuration that root can let the server decide: `follow` of `[policy]`.
public enum LentSection: String, CaseIterable, Sendable {
  /// `[passcode]`: lengths, `[passcode.rules]`, `[passcode.ignore]` and `[passcode.regex]`.
  case passcode
  /// `[pattern]`: the fewest nodes.
  case pattern
  /// `[lock]` and `[lock.remote]`, for everybody but root.
  case lock
  /// The texts of `[prompt]`.
  case promptTexts = "prompt.texts"
}

// From the text of a server's policy to its settings: the same tables and rows as root's file, but only with the keys that
// root can let the server decide. Anything else in the text makes the whole policy unusable.

/// Reads the text of a server's policy.
public struct LentSettingsReader {
  private let tables: TableReader
  private var lent: LentSettings

  /// The keys of `[passcode]` that a server may set.
  private static let passcodeKeys: Set<String> = ["min_length", "max_length"]
  /// The keys of `[prompt]` that are texts.
  private static let promptKeys: Set<String> = ["cancel_text"]

  /// The most expressions, and the most ignored texts: each is tried at every login with a correct value.
  private static let maximumExpressions = 32
  private static let maximumIgnored = 256

  /// Reads a policy's text.
  ///
  /// - Parameters:
  ///   - text: UTF-8.
  ///   - version: the policy's version, for errors and for the origin of values.
  /// - Throws: ``ConfigurationError`` for a text that is too long, is not TOML, has a section or a key that no server may set,
  ///   or contradicts itself.
  public static func settings(_ text: [UInt8], version: Int64) throws(ConfigurationError) -> LentSettings {
    let path = LentSettings.name(of: version)
    guard text.count <= LentSettings.maximumSize else {
      throw .syntax(path: path, line: 1, problem: .tooLong(limit: LentSettings.maximumSize))
    }
    var reader = LentSettingsReader(path: path, version: version)
    return try reader.read(ConfigurationDocument(path: path, bytes: text))
  }

  private init(path: String, version: Int64) {
    tables = TableReader(path: path)
    lent = LentSettings(version: version)
  }

  private mutating func read(_ document: ConfigurationDocument) throws(ConfigurationError) -> LentSettings {
    let root: TOMLTable
    do {
      root = try TOMLParser.parse(document.bytes, path: document.path)
    } catch {
      throw .syntax(path: document.path, line: error.line, problem: error.problem)
    }
    for key in root.keys {
      guard let node = root[key] else { continue }
      try section(key, node)
    }
    lent.lines.merge(tables.lines) { own, _ in own }
    try checkTogether()
    lent.entries = Self.entries(of: root, "")
    return lent
  }

  private mutating func section(_ key: String, _ node: TOMLNode) throws(ConfigurationError) {
    switch key {
    case "passcode": try readPasscode(node)
    case "pattern":
      var pattern = PatternSettings()
      pattern.minimumNodes = lent.minimumNodes
      try tables.fill(&pattern, key, node, PatternSettings.settings)
      lent.minimumNodes = pattern.minimumNodes
    case "lock":
      // The key for root is not allowed: no server decides when root is locked.
      let table = try tables.fill(&lent.lock, key, node, LockSettings.settings, tables: ["remote"])
      if let remote = table["remote"] {
        try tables.fill(&lent.remoteLock, "lock.remote", remote, LockSettings.settings)
      }
    case "prompt":
      var prompt = PromptSettings()
      try tables.fill(&prompt, key, node, PromptSettings.settings.filter { Self.promptKeys.contains($0.name) })
      lent.cancelTexts = prompt.cancelTexts
    default:
      throw tables.refused(key, node.line, .notServers)
    }
  }

  private mutating func readPasscode(_ node: TOMLNode) throws(ConfigurationError) {
    let table = try tables.fill(
      &lent.passcode, "passcode", node, PasscodeSettings.settings.filter { Self.passcodeKeys.contains($0.name) },
      tables: ["rules", "ignore", "regex"])
    try tables.fillRules(&lent.passcode, from: table)
  }

  /// The keys of a table and of the tables in it, each with its value as one line.
  private static func entries(of table: TOMLTable, _ path: String) -> [(key: String, value: String)] {
    table.keys.flatMap { key -> [(key: String, value: String)] in
      let name = path.isEmpty ? key : "\(path).\(key)"
      return switch table[key]?.value {
      case .table(let inner): entries(of: inner, name)
      case .string(let text): [(name, "\"\(text)\"")]
      case .integer(let number): [(name, "\(number)")]
      case .float(let number): [(name, "\(number)")]
      case .boolean(let flag): [(name, "\(flag)")]
      case .array, nil: []
      }
    }
  }

  private func checkTogether() throws(ConfigurationError) {
    let policy = lent.passcode.policy
    guard policy.minimumLength <= policy.maximumLength else {
      throw tables.refused(
        tables.lines["passcode.min_length"] == nil ? "passcode.max_length" : "passcode.min_length",
        .lentLengths(minimum: policy.minimumLength, maximum: policy.maximumLength))
    }
    guard policy.expressions.count <= Self.maximumExpressions else {
      throw tables.refused("passcode.regex", .tooManyExpressions(limit: Self.maximumExpressions))
    }
    guard policy.ignored.count <= Self.maximumIgnored else {
      throw tables.refused("passcode.ignore", .tooManyTexts(limit: Self.maximumIgnored))
    }
    for (name, lock) in [("lock", lent.lock), ("lock.remote", lent.remoteLock)] {
      guard let time = lock.lockTime, !LockPolicy.lockTimeRange.contains(time) else { continue }
      throw tables.refused("\(name).lock_time", .form(.lentLockTime))
    }
  }
}

// Combines root's configuration with the parts that root lets the server decide. Everything here makes a rule stricter or leaves
// it as it is.

/// Root's configuration and a server's policy: which value applies if both set one.
public struct PolicyMerge {
  private let own: Configuration
  private let lent: LentSettings

  /// - Parameters:
  ///   - own: root's configuration.
  ///   - lent: the server's policy.
  public init(own: Configuration, lent: LentSettings) {
    self.own = own
    self.lent = lent
  }

  /// Root's configuration with the policy, in the parts that root lets the server decide: the stricter value of the two
  /// applies, and rules, ignored texts and expressions add up.
  ///
  /// - Throws: ``ConfigurationError`` if no passcode could meet both; the error names the policy's line.
  public func merged() throws(ConfigurationError) -> Configuration {
    var merged = own
    merged.followed = lent
    if own.policy.followed.contains(.passcode) {
      merged.passcode = passcode()
      try check(merged.passcode.policy)
    }
    if own.policy.followed.contains(.pattern) {
      merged.pattern.minimumNodes = max(own.pattern.minimumNodes, lent.minimumNodes)
    }
    if own.policy.followed.contains(.promptTexts) {
      // A service that has its own texts keeps them.
      for (name, service) in own.services where service.prompt.cancelTexts == own.prompt.cancelTexts {
        merged.services[name]?.prompt.cancelTexts.merge(lent.cancelTexts) { _, servers in servers }
      }
      merged.prompt.cancelTexts.merge(lent.cancelTexts) { _, servers in servers }
    }
    return merged
  }

  private func passcode() -> PasscodeSettings {
    var passcode = own.passcode
    let other = lent.passcode.policy
    passcode.policy.minimumLength = max(passcode.policy.minimumLength, other.minimumLength)
    passcode.policy.maximumLength = min(passcode.policy.maximumLength, other.maximumLength)
    passcode.policy.rules.merge(other.rules) { own, _ in own }
    passcode.policy.ignored += other.ignored
    passcode.policy.expressions += other.expressions
    // A longer passcode from before the policy must still fit: with `auto_submit`, its entry would end at the new limit.
    if passcode.policy.maximumLength < own.passcode.policy.maximumLength { passcode.autoSubmit = false }
    return passcode
  }

  // MARK: What leaves no passcode

  /// Refuses a policy that leaves no passcode, as far as the lengths show that.
  private func check(_ merged: PasscodePolicy) throws(ConfigurationError) {
    let asked = lent.passcode.policy
    if let digits = merged.uiType.digitCount {
      guard asked.minimumLength <= digits else {
        throw refused("passcode.min_length", .rootsDigits(digits))
      }
      guard asked.maximumLength >= digits else {
        throw refused("passcode.max_length", .rootsDigits(digits))
      }
    } else {
      let (shortest, longest) = (merged.minimumLength, merged.maximumLength)
      guard shortest <= longest else {
        throw refused(
          own.passcode.policy.minimumLength == shortest ? "passcode.max_length" : "passcode.min_length",
          .mergedLengths(minimum: shortest, maximum: longest))
      }
    }
    guard Self.hasRoomForExpressions(merged) || !Self.hasRoomForExpressions(own.passcode.policy) else {
      throw refused("passcode.regex", .mergedExpression)
    }
  }

  /// Whether the longest passcode is at least as long as the shortest match of each expression.
  private static func hasRoomForExpressions(_ policy: PasscodePolicy) -> Bool {
    let longest = policy.uiType.digitCount ?? policy.maximumLength
    var all = policy.expressions.map(\.expression)
    if policy.uiType == .normal, let expression = policy.regularExpression { all.append(expression) }
    return all.allSatisfy { $0.minimumLength <= longest }
  }

  /// A refusal that names the line of a key in the policy.
  private func refused(_ key: String, _ problem: SettingProblem) -> ConfigurationError {
    let table = key.split(separator: ".").dropLast().joined(separator: ".")
    let line = lent.lines[key] ?? lent.lines[table]
    return .key(path: LentSettings.name(of: lent.version), line: line?.number ?? 1, key: key, problem: problem)
  }
}
