import Wording

/// What `uafctl pam enable` will write.
struct StackPlan {
  let service: PAMService
  /// The header of the stack.
  let record: StackRecord
  /// The file that the service includes, with its header.
  let stack: [UInt8]
  /// The service's file as it is.
  let before: [UInt8]
  /// The service's file as it will be; unchanged if it already includes the stack.
  let after: [UInt8]
  /// The number of the line that changes in that file, from 1; nil if none does.
  let line: Int?
  /// The existing stack; nil if there is none.
  let oldStack: [UInt8]?
  /// Whether somebody edited that stack.
  let isEdited: Bool
  /// The last day on which the new stack leads people to the password who never registered; nil if it does not.
  let until: String?
  /// Whether all of it is already in place.
  let isInPlace: Bool

  /// Whether people use the service today without a passcode who would be refused: nobody has been asked for one so far, or the
  /// existing stack leads people to the password who never registered.
  ///
  /// - Parameter today: as YYYY-MM-DD.
  func isStricter(on today: String) -> Bool {
    guard line == nil else { return true }
    return oldStack.map { ServiceFile($0).parsed.contains { $0.passesUnregistered(on: today) } } ?? false
  }

  /// Writes the plan: the stack first, the line that includes it last, so that the service always has a whole stack.
  ///
  /// Each file is read again before it is written: somebody may have changed it while the plan was tried.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func apply(in folder: some ServiceFolder) throws(StackError) {
    try check(in: folder)
    try prepare(in: folder)
    try switchOver(in: folder)
  }

  /// What the service's file must still contain; no file if only a vendor's folder has one.
  private var read: FileBefore { .known(record.madeFrom != nil && line != nil ? nil : before) }

  /// - Throws: ``StackError``: `file`, `changed`.
  func check(in folder: some ServiceFolder) throws(StackError) {
    try folder.check(service.name, is: read)
    try folder.check(service.stackName, is: .known(oldStack))
  }

  /// Writes everything but the service's own line.
  ///
  /// A service that already includes the stack uses the new one from now on.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func prepare(in folder: some ServiceFolder) throws(StackError) {
    if isEdited, let oldStack {
      try folder.write(oldStack, to: service.savedName, like: service.stackName, over: .any)
    }
    try folder.write(stack, to: service.stackName, like: nil, over: .known(oldStack))
    guard after != before else { return }
    try folder.write(before, to: service.backupName, like: service.name, over: .any)
  }

  /// Writes the service's line, if it changes.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func switchOver(in folder: some ServiceFolder) throws(StackError) {
    guard after != before else { return }
    try folder.write(after, to: service.name, like: service.name, over: read)
  }

  /// Undoes what was written, the service's line first.
  ///
  /// Files that somebody else has changed since are left alone.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func undo(in folder: some ServiceFolder) throws(StackError) {
    if after != before, try folder.read(service.name) == after {
      if case .known(nil) = read {
        try folder.remove(service.name, over: .known(after))
      } else {
        try folder.write(before, to: service.name, like: service.name, over: .known(after))
      }
    }
    if try folder.read(service.stackName) == stack {
      if let oldStack {
        try folder.write(oldStack, to: service.stackName, like: service.stackName, over: .known(stack))
      } else {
        try folder.remove(service.stackName, over: .known(stack))
      }
    }
    // If something else has the backup's name, the plan failed because of that, and it is left alone.
    if after != before, let backup = try? folder.read(service.backupName) {
      try folder.remove(service.backupName, over: .known(backup))
    }
  }

  /// What would change, in the form of diff(1).
  func difference(in folder: some ServiceFolder) -> String {
    var text: [String] = []
    if let line {
      let place = folder.path(of: service.name)
      text += ["--- \(record.madeFrom ?? place)", "+++ \(place)", "@@ -\(line) +\(line) @@", "-" + record.replaced]
      text.append("+" + ServiceFile(after).text(line - 1))
    }
    let lines = ServiceFile(stack).lines.dropLast()
    text += ["--- /dev/null", "+++ \(folder.path(of: service.stackName))", "@@ -0,0 +1,\(lines.count) @@"]
    text += lines.map { "+" + String(decoding: $0, as: UTF8.self) }
    return ShownText.verbatim(text.joined(separator: "\n"))
  }
}

