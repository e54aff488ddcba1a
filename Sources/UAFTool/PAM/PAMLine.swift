/// One line of a PAM service file (pam.conf(5)), as far as `doctor` reads it.
struct PAMLine: Equatable {
  /// The management group, without the dash that silences a missing module.
  let group: String
  /// Whether the dash was there.
  let mayBeMissing: Bool
  /// `required`, `[...]`, `include`, ...
  let control: String
  /// The module, or the file an include names.
  let module: String
  /// The module's arguments, as they stand there.
  let arguments: [String]

  /// Reads one line; nil for comments, empty ones, and what PAM would not understand either.
  init?(_ line: Substring) {
    var rest = line.prefix { $0 != "#" }
    guard let first = Self.word(&rest) else { return nil }
    if first == "@include" {
      guard let file = Self.word(&rest) else { return nil }
      self.init(group: "@include", mayBeMissing: false, control: "include", module: String(file), arguments: [])
      return
    }
    guard let control = Self.control(&rest), let module = Self.word(&rest) else { return nil }
    let mayBeMissing = first.hasPrefix("-")
    self.init(
      group: String(mayBeMissing ? first.dropFirst() : first).lowercased(), mayBeMissing: mayBeMissing,
      control: control, module: String(module), arguments: Self.words(&rest))
  }

  private init(group: String, mayBeMissing: Bool, control: String, module: String, arguments: [String]) {
    self.group = group
    self.mayBeMissing = mayBeMissing
    self.control = control
    self.module = module
    self.arguments = arguments
  }

  private static func words(_ rest: inout Substring) -> [String] {
    var words: [String] = []
    while let word = word(&rest) { words.append(String(word)) }
    return words
  }

  private static func word(_ rest: inout Substring) -> Substring? {
    rest = rest.drop { $0.isWhitespace }
    let word = rest.prefix { !$0.isWhitespace }
    rest = rest.dropFirst(word.count)
    return word.isEmpty ? nil : word
  }

  private static func control(_ rest: inout Substring) -> String? {
    rest = rest.drop { $0.isWhitespace }
    guard rest.first == "[" else { return word(&rest).map { $0.lowercased() } }
    guard let end = rest.firstIndex(of: "]") else { return nil }
    let control = rest[...end]
    rest = rest[rest.index(after: end)...]
    return String(control)
  }

  /// The module of this project.
  static let ownModule = "pam_uaf.so"

  /// Whether it asks pam_uaf.
  var asksOwnModule: Bool { moduleName == Self.ownModule && !isInclusion }

  /// The module's name without its folder.
  var moduleName: String { module.split(separator: "/").last.map(String.init) ?? module }

  /// Whether another file's lines stand in its place.
  var isInclusion: Bool { control == "include" || control == "substack" }

  /// Whether a success of this line can end the stack, or jump over what follows.
  var successCanSuffice: Bool {
    switch control {
    case "sufficient": true
    case "required", "requisite", "optional": false
    default: action(for: "success").map { $0 == "done" || Int($0) != nil } ?? false
    }
  }

  /// How many lines a success of this line jumps over; 0 where it jumps over none.
  var skippedBySuccess: Int { action(for: "success").flatMap { Int($0) } ?? 0 }

  /// Whether group and control are words that PAM knows.
  var isWellFormed: Bool {
    guard ["auth", "account", "password", "session", "@include"].contains(group) else { return false }
    if ["required", "requisite", "sufficient", "optional", "include", "substack"].contains(control) { return true }
    let pairs = control.dropFirst().dropLast().split(whereSeparator: \.isWhitespace)
    return control.hasPrefix("[") && !pairs.isEmpty
      && pairs.allSatisfy { pair in
        let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
        let actions: Set<Substring> = ["ignore", "ok", "done", "bad", "die", "reset"]
        return parts.count == 2 && !parts[0].isEmpty
          && (actions.contains(parts[1]) || Int(parts[1]).map { $0 > 0 } == true)
      }
  }

  /// Whether any result of this line jumps over some of the lines behind it.
  var jumps: Bool {
    guard control.hasPrefix("[") else { return false }
    return control.dropFirst().dropLast().split(whereSeparator: \.isWhitespace).contains { pair in
      pair.split(separator: "=", maxSplits: 1).last.map { Int($0) != nil } ?? false
    }
  }

  /// Whether the stack can still succeed after a failure of this line.
  var failureGoesOn: Bool {
    switch control {
    case "sufficient", "optional": true
    case "required", "requisite": false
    // What is not named is `bad`.
    default: (action(for: "auth_err") ?? action(for: "default")).map { $0 == "ignore" || Int($0) != nil } ?? false
    }
  }

  /// Whether neither a success nor a refusal of this line changes how the stack ends, where another line decides.
  var decidesNothing: Bool {
    if control == "optional" { return true }
    guard control.hasPrefix("["), failureGoesOn else { return false }
    return ["ignore", nil].contains(action(for: "success") ?? action(for: "default"))
  }

  private func action(for value: String) -> String? {
    for pair in control.dropFirst().dropLast().split(whereSeparator: \.isWhitespace) {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0] == value { return String(parts[1]) }
    }
    return nil
  }
}
