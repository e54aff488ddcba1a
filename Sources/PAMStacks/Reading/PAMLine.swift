/// One line of a PAM service file (pam.conf(5)), as far as `doctor` reads it.
package struct PAMLine: Equatable {
  /// The management group, without the dash that silences a missing module.
  package let group: String
  /// Whether the dash was there.
  let mayBeMissing: Bool
  /// `required`, `include`, ..., or with brackets what libpam takes for results and actions.
  package let control: String
  /// The module, or the file an include names.
  package let module: String
  /// The module's arguments, as they stand there.
  package let arguments: [String]

  /// A line that refuses everybody, and a file that libpam does not get to the end of.
  package static let unreadable = PAMLine(group: "", mayBeMissing: false, control: "", module: "", arguments: [])

  private static let words: Set<String> = ["required", "requisite", "sufficient", "optional", "include", "substack"]
  private static let groups: Set<String> = ["auth", "account", "password", "session"]

  /// Splits a line into its parts.
  ///
  /// A missing part is empty: libpam refuses everybody at such a line.
  init(line: PAMFile.Line) {
    guard let text = line.text else {
      self = .unreadable
      return
    }
    var tokens = PAMTokens(text)
    let first = tokens.next() ?? ""
    mayBeMissing = first.hasPrefix("-")
    group = (mayBeMissing ? String(first.dropFirst()) : first).lowercased()
    if group == "@include" {
      control = "include"
      module = tokens.next() ?? ""
      arguments = []
      return
    }
    let word = tokens.next() ?? ""
    control = Self.words.contains(word.lowercased()) ? word.lowercased() : "[\(word)]"
    module = tokens.next() ?? ""
    arguments = tokens.remaining()
  }

  private init(group: String, mayBeMissing: Bool, control: String, module: String, arguments: [String]) {
    self.group = group
    self.mayBeMissing = mayBeMissing
    self.control = control
    self.module = module
    self.arguments = arguments
  }

  /// Whether it takes part in a group.
  ///
  /// libpam treats an unknown group as the most sensitive one. Here such a line takes part in every group.
  package func isPart(of group: String) -> Bool { self.group == group || !Self.groups.contains(self.group) }

  /// The module of this project.
  package static let ownModule = "pam_uaf.so"

  /// Whether it asks pam_uaf.
  package var asksOwnModule: Bool { moduleName == Self.ownModule && !isInclusion }

  /// The module's name without its folder.
  package var moduleName: String { module.split(separator: "/").last.map(String.init) ?? module }

  /// Whether another file's lines take its place.
  package var isInclusion: Bool { control == "include" || control == "substack" }

  /// The largest number of lines that a result of this line jumps over; 0 without jumps.
  var farthestJump: Int { actions?.values.compactMap { Int($0) }.max() ?? 0 }

  /// Whether libpam understands it; otherwise it refuses everybody.
  var isWellFormed: Bool {
    guard Self.groups.contains(group) || group == "@include", !module.isEmpty else { return false }
    return Self.words.contains(control) || actions != nil
  }

  /// Whether neither a success nor a refusal of this line changes how the stack ends, if another line decides.
  package var decidesNothing: Bool {
    control == "optional" || (action(of: "success") == .ignore && !action(of: "auth_err").refuses)
  }

  /// Whether a refusal of this line is one of the stack.
  package var refusalRefuses: Bool { action(of: "auth_err").refuses }

  /// What a result of this line does to the stack; a line that libpam does not understand refuses.
  func action(of result: String) -> PAMAction {
    let accepts = result == "success" || result == "new_authtok_reqd"
    switch control {
    case "required": return accepts ? .ok : result == "ignore" ? .ignore : .bad
    case "requisite": return accepts ? .ok : result == "ignore" ? .ignore : .die
    case "sufficient": return accepts ? .done : .ignore
    case "optional": return accepts ? .ok : .ignore
    default: return (action(for: result) ?? action(for: "default")).map(PAMAction.init) ?? .bad
    }
  }

  private var actions: [String: String]? {
    control.hasPrefix("[") ? PAMControl(control.dropFirst().dropLast())?.actions : nil
  }

  private func action(for value: String) -> String? { actions?[value] }
}
