// Purpose: from the text of a server's policy to its settings: the same tables and rows as root's file, but of the keys that can
// be lent alone. Whatever else a server writes there makes the whole policy unusable.

import Authenticator

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
  ///   - version: which it is, for errors and for who asks where a value comes from.
  /// - Throws: ``ConfigurationError`` for a text that is too long, is not TOML, has a section or a key that no server may set,
  ///   or contradicts itself.
  public static func settings(_ text: [UInt8], version: Int64) throws(ConfigurationError) -> LentSettings {
    let path = LentSettings.name(of: version)
    guard text.count <= LentSettings.maximumSize else {
      throw .syntax(path: path, line: 1, problem: "is longer than \(LentSettings.maximumSize) bytes")
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
      // Without the key for root: no server says when root is locked.
      let table = try tables.fill(&lent.lock, key, node, LockSettings.settings, tables: ["remote"])
      if let remote = table["remote"] {
        try tables.fill(&lent.remoteLock, "lock.remote", remote, LockSettings.settings)
      }
    case "prompt":
      var prompt = PromptSettings()
      try tables.fill(&prompt, key, node, PromptSettings.settings.filter { Self.promptKeys.contains($0.name) })
      lent.cancelTexts = prompt.cancelTexts
    default:
      throw tables.refused(
        key, node.line, "no server may set it (allowed: [passcode], [pattern], [lock], [lock.remote], [prompt])")
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
        "min_length (\(policy.minimumLength)) is above max_length (\(policy.maximumLength)): no passcode can meet both")
    }
    guard policy.expressions.count <= Self.maximumExpressions else {
      throw tables.refused("passcode.regex", "has more than \(Self.maximumExpressions) expressions")
    }
    guard policy.ignored.count <= Self.maximumIgnored else {
      throw tables.refused("passcode.ignore", "has more than \(Self.maximumIgnored) texts")
    }
    for (name, lock) in [("lock", lent.lock), ("lock.remote", lent.remoteLock)] {
      guard let time = lock.lockTime, !LockPolicy.lockTimeRange.contains(time) else { continue }
      throw tables.refused("\(name).lock_time", "must be seconds from 30 to 86400")
    }
  }
}
