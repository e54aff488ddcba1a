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

  /// Whether a line is empty, a comment, or a complete line that PAM understands.
  func isUnderstood(_ index: Int) -> Bool {
    let read = PAMFile(bytes).lines.filter { $0.rows.contains(index) }
    guard let line = read.first else { return true }
    return read.count == 1 && line.rows.count == 1 && PAMLine(line: line).isWellFormed
  }

  /// The first line that libpam 1.5 and later versions read differently; nil if there is none.
  var parting: Int? { PAMFile(bytes).parting }

  /// The first line that says something and ends with a carriage return; nil if there is none.
  var carriageReturn: Int? { PAMFile.carriageReturn(in: lines) }

  /// The lines, in order, that PAM sees.
  var parsed: [PAMLine] { PAMFile(bytes).parsed }

  /// Where the lines begin that include `name`.
  func inclusions(of name: String) -> [Int] {
    PAMFile(bytes).lines.filter { line in
      let parsed = PAMLine(line: line)
      return parsed.isInclusion && parsed.module == name
    }.map(\.rows.lowerBound)
  }

  /// Whether a stack of ours can replace `line`.
  static func isReplaceable(_ line: PAMLine, changesPasswords: Bool) -> Bool {
    guard line.isInclusion else { return false }
    if line.group == "@include" { return line.module == (changesPasswords ? "common-password" : "common-auth") }
    return line.group == "auth" && !changesPasswords && passwordFiles.contains(line.module)
  }

  /// The only line that a stack of ours can replace.
  ///
  /// - Throws: ``StackError``: `noLine`, `severalLines`, `foldedLine`, `lineIsNoText`.
  func replaceableLine(of service: PAMService, at path: String) throws(StackError) -> Int {
    let read = PAMFile(bytes).lines.map { (rows: $0.rows, line: PAMLine(line: $0)) }
    let candidates = read.filter { Self.isReplaceable($0.line, changesPasswords: service.changesPasswords) }
    guard let rows = candidates.first?.rows else { throw .noLine(path: path, include: service.stackName) }
    guard candidates.count == 1 else { throw .severalLines(path: path, include: service.stackName) }
    let index = rows.lowerBound
    guard read.filter({ $0.rows.overlaps(rows) }).count == 1, rows.count == 1 else {
      throw .foldedLine(path: path, line: index + 1)
    }
    guard String(validating: lines[index], as: UTF8.self) != nil else {
      throw .lineIsNoText(path: path, line: index + 1)
    }
    return index
  }

  /// The text of a line.
  func text(_ index: Int) -> String { String(decoding: lines[index], as: UTF8.self) }

  /// Replaces a line, and those that continue it, by `text`.
  mutating func replace(_ index: Int, with text: String) {
    let rows = PAMFile(bytes).lines.first { $0.rows.lowerBound == index }?.rows ?? index...index
    lines.replaceSubrange(rows, with: [Array(text.utf8)])
  }
}

extension PAMDirectory {
  /// The first line of a service's own file, from 1, that says something and ends with a carriage return; nil if there is none.
  package func carriageReturn(in service: String) -> Int? {
    bytes(of: service).flatMap { ServiceFile($0).carriageReturn.map { $0 + 1 } }
  }
}
