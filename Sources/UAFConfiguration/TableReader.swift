import Glibc

/// Reads tables by their rows, remembering the file and line of every key for what is checked later.
final class TableReader {
  private let path: String
  private(set) var lines: [String: ConfigurationLine] = [:]

  /// - Parameter path: the file for refusals of what stands in none.
  init(path: String) {
    self.path = path
  }

  /// Fills a section from a table whose keys are the rows' names and `tables`, which the caller reads.
  @discardableResult
  func fill<Section>(
    _ section: inout Section, _ name: String, _ node: TOMLNode, _ settings: [Setting<Section>], tables: [String] = []
  ) throws(ConfigurationError) -> TOMLTable {
    let table = try table(name, node)
    lines[name] = node.line
    try refuseOthers(in: table, of: name, but: settings.map(\.name) + tables)
    for setting in settings {
      guard let entry = table[setting.name] else { continue }
      lines["\(name).\(setting.name)"] = entry.line
      do {
        try setting.store(entry.value, &section)
      } catch {
        throw refused("\(name).\(setting.name)", entry.line, error)
      }
    }
    return table
  }

  /// Fills what the tables in `[passcode]` say: rules, texts that are refused, and expressions.
  func fillRules(_ passcode: inout PasscodeSettings, from table: TOMLTable) throws(ConfigurationError) {
    if let rules = table["rules"] { try fill(&passcode, "passcode.rules", rules, PasscodeSettings.ruleSettings) }
    try each(in: table["ignore"], "passcode.ignore") { key, value throws(SettingRefusal) in
      try passcode.ignore(key, value)
    }
    try each(in: table["regex"], "passcode.regex") { key, value throws(SettingRefusal) in
      try passcode.require(key, value)
    }
  }

  /// Reads a table whose keys the administrator chooses.
  private func each(
    in node: TOMLNode?, _ name: String, _ take: (String, TOMLNode.Value) throws(SettingRefusal) -> Void
  ) throws(ConfigurationError) {
    guard let node else { return }
    let table = try table(name, node)
    lines[name] = node.line
    for key in table.keys {
      guard let entry = table[key] else { continue }
      do { try take(key, entry.value) } catch { throw refused("\(name).\(key)", entry.line, error) }
    }
  }

  func table(_ name: String, _ node: TOMLNode) throws(ConfigurationError) -> TOMLTable {
    guard case .table(let table) = node.value else { throw refused(name, node.line, "must be a table: [\(name)]") }
    return table
  }

  func refuseOthers(in table: TOMLTable, of name: String, but allowed: [String]) throws(ConfigurationError) {
    for key in table.keys where !allowed.contains(key) {
      throw unknown("\(name).\(key)", table[key]?.line ?? firstLine, allowed: allowed.joined(separator: ", "))
    }
  }

  func unknown(_ key: String, _ line: ConfigurationLine, allowed: String) -> ConfigurationError {
    refused(key, line, "unknown key (allowed: \(allowed))")
  }

  func refused(_ key: String, _ line: ConfigurationLine, _ problem: String) -> ConfigurationError {
    .key(path: line.path, line: line.number, key: key, problem: problem)
  }

  /// A refusal of a value; where there was no memory to look at it, the file could not be read.
  func refused(_ key: String, _ line: ConfigurationLine, _ refusal: SettingRefusal) -> ConfigurationError {
    refusal.isOutOfMemory ? .file(path: line.path, .system(ENOMEM)) : refused(key, line, refusal.problem)
  }

  /// A refusal of a key that was read before, or of one that is missing: then its table's line, or the first.
  func refused(_ key: String, _ problem: String) -> ConfigurationError {
    let table = key.split(separator: ".").dropLast().joined(separator: ".")
    return refused(key, lines[key] ?? lines[table] ?? firstLine, problem)
  }

  private var firstLine: ConfigurationLine { ConfigurationLine(path: path, number: 1) }
}
