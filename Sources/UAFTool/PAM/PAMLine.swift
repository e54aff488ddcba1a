/// One line of a PAM service file (pam.conf(5)), as far as `doctor` reads it.
struct PAMLine: Equatable {
  /// The management group, without the dash that silences a missing module.
  let group: String
  /// `required`, `[...]`, `include`, ...
  let control: String
  /// The module, or the file an include names.
  let module: String

  /// Reads one line; nil for comments, empty ones, and what PAM would not understand either.
  init?(_ line: Substring) {
    var rest = line.prefix { $0 != "#" }
    guard let first = Self.word(&rest) else { return nil }
    if first == "@include" {
      guard let file = Self.word(&rest) else { return nil }
      self.init(group: "@include", control: "include", module: String(file))
      return
    }
    guard let control = Self.control(&rest), let module = Self.word(&rest) else { return nil }
    self.init(
      group: String(first.hasPrefix("-") ? first.dropFirst() : first).lowercased(), control: control,
      module: String(module))
  }

  private init(group: String, control: String, module: String) {
    self.group = group
    self.control = control
    self.module = module
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

  /// Whether the stack can still succeed after a failure of this line.
  var failureGoesOn: Bool {
    switch control {
    case "sufficient", "optional": true
    case "required", "requisite": false
    // What is not named is `bad`.
    default: (action(for: "auth_err") ?? action(for: "default")).map { $0 == "ignore" || Int($0) != nil } ?? false
    }
  }

  private func action(for value: String) -> String? {
    for pair in control.dropFirst().dropLast().split(whereSeparator: \.isWhitespace) {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0] == value { return String(parts[1]) }
    }
    return nil
  }
}