/// The place of our stack in a service's file, and the effect of the other lines on it.
///
/// A stack also has lines of groups other than `auth`. In each of these groups, two things are refused. The first is an earlier
/// line that jumps past the first line of the stack: a jump counts lines, and their number changes. The second is a group in
/// which pam_uaf's lines would be the only ones. As long as a service has no lines of a group, libpam uses those of `other`, and
/// a single line ends that. In `account` and `password` pam_uaf answers "ignore" for most people, and libpam turns that into a
/// refusal if no other line decides.
struct StackPlace {
  let file: ServiceFile
  /// The line that includes the stack, or will include it.
  let index: Int
  let stack: ServiceFile
  /// The group of the line that was replaced.
  let group: String
  let reader: PAMDirectory
  /// The file's name, for messages.
  let path: String

  /// - Throws: ``StackError``: `jump`, `alone`.
  func check() throws(StackError) {
    let brought = stack.parsed.flatMap { whole($0) }
    for group in Set(brought.map(\.group)).union([self.group]).sorted() { try checkJumps(in: group) }
    let rest = PAMFile(file.bytes).lines.filter { !$0.rows.contains(index) }.map(PAMLine.init(line:))
    for group in ["account", "password"] where brought.contains(where: { $0.group == group }) {
      let lines = (brought + rest.flatMap(whole)).filter { $0.group == group }
      if lines.allSatisfy(\.asksOwnModule), !(stack.parsed + rest).contains(where: { isElsewhere($0, group) }) {
        throw .alone(path: path, group: group)
      }
    }
  }

  /// Whether a line includes a file that cannot be read here; only a trial shows its effect.
  private func isElsewhere(_ line: PAMLine, _ group: String) -> Bool {
    line.isInclusion && [group, "@include"].contains(line.group)
      && reader.bytes(of: reader.name(of: line.module)) == nil
  }

  private func checkJumps(in group: String) throws(StackError) {
    let before = PAMFile(file.bytes).lines.filter { $0.rows.upperBound < index }
    let counted = before.flatMap { line in
      entries(of: PAMLine(line: line), in: group, depth: 0).map {
        (jump: $0.farthestJump, line: line.rows.lowerBound + 1)
      }
    }
    // A jump that ends before the stack, or at its first line, counts only lines that stay as they are.
    for (position, entry) in counted.enumerated() where entry.jump > counted.count - position - 1 {
      throw .jump(path: path, line: entry.line)
    }
  }

  /// The lines that a jump of `group` counts for this line: itself or, for an include, each included line.
  ///
  /// A substack is one line, and nothing in it jumps out of it.
  private func entries(of line: PAMLine, in group: String, depth: Int) -> [PAMLine] {
    guard line.group == "@include" || line.group == group else { return [] }
    guard line.control == "include", depth < PAMDirectory.deepest else { return [line] }
    return reader.ownLines(of: line.module).flatMap { entries(of: $0, in: group, depth: depth + 1) }
  }

  /// The line or, if it includes others, each of those.
  private func whole(_ line: PAMLine) -> [PAMLine] {
    guard line.isInclusion else { return [line] }
    return reader.wholeStack(of: line.module).filter { line.group == "@include" || line.group == $0.group }
  }
}

/// What to do if a file still asks for the passcode after `uafctl pam disable`.
package enum StackAdvice: Catalogued {
  case authUpdate
  case byHand

  /// - Parameter name: the file that still asks.
  package init(about name: String) { self = name.hasPrefix("common-") ? .authUpdate : .byHand }

  /// The advice in English.
  package var english: String {
    switch self {
    case .authUpdate: "pam-auth-update takes it out"
    case .byHand: "take out what was written there by hand"
    }
  }

  /// The advice in Korean.
  package var korean: String {
    switch self {
    case .authUpdate: "pam-auth-update로 끄십시오"
    case .byHand: "직접 쓴 줄을 지우십시오"
    }
  }
}
