// Purpose: what a report may show of a configuration to somebody who looks after another machine. A key is shown only if it is
// on a list here, and its value only if its form leaves no room for a secret.

/// A configuration without anything that may be a secret: no text of root's, and of an address only scheme, host, port and words.
public struct ConfigurationOutline: Sendable {
  /// The files in the order in which they are read, each with its lines.
  public private(set) var files: [(path: String, lines: [String])] = []
  /// The parts of addresses that are left out, each of at least four characters: nothing else in a report may repeat them.
  public private(set) var withheld: Set<String> = []
  /// The hosts of all addresses, without ports.
  public private(set) var hosts: [String] = []

  /// Whether the configuration as a whole can be used.
  ///
  /// If not, a text may have got to the wrong key, so no text is shown.
  private let isUsable: Bool

  /// Makes the outline of documents as ``Configuration/documents(path:defaultPath:requiredOwner:)`` returns them.
  ///
  /// A document that is not TOML has one line that says so.
  public init(_ documents: [ConfigurationDocument]) {
    isUsable = (try? Configuration(documents, path: "")) != nil
    for document in documents {
      let lines: [String]
      if let table = try? TOMLParser.parse(document.bytes, path: document.path) {
        lines = section(table, [])
      } else {
        lines = ["(not TOML)"]
      }
      files.append((document.path, lines))
    }
  }

  /// How much of a key's value is shown.
  enum Form {
    /// Numbers, `true` and `false`; texts of a few characters that names and paths have.
    case plain
    /// Scheme, host, port, and the words of the path.
    case address
    /// Nothing.
    case hidden
  }

  private static let plain: Set<String> = [
    "authenticators", "dialect", "enrolment", "content_type", "rp_id", "token_type", "timeout", "tls_verify", "ca_file",
    "allow_insecure", "facet_id", "send_device", "accept_transaction", "require_signed_verdict", "verdict_key",
    "transaction_charset", "directory", "kdf_cost", "use", "tcti", "require_pin_index", "language", "export_token",
    "hide_state", "offline", "offline_max_age", "account_check_online", "retry_count_to_lock", "lock_time",
    "max_lock_count", "root_permanent_lock", "ui_type", "min_length", "max_length", "digits_only", "keypad",
    "auto_submit", "min_nodes", "node_size", "line_width", "require_tpm", "invalidate_on_new_biometrics", "max_tries",
    "mode", "allow_value_as_fallback", "bus_name", "templates", "alone", "accessible", "offer_reset", "tries",
    "interactive", "follow", "authenticator", "transaction",
  ]
  /// Plain if `true` or `false`; a text is a message of root's.
  private static let switches: Set<String> = [
    "equal_character", "ascending_descending", "two_character_repeat", "two_equal_character_repeat",
    "not_number_english",
  ]
  private static let addresses: Set<String> = [
    "request_url", "response_url", "base_url", "origin", "proxy", "app_ids",
  ]
  private static let hidden: Set<String> = [
    "username", "device_name", "regular_expression", "node_default", "node_selected", "node_mismatch", "line_color",
    "mismatch_line_color", "cancel_text", "reason",
  ]
  /// Tables whose keys are texts of root's, or the server's names.
  private static let counted: Set<String> = ["ignore", "regex", "context", "success"]
  private static let sections: Set<String> = [
    "server", "registration", "authentication", "deregistration", "state", "tpm", "general", "lock", "remote",
    "passcode", "rules", "pattern", "appearance", "fingerprint", "biometric", "face", "prompt", "policy", "service",
  ]

  /// How much is shown of the value of a key; nil for a key that no section has.
  static func form(of key: String) -> Form? {
    if plain.contains(key) || switches.contains(key) { return .plain }
    if addresses.contains(key) { return .address }
    return hidden.contains(key) ? .hidden : nil
  }

  // MARK: Sections

