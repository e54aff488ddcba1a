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
    let text = output(program, ["-f", "json", "-e", "-s", "aliases", file])
    guard let text, case .object(let sudoers)? = try? JSONValue(parsing: Array(text.utf8)) else {
      self.init()
      return
    }
    self.init(defaults: Self.objects(sudoers["Defaults"]), rules: Self.objects(sudoers["User_Specs"]))
  }

  private init(defaults: [JSONObject], rules: [JSONObject]) {
    var asked: [Asked] = []
    for (name, value, _) in defaults.flatMap(Self.options) {
      if let person = Asked(rawValue: name), value == .bool(true), !asked.contains(person) { asked.append(person) }
    }
    self.init(
      services: Self.values(of: "pam_service", defaults, usual: "sudo"),
      loginServices: Self.values(of: "pam_login_service", defaults, usual: "sudo-i"), asked: asked,
      people: Self.people(of: rules))
  }

  private static func objects(_ value: JSONValue?) -> [JSONObject] {
    guard case .array(let list)? = value else { return [] }
    return list.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  /// Whom the rules are for that ask for a password for one command or more.
  private static func people(of rules: [JSONObject]) -> People {
    var people = People(allowed: [], refused: [])
    for rule in rules where objects(rule["Cmnd_Specs"]).contains(where: asksForPassword) {
      for entry in objects(rule["User_List"]) {
        guard let person = person(entry) else { continue }
        if entry["negated"] == .bool(true) { people.refused.append(person) } else { people.allowed.append(person) }
      }
    }
    return people
  }

  private static func asksForPassword(_ rule: JSONObject) -> Bool {
    !objects(rule["Options"]).contains { $0["authenticate"] == .bool(false) }
  }

  private static func person(_ entry: JSONObject) -> Person? {
    if case .string(let name)? = entry["username"] { return name == "ALL" ? .everybody : .account(name) }
    if case .string(let name)? = entry["usergroup"] { return .group(name) }
    if case .integer(let number)? = entry["userid"], let number = UInt32(exactly: number) { return .number(number) }
    return nil
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
