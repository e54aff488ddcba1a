/// The place of a stack of ours in a service's file, and what the other lines there make of it.
///
/// Our lines are not of `auth` alone. Two things must not be in a group of which the stack has lines: a line before it that
/// jumps, since a jump counts lines, and other lines stand there now; and nothing but pam_uaf's lines. A service without lines
/// of a group has those of `other` until it gets one, and pam_uaf's say nothing to most people in `account` and `password`,
/// which libpam takes for a refusal.
struct StackPlace {
  let file: ServiceFile
  /// The line that is the stack, or becomes it.
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

  /// Whether a line includes what cannot be read here, and is only found out by trying.
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

  /// What a line is to a jump of `group`: itself or, where it includes others, each of those; a substack is one line, and
  /// nothing in it jumps out of it.
  private func entries(of line: PAMLine, in group: String, depth: Int) -> [PAMLine] {
    guard line.group == "@include" || line.group == group else { return [] }
    guard line.control == "include", depth < PAMDirectory.deepest else { return [line] }
    return reader.ownLines(of: line.module).flatMap { entries(of: $0, in: group, depth: depth + 1) }
  }

  /// A line and, where it includes others, each of those.
  private func whole(_ line: PAMLine) -> [PAMLine] {
    guard line.isInclusion else { return [line] }
    return reader.wholeStack(of: line.module).filter { line.group == "@include" || line.group == $0.group }
  }
}
