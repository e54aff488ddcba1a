/// A PAM service's file, of which one line is changed while all others stay as they are, byte for byte.
struct ServiceFile: Equatable {
  /// Without their ends; the last is empty where the file ends with a line's end.
  private(set) var lines: [[UInt8]]

  /// The files whose `auth` lines are known to ask for the password, and nothing else.
  private static let passwordFiles: Set<String> = [
    "common-auth", "login", "password-auth", "system-auth", "system-login",
  ]

  init(_ bytes: [UInt8]) {
    lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
  }

  /// The file.
  var bytes: [UInt8] { Array(lines.joined(separator: [UInt8(ascii: "\n")])) }

  /// One line as PAM understands it; nil for a comment, or what is none.
  func parsed(_ index: Int) -> PAMLine? { PAMLine(String(decoding: lines[index], as: UTF8.self)[...]) }

  /// Whether a line is empty, a comment, or one by itself that PAM understands.
  func isUnderstood(_ index: Int) -> Bool {
    let text = String(decoding: lines[index], as: UTF8.self)
    guard let line = parsed(index) else { return text.prefix { $0 != "#" }.allSatisfy(\.isWhitespace) }
    return line.isWellFormed && lines[index].last != UInt8(ascii: "\\")
  }

  /// The lines, in order, that PAM understands.
  var parsed: [PAMLine] { lines.indices.compactMap(parsed) }

  /// The lines that include `name`.
  func inclusions(of name: String) -> [Int] {
    lines.indices.filter { index in parsed(index).map { $0.isInclusion && $0.module == name } ?? false }
  }

  /// Whether `line` is one in whose place a stack of ours can stand.
  static func isReplaceable(_ line: PAMLine, changesPasswords: Bool) -> Bool {
    guard line.isInclusion else { return false }
    if line.group == "@include" { return line.module == (changesPasswords ? "common-password" : "common-auth") }
    return line.group == "auth" && !changesPasswords && passwordFiles.contains(line.module)
  }

  /// The one line in whose place a stack of ours can stand.
  ///
  /// - Throws: ``StackError``: `noLine`, `severalLines`, `foldedLine`, `lineIsNoText`.
  func replaceableLine(of service: PAMService, at path: String) throws(StackError) -> Int {
    let candidates = lines.indices.filter { index in
      parsed(index).map { Self.isReplaceable($0, changesPasswords: service.changesPasswords) } ?? false
    }
    guard let index = candidates.first else { throw .noLine(path: path, include: service.stackName) }
    guard candidates.count == 1 else { throw .severalLines(path: path, include: service.stackName) }
    let backslash = UInt8(ascii: "\\")
    guard lines[index].last != backslash, index == 0 || lines[index - 1].last != backslash else {
      throw .foldedLine(path: path, line: index + 1)
    }
    guard String(validating: lines[index], as: UTF8.self) != nil else {
      throw .lineIsNoText(path: path, line: index + 1)
    }
    return index
  }

  /// The text of a line.
  func text(_ index: Int) -> String { String(decoding: lines[index], as: UTF8.self) }

  /// Puts `text` in the place of a line.
  mutating func replace(_ index: Int, with text: String) { lines[index] = Array(text.utf8) }
}