  private mutating func section(_ table: TOMLTable, _ path: [String]) -> [String] {
    var own: [String] = []
    var inner: [String] = []
    for key in table.keys {
      guard let node = table[key] else { continue }
      if case .table(let below) = node.value, Self.form(of: key) == nil {
        inner += tables(below, key, in: path)
      } else if let form = Self.form(of: key) {
        own.append("\(key) = \(shown(node.value, of: key, form))")
      } else {
        own.append("(a key that is not known)")
      }
    }
    let isEmpty = own.isEmpty && (!inner.isEmpty || path.isEmpty)
    return (path.isEmpty || isEmpty ? [] : ["[\(path.joined(separator: "."))]"]) + own + inner
  }

  private mutating func tables(_ table: TOMLTable, _ key: String, in path: [String]) -> [String] {
    let name = (path + [key]).joined(separator: ".")
    if Self.counted.contains(key) { return ["[\(name)]: \(table.keys.count) keys, not shown"] }
    let isService = path == ["service"] && isUsable
    guard isService || Self.sections.contains(key) else { return ["[a section that is not known]"] }
    return section(table, path + [key])
  }

  // MARK: Values

  private static let notShown = "(not shown)"

  private mutating func shown(_ value: TOMLNode.Value, of key: String, _ form: Form) -> String {
    switch value {
    case .boolean(let boolean): return "\(boolean)"
    case .integer(let number): return form == .plain ? "\(number)" : Self.notShown
    case .array(let nodes):
      var parts: [String] = []
      for node in nodes { parts.append(shown(node.value, of: key, form)) }
      return "[\(parts.joined(separator: ", "))]"
    case .string(let text):
      switch form {
      case .plain: return isUsable && !Self.switches.contains(key) && Self.isName(text) ? "\"\(text)\"" : Self.notShown
      case .address: return text.isEmpty ? "\"\"" : address(text)
      case .hidden: return Self.notShown
      }
    case .float, .table: return Self.notShown
    }
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.count <= 128 && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || " ._/:+#-".utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// An address without user, password, query and fragment; a part of the path that is not a short word is "...".
  private mutating func address(_ text: String) -> String {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
      withhold(text)
      return Self.notShown
    }
    let scheme = text[..<colon]
    let rest = text[colon...].dropFirst(3)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    var authority = rest[..<end]
    if let at = authority.lastIndex(of: "@") {
      withhold(String(authority[..<at]))
      for part in authority[..<at].split(separator: ":") { withhold(String(part)) }
      authority = authority[authority.index(after: at)...]
    }
    let path = rest[end...].prefix { !"?#".contains($0) }
    withhold(String(rest[path.endIndex...].dropFirst()))
    for part in rest[path.endIndex...].split(whereSeparator: { "?#&".contains($0) }) {
      withhold(String(part.firstIndex(of: "=").map { part[part.index(after: $0)...] } ?? part))
    }
    let isHost = authority.utf8.allSatisfy { Self.isLetter($0) || Self.isDigit($0) || ".:[]-".utf8.contains($0) }
    guard isHost, scheme.utf8.allSatisfy(Self.isLetter) else {
      withhold(String(authority))
      return Self.notShown
    }
    addHost(authority)
    let words = path.split(separator: "/", omittingEmptySubsequences: false).map { part -> String in
      if Self.isWord(part) { return String(part) }
      withhold(String(part))
      return "..."
    }
    return "\"\(scheme)://\(authority)\(words.joined(separator: "/"))\""
  }

  /// Whether a part of a path is a name that a server gives to a route, and no key to one.
  private static func isWord(_ part: Substring) -> Bool {
    part.utf8.count <= 24 && part.utf8.allSatisfy { (0x61...0x7a).contains($0) || "._-{}".utf8.contains($0) }
  }

  private mutating func withhold(_ text: String) {
    if text.utf8.count >= 4 { withheld.insert(text) }
  }

  private mutating func addHost(_ authority: Substring) {
    let host: Substring
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = authority[authority.index(after: authority.startIndex)..<end]
    } else {
      host = authority.prefix { $0 != ":" }
    }
    if !host.isEmpty, !hosts.contains(String(host)) { hosts.append(String(host)) }
  }
}
