import PAMStacks
import UAFMessages

extension SudoSettings {
  /// What sudoers says, as cvtsudoers(1) of the sudo package reads it.
  ///
  /// - Parameters:
  ///   - program: the path of cvtsudoers.
  ///   - file: the path of sudoers, which root alone may read.
  ///   - output: runs a program and returns what it prints.
  /// - Returns: sudo's own names where it cannot be read.
  package init(program: String, file: String, output: (String, [String]) -> String?) {
    let text = output(program, ["-f", "json", "-s", "aliases,privileges", file])
    let defaults: [JSONValue] =
      if let text, case .object(let sudoers)? = try? JSONValue(parsing: Array(text.utf8)),
        case .array(let defaults)? = sudoers["Defaults"]
      {
        defaults
      } else {
        []
      }
    self.init(defaults: defaults.compactMap { if case .object(let entry) = $0 { entry } else { nil } })
  }

  private init(defaults: [JSONObject]) {
    var asked: [Asked] = []
    for (name, value, _) in defaults.flatMap(Self.options) {
      if let person = Asked(rawValue: name), value == .bool(true), !asked.contains(person) { asked.append(person) }
    }
    self.init(
      services: Self.values(of: "pam_service", defaults, usual: "sudo"),
      loginServices: Self.values(of: "pam_login_service", defaults, usual: "sudo-i"), asked: asked)
  }

  /// The options of an entry, and whether they are for all.
  private static func options(_ entry: JSONObject) -> [(name: String, value: JSONValue, isForAll: Bool)] {
    guard case .array(let options)? = entry["Options"] else { return [] }
    return options.flatMap { option -> [(String, JSONValue, Bool)] in
      guard case .object(let option) = option else { return [] }
      return option.members.map { ($0.name, $0.value, entry["Binding"] == nil) }
    }
  }

  /// What an option may be: for all the last one, and what some have.
  private static func values(of name: String, _ defaults: [JSONObject], usual: String) -> [String] {
    var (forAll, others) = (usual, [String]())
    for option in defaults.flatMap(options) where option.name == name {
      guard case .string(let value) = option.value else { continue }
      if option.isForAll { forAll = value } else { others.append(value) }
    }
    return [forAll] + others.filter { $0 != forAll }
  }
}
