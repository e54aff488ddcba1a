/// The place of a stack of ours in a service's file, and what the other lines there make of it.
///
/// Our lines are not of `auth` alone. In every group they have, two things must not happen: a line before them jumps over some
/// of them, or over fewer lines than were there; and they are the only ones. A service without lines of a group has those of
/// `other` in it, until it gets one; and pam_uaf, which has nothing to say about whoever came in without it, refuses him there
/// where no line beside it says yes.
struct StackPlace {
  let file: ServiceFile
  /// The line that is the stack, or becomes it.
  let index: Int
  let stack: ServiceFile
  /// The group of the line that was replaced.
  let group: String
  let reader: PAMDirectory
  /// The file's name, for whoever is told.
  let path: String

  // Includes inside includes: far above what any stack has.
  private static let deepest = 8

  /// - Throws: ``StackError``: `foldedLine`, `jump`, `alone`.
  func check() throws(StackError) {
    let brought = stack.parsed.flatMap { whole($0) }
    for group in Set(brought.map(\.group)).union([self.group]).sorted() { try checkJumps(in: group) }
    let rest = file.lines.indices.filter { $0 != index }.compactMap(file.parsed)
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
    for before in 0..<index {
      if file.lines[before].last == UInt8(ascii: "\\"), !file.text(before).hasPrefix("#") {
        throw .foldedLine(path: path, line: before + 1)
      }
      guard let line = file.parsed(before) else { continue }
      let entries = entries(of: line, in: group, depth: 0)
      if entries.indices.contains(where: { entries[$0].farthestJump > entries.count - $0 - 1 }) {
        throw .jump(path: path, line: before + 1)
      }
    }
  }

  /// What a line is to a jump of `group`: itself or, where it includes others, each of those; a substack is one line, and
  /// nothing in it jumps out of it.
  private func entries(of line: PAMLine, in group: String, depth: Int) -> [PAMLine] {
    guard line.group == "@include" || line.group == group else { return [] }
    guard line.control == "include", depth < Self.deepest else { return [line] }
    return reader.ownLines(of: line.module).flatMap { entries(of: $0, in: group, depth: depth + 1) }
  }

  /// A line and, where it includes others, each of those.
  private func whole(_ line: PAMLine) -> [PAMLine] {
    guard line.isInclusion else { return [line] }
    return reader.wholeStack(of: line.module).filter { line.group == "@include" || line.group == $0.group }
  }
}

extension PAMLine {
  /// The most lines that a result of this one jumps over; 0 where none does.
  fileprivate var farthestJump: Int {
    guard control.hasPrefix("[") else { return 0 }
    let actions = control.dropFirst().dropLast().split(whereSeparator: \.isWhitespace).compactMap { pair in
      pair.split(separator: "=", maxSplits: 1).last
    }
    return actions.compactMap { Int($0) }.max() ?? 0
  }
}
