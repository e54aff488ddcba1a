import Testing

@testable import UAFConfiguration

@Suite struct TOMLParserTests {
  private func parse(_ text: String) throws -> String {
    Self.shown(.table(try TOMLParser.parse(Array(text.utf8), path: "FILE")))
  }

  /// A value as one line of text, with its keys in the order of the file.
  private static func shown(_ value: TOMLNode.Value) -> String {
    switch value {
    case .string(let text): "'\(text)'"
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)f"
    case .boolean(let boolean): "\(boolean)"
    case .array(let nodes): "[" + nodes.map { shown($0.value) }.joined(separator: " ") + "]"
    case .table(let table):
      "{"
        + table.keys.map { key in "\(key)@\(table[key]?.line.number ?? 0)=" + (table[key].map { shown($0.value) } ?? "")
        }
        .joined(separator: " ") + "}"
    }
  }

  private func line(of text: String) -> Int? {
    do throws(TOMLError) {
      _ = try TOMLParser.parse(Array(text.utf8), path: "FILE")
      return nil
    } catch {
      return error.line
    }
  }

  @Test(arguments: [
    ("", "{}"), ("# nothing\n\n \t\r\n", "{}"), ("a = 1", "{a@1=1}"), ("a=1\nb=2 # two\n", "{a@1=1 b@2=2}"),
    ("a.b.c = 1\na.b.d = 2", "{a@1={b@1={c@1=1 d@2=2}}}"), ("\"a b\".'c.d' = true", "{a b@1={c.d@1=true}}"),
    ("1 = 1\n-_ = 2", "{1@1=1 -_@2=2}"), ("\"\" = 1", "{@1=1}"),
    ("[a]\nb=1\n[c.d]\ne=2", "{a@1={b@2=1} c@3={d@3={e@4=2}}}"),
    ("[a.b]\nx=1\n[a]\ny=2", "{a@1={b@1={x@2=1} y@4=2}}"), ("a.b=1\n[a.c]\nd=2", "{a@1={b@1=1 c@2={d@3=2}}}"),
    ("[ a . b ]\n x . y = 1", "{a@1={b@1={x@2={y@2=1}}}}"),
  ])
  func `reads TOML keys and tables`(_ text: String, _ expected: String) throws {
    #expect(try parse(text) == expected)
  }

  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("+17", "17"), ("1_000", "1000"), ("0xFf_0", "4080"), ("0o17", "15"), ("0b1_0", "2"),
    ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"), ("1.5", "1.5f"),
    ("-0.25e+2", "-25.0f"), ("1e3", "1000.0f"), ("6_0.0_1", "60.01f"), ("inf", "inff"), ("-inf", "-inff"),
    ("nan", "nanf"),
    ("true", "true"), ("[]", "[]"), ("[1, 2,]", "[1 2]"), ("[ # c\n 1 # d\n , \n 'x' ]", "[1 'x']"),
    ("[[1],[[]]]", "[[1] [[]]]"),
    ("{}", "{}"), ("{ a = 1, b.c = [2] }", "{a@1=1 b@1={c@1=[2]}}"), ("'a\\n\"'", "'a\\n\"'"),
    ("\"\\t\\\"\\\\\"", "'\t\"\\'"),
    ("\"\\u00e9\\U0001F600\"", "'é😀'"), ("'''\nab\n'c'''", "'ab\n'c'"), ("'''''a'''''", "'''a'''"),
    ("\"\"\"a\\\n   b\\  \n\n c\"\"\"", "'abc'"), ("\"\"\"\r\na\r\nb\"\"\"", "'a\nb'"), ("\"\"\"\"\"\"", "''"),
  ])
  func `reads TOML values`(_ text: String, _ expected: String) throws {
    #expect(try parse("v = \(text)\n").dropFirst(5).dropLast() == expected)
  }

  @Test(arguments: [
    "a", "a =", "= 1", "a = 1 b = 2", "a b = 1", "a.= 1", ".a = 1", "a..b = 1", "é = 1", "[a", "[]", "[a.]", "[a] b",
    "[[a]]",
    "a = 01", "a = 1__0", "a = _1", "a = 1_", "a = +0x1", "a = 0x", "a = 0b2", "a = 1.", "a = .5", "a = 1.e2", "a = 1e",
    "a = 1e+",
    "a = 9223372036854775808", "a = 0xffffffffffffffff", "a = True", "a = +true", "a = 1979-05-27", "a = 07:32:00",
    "a = \"x",
    "a = 'x", "a = \"x\ny\"", "a = \"\\x41\"", "a = \"\\q\"", "a = \"\\u12\"", "a = \"\\uD800\"", "a = \"\\U00110000\"",
    "a = \"\\u0000\"", "a = \"\"\"x", "a = '''x''", "a = [1 2]", "a = [1", "a = [,]", "a = {b=1,}", "a = {b=1\n}",
    "a = {b=1",
    "a = 'x\u{1}'", "a = 1 # \u{7}", "a = 1\rb = 2", "\u{feff}a = 1", "a = '''''''''",
  ])
  func `refuses text that is not TOML`(_ text: String) {
    #expect(line(of: text) != nil, "\(text)")
  }

  @Test(arguments: [
    ("a = 1\na = 2", 2), ("[a]\n[a]", 2), ("[a]\nb=1\n[a.b]", 3), ("a.b=1\n[a]", 2), ("a.b=1\na.b.c=2", 2),
    ("a=1\n[a.b]", 2),
    ("a={b=1}\na.c=2", 2), ("a={b=1}\n[a.c]", 2), ("a={b.c=1}\n[a.b.d]", 2), ("[a.b]\n[a]\nb.c=1", 3),
    ("a=[1]\n[a]", 2),
    ("a = {b=1, b=2}", 1), ("'a' = 1\n\"a\" = 2", 2), ("[a.b.c]\nx=1\n[a]\nb.c.y=1", 4),
  ])
  func `refuses a key that is defined twice, and names the line of the second`(_ text: String, _ expected: Int) {
    #expect(line(of: text) == expected)
  }

  @Test(arguments: [("a=1\n\nb", 3), ("a='''\n\n'''\nb", 4), ("a=[\n1,\n}", 3), ("\r\n# c\r\nx=\u{1}", 3)])
  func `a message about malformed TOML names the line`(_ text: String, _ expected: Int) {
    #expect(line(of: text) == expected)
  }

  @Test func `refuses TOML whose bytes are not UTF-8`() {
    for bytes: [UInt8] in [[0xff], [0x23, 0xc0, 0x80], [0x23, 0xed, 0xa0, 0x80], [0x23, 0x00]] {
      #expect(throws: TOMLError.self) { _ = try TOMLParser.parse(bytes, path: "FILE") }
    }
    let error = #expect(throws: TOMLError.self) {
      _ = try TOMLParser.parse([0x0a, 0x23, 0xc3, 0x0a, 0x0a], path: "FILE")
    }
    #expect(error?.line == 2)
  }

  @Test func `says so, with line 1, if a file has a byte order mark or is UTF-16`() {
    let text = Array("a = 1\n".utf8)
    for (bytes, problem): ([UInt8], TOMLProblem) in [
      ([0xEF, 0xBB, 0xBF] + text, .byteOrderMark), ([0xFF, 0xFE] + text.flatMap { [$0, 0] }, .utf16),
      ([0xFE, 0xFF] + text.flatMap { [0, $0] }, .utf16), ([0xEF, 0xBB, 0xBF], .byteOrderMark),
    ] {
      #expect(throws: TOMLError(line: 1, problem: problem)) { _ = try TOMLParser.parse(bytes, path: "FILE") }
    }
  }

  @Test func `refuses deeply nested TOML and endless lists without using up the stack`() {
    #expect(line(of: "a = " + String(repeating: "[", count: 60_000)) == 1)
    #expect(line(of: "a = " + String(repeating: "{a=", count: 20_000)) == 1)
    #expect(line(of: String(repeating: "a.", count: 30_000) + "a = 1") == 1)
    #expect(line(of: "a = [" + String(repeating: "1,", count: 5000) + "]") == 1)
    #expect(line(of: "a = " + String(repeating: "[", count: 8) + String(repeating: "]", count: 8)) == nil)
    #expect(line(of: "a = " + String(repeating: "[", count: 9) + String(repeating: "]", count: 9)) == 1)
  }

  @Test func `the TOML parser never crashes on the example with a changed byte or a missing end`() {
    let example = Array(exampleConfiguration.utf8)
    let hostile: [UInt8] = [0, 0x0a, 0x22, 0x27, 0x5b, 0x5c, 0x5d, 0x7b, 0x2e, 0x3d, 0xff]
    for index in example.indices {
      _ = try? TOMLParser.parse(Array(example[..<index]), path: "FILE")
      var changed = example
      changed[index] = hostile[index % hostile.count]
      _ = try? TOMLParser.parse(changed, path: "FILE")
    }
    #expect((try? TOMLParser.parse(example, path: "FILE")) != nil)
  }
}
