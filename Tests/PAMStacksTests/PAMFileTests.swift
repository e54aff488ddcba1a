import Testing

@testable import PAMStacks
@testable import PAMStacks

/// libpam and the reader, asked for the same files; each number is what libpam 1.5.2 says.
@Suite struct PAMFileTests {
  private let stacks = TriedServices()

  /// A line that libpam answers with a number of its own.
  private static func line(_ result: String) -> String { "auth required pam_debug.so auth=\(result)" }
  private static let expired = line("acct_expired")
  private static let tries = line("maxtries")
  private static let fine = line("success")
  private static let (isExpired, isTries, isFine, isDenied, isUnreadable): (CInt, CInt, CInt, CInt, CInt) =
    (13, 11, 0, 6, 26)

  /// What libpam would say if it read what the reader does.
  private func predicted() -> CInt {
    var code = Self.isFine
    for line in PAMDirectory(path: stacks.path).authentication(of: "tried") {
      if line == .unreadable { return Self.isUnreadable }
      guard code == Self.isFine else { continue }
      if !line.isWellFormed {
        code = Self.isDenied
      } else if line.arguments.first == "auth=acct_expired" {
        code = Self.isExpired
      } else if line.arguments.first == "auth=maxtries" {
        code = Self.isTries
      }
    }
    return code
  }

  private func compare(_ text: String, _ code: CInt) throws {
    stacks.write("tried", text)
    #expect(predicted() == code)
    let said = try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody")
    #expect(said == code)
  }

  @Test(arguments: [
    ("# console\r\n\(expired)\n", isExpired), ("# a\r# b\r\(expired)\n\(fine)\n", isFine),
    ("# see wiki \\\n\(expired)\n", isExpired), ("# see wiki \\\r\n\(expired)\n", isExpired),
    ("\(fine) # more \\\n\(expired)\n", isExpired), ("\(fine) \\ # more\n\(expired)\n", isExpired),
    ("# \u{2028}\(expired)\n\(tries)\n", isTries), ("# \u{85}\(expired)\n\(tries)\n", isTries),
    ("# x\0y\n\(expired)\n", isExpired), ("# \0\n\(expired)\n", isExpired), ("\0\(expired)\n\(tries)\n", isTries),
  ])
  func `a comment ends where libpam ends it`(text: String, code: CInt) throws { try compare(text, code) }

  @Test(arguments: [
    ("auth \\\nrequired \\ \t \n  pam_debug.so auth=acct_expired\n", isExpired),
    ("auth required \\\n# a \\\n\n \t\n pam_debug.so auth=acct_expired\n\(tries)\n", isExpired),
    ("\(fine) \\\\\n\(expired)\n\(tries)\n", isTries), ("\\\n  \\ \n\(expired)\n", isExpired),
    ("\(fine) \\\0#\n\(expired)\n\(tries)\n", isTries),
    ("au\\\nth required pam_debug.so auth=acct_expired\n", isDenied),
    ("\(expired)\n\(fine) \\", isUnreadable), ("\(fine) \\\n", isUnreadable), ("\(fine) \\\n # x\n", isUnreadable),
    ("\(fine)\n\(expired)", isExpired),
  ])
  func `a line continues as it does for libpam`(text: String, code: CInt) throws {
    try compare(text, code)
  }

