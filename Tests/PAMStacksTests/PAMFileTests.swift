import Testing

@testable import PAMStacks

/// libpam and our reader, given the same files; each number is libpam's result.
///
/// If there are two numbers, the first is the result of libpam up to 1.5, and the second that of later versions: one of them is
/// compared with the installed libpam, both with our reader's model.
@Suite struct PAMFileTests {
  private let stacks = TriedServices()

  /// A line to which libpam gives its own number.
  private static func line(_ result: String) -> String { "auth required pam_debug.so auth=\(result)" }
  private static let expired = line("acct_expired")
  private static let tries = line("maxtries")
  private static let fine = line("success")
  private static let (isExpired, isTries, isFine, isDenied, isUnreadable): (CInt, CInt, CInt, CInt, CInt) =
    (13, 11, 0, 6, 26)

  /// How the installed libpam reads, determined by a file that only one version refuses as a whole.
  private static let installed: Result<PAMReading, TrialProblem> = Result { () throws(TrialProblem) in
    let stacks = TriedServices()
    stacks.write("tried", "\(fine) \\\n# x\n")
    return try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody") == isFine ? .sinceSix : .untilFive
  }

  /// libpam's predicted result if it read these lines.
  private func predicted(_ lines: [PAMLine]) -> CInt {
    var code = Self.isFine
    for line in lines {
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

  /// If both versions give the same result, so does the reader; if not, it relies on neither.
  private func compare(_ text: String, _ code: CInt, since newer: CInt? = nil) throws {
    stacks.write("tried", text)
    let read = PAMDirectory(path: stacks.path).authentication(of: "tried")
    if let newer, newer != code {
      for (reading, code) in [(PAMReading.untilFive, code), (.sinceSix, newer)] {
        #expect(predicted(reading.lines(of: Array(text.utf8)).map(PAMLine.init(line:))) == code)
      }
      #expect(PAMFile(Array(text.utf8)).parting != nil && read.last == .unreadable)
    } else {
      #expect(predicted(read) == code)
    }
    let said = try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody")
    #expect(try said == (Self.installed.get() == .sinceSix ? newer ?? code : code))
  }

  @Test(arguments: [
    ("# console\r\n\(expired)\n", isExpired), ("# a\r# b\r\(expired)\n\(fine)\n", isFine),
    ("# see wiki \\\n\(expired)\n", isExpired), ("# see wiki \\\r\n\(expired)\n", isExpired),
    ("\(fine) # more \\\n\(expired)\n", isExpired), ("\(fine) \\ # more\n\(expired)\n", isExpired),
    ("# \u{2028}\(expired)\n\(tries)\n", isTries), ("# \u{85}\(expired)\n\(tries)\n", isTries),
    ("# x\0y\n\(expired)\n", isExpired), ("# \0\n\(expired)\n", isExpired), ("\0\(expired)\n\(tries)\n", isTries),
  ])
  func `a comment in a PAM file ends where libpam ends it`(text: String, code: CInt) throws { try compare(text, code) }

  @Test(arguments: [
    ("auth \\\nrequired \\ \t \n  pam_debug.so auth=acct_expired\n", isExpired),
    ("\(fine) \\\\\n\(expired)\n\(tries)\n", isTries), ("\\\n  \\ \n\(expired)\n", isExpired),
    ("au\\\nth required pam_debug.so auth=acct_expired\n", isDenied), ("\\\n\n \\\n\n\(expired)\n", isExpired),
    ("\(expired)\n\(fine) \\", isUnreadable), ("\(fine) \\\n", isUnreadable), ("\\\n", isUnreadable),
    ("\(fine)\n\(expired)", isExpired),
  ])
  func `a line of a PAM file continues where libpam continues it`(text: String, code: CInt) throws {
    try compare(text, code)
  }

  @Test(arguments: [
    ("auth required \\\n# a \\\n\n \t\n pam_debug.so auth=acct_expired\n\(tries)\n", isExpired, isDenied),
    ("\(fine) \\\n # x\n", isUnreadable, isFine), ("\(fine) \\\n\n", isUnreadable, isFine),
    ("\(fine) \\\n\n\(expired)\n\(tries)\n", isTries, isExpired),
    ("\(fine) \\\0#\n\(expired)\n\(tries)\n", isTries, isExpired),
    ("\(fine)\0 \\\n\(expired)\n\(tries)\n", isExpired, isTries),
    ("\0 \\\n\(expired)\n\(tries)\n", isExpired, isTries), ("# a\0\\\n\(expired)\n\(tries)\n", isExpired, isExpired),
    ("\(fine)\0# \\\n\(expired)\n\(tries)\n", isExpired, isTries),
  ])
  func `a line continues as in the installed version of libpam, because versions differ`(
    text: String, code: CInt, newer: CInt
  ) throws {
    try compare(text, code, since: newer)
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
    ("auth [success=okdefault=bad]pam_debug.so auth=maxtries", isTries),
    ("auth [\u{b}success\r=\u{c}ok default=bad default=ignore] pam_debug.so auth=maxtries", isTries),
    ("auth [success=] pam_debug.so auth=success", isDenied), ("auth [success] pam_debug.so auth=success", isDenied),
    ("auth [success=ok x] pam_debug.so auth=success", isDenied),
    ("auth [SUCCESS=ok] pam_debug.so auth=success", isDenied), ("auth [any=ok] pam_debug.so auth=success", isDenied),
    ("auth [] pam_debug.so auth=success", isDenied), ("auth [success=ok # ] pam_debug.so\n\(fine)", isDenied),
  ])
  func `splits a line of a PAM file into words as libpam does`(text: String, code: CInt) throws {
    stacks.write("tried", text + "\n")
    // Jumps are not followed here.
    if !text.contains("=1 ") && !text.contains("=1]") || code == Self.isDenied {
      #expect(predicted(PAMDirectory(path: stacks.path).authentication(of: "tried")) == code)
    } else {
      #expect(PAMDirectory(path: stacks.path).authentication(of: "tried").first?.action(of: "success") == .jump(1))
    }
    let said = try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody")
    #expect(said == code)
  }

  @Test(arguments: [
    "@include inner", "@INCLUDE [inner]", "-@include inner more", "\t@include \\\n inner#x", "auth Include inner",
    "[auth] [substack] inner",
  ])
  func `reads includes in a PAM file as libpam does`(text: String) throws {
    stacks.write("inner", Self.expired + "\n")
    stacks.write("tried", text.replacing("inner", with: stacks.path + "/inner") + "\n")
    #expect(PAMDirectory(path: stacks.path).inclusions(of: "tried") == ["inner"])
    try compare(text.replacing("inner", with: stacks.path + "/inner") + "\n", Self.isExpired)
  }

  @Test(arguments: [
    "auth [success=1 \\\n     default=ignore] pam_debug.so auth=auth_err\n\(fine)\n\(expired)\n",
    "auth [success=ok \\\n\t\\\n \t default=1] \\\n   pam_debug.so \\\n  auth=auth_err\n\(fine)\n\(expired)\n",
    "auth [\\\n   success=ok default=bad \\\n ] pam_debug.so auth=acct_expired\n",
  ])
  func `all versions of libpam read a line that continues inside brackets alike, whatever its indentation`(text: String)
    throws
  {
    #expect(PAMFile(Array(text.utf8)).parting == nil)
    stacks.write("tried", text)
    let entries = PAMDirectory(path: stacks.path).entries(of: "tried", in: "auth")
    #expect(entries.allSatisfy { $0.line.isWellFormed })
    let ways = StackOutcomes(entries).endings { line in
      line.arguments.map { String($0.dropFirst("auth=".count)) }
    }
    let said = try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody")
    #expect(Set(ways.map(\.isSuccess)) == [said == Self.isFine])
  }

  @Test func `versions of libpam read blanks inside the brackets of an argument differently`() {
    #expect(PAMFile(Array("auth required pam_debug.so [a \\\n   b]\n".utf8)).parting == 0)
  }

  @Test func `looks for included PAM files in one folder, as libpam does`() throws {
    // Debian has these two only in the vendors' folder.
    let vendors = PAMDirectory(path: "/usr/lib/pam.d").names() ?? []
    let own = PAMDirectory(path: "/etc/pam.d").names() ?? []
    stacks.write("tried", "@include vendors\n\(Self.fine)\n")
    for name in ["polkit-1", "systemd-user"] where vendors.contains(name) && !own.contains(name) {
      stacks.write("tried", "@include \(name)\n\(Self.fine)\n")
      let said = try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody")
      #expect(said != Self.isFine)
      let reader = PAMDirectory(path: stacks.path, vendors: ["/usr/lib/pam.d"])
      #expect(
        reader.unreadInclusion(of: "tried")?.line == 1
          && reader.entries(of: "tried", in: "auth").first?.line == .unreadable)
    }
  }

