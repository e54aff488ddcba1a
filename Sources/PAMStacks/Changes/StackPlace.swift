/// The place of our stack in a service's file, and the effect of the other lines on it.
///
/// A stack has lines of other groups than `auth` too. In each of these groups, two things are refused. The first is an earlier
/// line that jumps: a jump counts lines, and their number changes. The second is a group with only pam_uaf's lines. A service
/// without lines of a group uses those of `other`; one line ends that. In `account` and `password` pam_uaf answers "ignore" for
/// most people, and libpam makes a refusal of that if no other line decides.
struct StackPlace {
  let file: ServiceFile
  /// The line that includes the stack, or will.
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
    line.isInclusion && [group, "@include"].contains(line.group) && reader.bytes(of: line.module) == nil
  }

  private func checkJumps(in group: String) throws(StackError) {
    for before in PAMFile(file.bytes).lines where before.rows.upperBound < index {
      if leaves(PAMLine(line: before), group) { throw .jump(path: path, line: before.rows.lowerBound + 1) }
    }
  }

  /// Whether a result of the line, or of one it includes, jumps out of it.
  private func leaves(_ line: PAMLine, _ group: String) -> Bool {
    let lines = entries(of: line, in: group, depth: 0)
    return lines.indices.contains { lines[$0].farthestJump > lines.count - $0 - 1 }
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