  @Test(arguments: [
    ("  \t auth\trequired\tpam_debug.so\tauth=acct_expired", isExpired),
    ("AUTH Required pam_debug.so auth=maxtries", isTries),
    ("[auth] [required] [pam_debug.so] [auth=maxtries]", isTries),
    ("-auth required pam_debug.so auth=maxtries", isTries),
    ("auth [ success = ok\tdefault=bad ]pam_debug.so auth=maxtries", isTries),
    ("auth success=1 pam_debug.so auth=success\n\(expired)\n\(tries)", isTries),
    ("auth [success=ok success=1] pam_debug.so auth=success\n\(expired)\n\(tries)", isTries),
    ("--\(fine)", isDenied), ("- \(fine)", isDenied), ("\r\n\(expired)", isDenied), ("\u{b}\(fine)", isDenied),
    ("auth\u{a0}required pam_debug.so auth=success", isDenied), ("\u{feff}\(fine)", isDenied), ("auth", isDenied),
    ("auth required", isDenied), ("auth maybe pam_debug.so auth=success", isDenied),
    ("auth [success=0 default=die] pam_debug.so auth=success", isDenied),
    ("auth [success=+1] pam_debug.so auth=success\n\(fine)", isDenied),
    ("auth [success=1,default=die] pam_debug.so auth=success\n\(fine)", isDenied),
    ("auth [SUCCESS=ok] pam_debug.so auth=success", isDenied), ("auth [any=ok] pam_debug.so auth=success", isDenied),
    ("auth [] pam_debug.so auth=success", isDenied), ("auth [success=ok # ] pam_debug.so\n\(fine)", isDenied),
  ])
  func `splits words as libpam does`(text: String, code: CInt) throws {
    stacks.write("tried", text + "\n")
    // What jumps is not followed here.
    if !text.contains("=1 ") && !text.contains("=1]") || code == Self.isDenied {
      #expect(predicted() == code)
    } else {
      #expect(PAMDirectory(path: stacks.path).authentication(of: "tried").first?.skippedBySuccess == 1)
    }
    let said = try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody")
    #expect(said == code)
  }

  @Test(arguments: [
    "@include inner", "@INCLUDE [inner]", "-@include inner more", "\t@include \\\n inner#x", "auth Include inner",
    "[auth] [substack] inner",
  ])
  func `reads includes as libpam does`(text: String) throws {
    stacks.write("inner", Self.expired + "\n")
    stacks.write("tried", text.replacing("inner", with: stacks.path + "/inner") + "\n")
    #expect(PAMDirectory(path: stacks.path).inclusions(of: "tried") == ["inner"])
    try compare(text.replacing("inner", with: stacks.path + "/inner") + "\n", Self.isExpired)
  }

  @Test(arguments: [
    (1021, isFine), (1022, isFine), (1023, isExpired), (1024, isFine), (1025, isFine),
  ])
  func `cuts a comment at the end of libpam's buffer`(length: Int, code: CInt) throws {
    let text = "#" + String(repeating: "x", count: length - 1) + Self.expired + "\n"
    // Otherwise what is cut off begins with what is no group.
    try compare(
      length == 1023 ? text : text.replacing("x\(Self.expired)", with: "xx") + Self.fine + "\n",
      code == 0 && length >= 1023 ? Self.isDenied : code)
  }

  @Test(arguments: [(493, isFine), (494, isFine), (495, isFine), (496, isDenied)])
  func `a continued line uses the same libpam buffer`(rest: Int, code: CInt) throws {
    let begin = Self.fine + " "
    let text = begin + String(repeating: "y", count: 528 - begin.utf8.count) + "\\\n"
    try compare(text + String(repeating: "z", count: rest - 1) + "\n\(Self.fine)\n", code)
  }

  @Test func `a line that fills libpam's buffer ends the readable part of a file`() {
    let text = Self.fine + " " + String(repeating: "y", count: 1021 - Self.fine.utf8.count) + "\\\n\(Self.expired)\n"
    stacks.write("tried", text)
    #expect(PAMFile(Array(text.utf8)).parsed == [.unreadable])
  }

  @Test func `a carriage return is part of a word`() {
    stacks.write("tried", "auth required \\\r\n pam_debug.so auth=success\nauth include inner\r\n")
    let reader = PAMDirectory(path: stacks.path)
    #expect(reader.ownLines(of: "tried").map { $0.module } == ["\\\r", "", "inner\r"])
  }

  @Test func `bytes that are no text hide no other line`() {
    let bytes = Array("# ".utf8) + [0xFF, 0x0A, 0xC3] + Array("\nauth required pam_uaf.so".utf8) + [0xFF]
    #expect(PAMFile(bytes).parsed.map { $0.isWellFormed } == [false, true])
  }

  @Test func `words in brackets may have blanks, and brackets`() {
    let line = PAMLine(#"auth required pam_debug.so [a b] x[c d] [e\]f] [ [g] [] [h"#[...])
    #expect(line?.arguments == ["a b", "x[c", "d]", "e]f", " [g", "", "h"])
  }
}