  @Test(arguments: [(15, isExpired), (16, isDenied)])
  func `follows substacks to the same depth as libpam`(depth: Int, code: CInt) throws {
    for level in 1..<depth { stacks.write("s\(level)", "auth substack \(stacks.path)/s\(level + 1)\n") }
    stacks.write("s\(depth)", Self.expired + "\n")
    stacks.write("tried", "auth substack \(stacks.path)/s1\n")
    let read = PAMDirectory(path: stacks.path).authentication(of: "tried")
    #expect(read == (code == Self.isDenied ? [.unreadable] : [PAMFile.firstLine(of: Self.expired)]))
    let said = try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody")
    #expect(said == code)
  }

  @Test(arguments: [
    (1021, isFine), (1022, isFine), (1023, isExpired), (1024, isFine), (1025, isFine), (70_000, isFine),
  ])
  func `cuts a comment at the end of libpam 1.5's buffer, and for later versions not at all`(length: Int, code: CInt)
    throws
  {
    let text = "#" + String(repeating: "x", count: length - 1) + Self.expired + "\n" + Self.fine + "\n"
    // Otherwise the part that is cut off begins with something other than a group.
    try compare(
      length == 1023 ? text : text.replacing("x\(Self.expired)", with: "xx"),
      code == 0 && length >= 1023 ? Self.isDenied : code, since: Self.isFine)
  }

  @Test(arguments: [(493, isFine), (494, isFine), (495, isFine), (496, isDenied), (5000, isDenied)])
  func `cuts a continued line at the end of libpam 1.5's buffer, and for later versions not at all`(
    rest: Int, code: CInt
  )
    throws
  {
    let begin = Self.fine + " "
    let text = begin + String(repeating: "y", count: 528 - begin.utf8.count) + "\\\n"
    try compare(text + String(repeating: "z", count: rest - 1) + "\n\(Self.fine)\n", code, since: Self.isFine)
  }

  @Test func `a line that fills libpam 1.5's buffer ends the part of the file that libpam 1.5 reads`() throws {
    let text = Self.fine + " " + String(repeating: "y", count: 1021 - Self.fine.utf8.count) + "\\\n\(Self.expired)\n"
    #expect(PAMFile(Array(text.utf8)).parsed == [.unreadable])
    // libpam 1.5 would never end.
    if try Self.installed.get() == .sinceSix { try compare(text, Self.isUnreadable, since: Self.isFine) }
  }

  @Test(arguments: ["2147483648", "4294967297", "99999999999999999999"])
  func `a jump over more lines than libpam can count leads past the end of the file`(number: String) {
    let line = PAMFile.firstLine(of: "auth [success=\(number) default=die] pam_debug.so")
    #expect(line?.farthestJump == Int(Int32.max))
  }

  @Test func `reports the first line that two versions of libpam read differently, and keeps the lines before it`() {
    let file = PAMFile(Array("\(Self.expired)\n# x\n\(Self.fine) \\\n\n\(Self.tries)\n".utf8))
    #expect(file.parting == 2)
    #expect(file.parsed == [PAMFile.firstLine(of: Self.expired), .unreadable].compactMap(\.self))
    #expect(file.lines.last?.rows == 2...4)
    #expect(PAMFile(Array("\(Self.fine) \\\n \(Self.tries)\n".utf8)).parting == nil)
  }

  @Test func `a carriage return in a PAM file is part of a word`() {
    stacks.write("tried", "auth required \\\r\n pam_debug.so auth=success\nauth include inner\r\n")
    let reader = PAMDirectory(path: stacks.path)
    #expect(reader.ownLines(of: "tried").map { $0.module } == ["\\\r", "", "inner\r"])
  }

  @Test func `a line of a PAM file with bytes that are not text hides no other line`() {
    let bytes = Array("# ".utf8) + [0xFF, 0x0A, 0xC3] + Array("\nauth required pam_uaf.so".utf8) + [0xFF]
    #expect(PAMFile(bytes).parsed.map { $0.isWellFormed } == [false, true])
  }

  @Test func `a word in brackets in a PAM file may contain blanks and brackets`() {
    let line = PAMFile.firstLine(of: #"auth required pam_debug.so [a b] x[c d] [e\]f] [ [g] [] [h"#)
    #expect(line?.arguments == ["a b", "x[c", "d]", "e]f", " [g", "", "h"])
  }
}
