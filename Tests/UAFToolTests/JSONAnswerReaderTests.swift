import Testing

@testable import UAFTool

@Suite struct JSONAnswerReaderTests {
  /// What a line of a front end means: the answer, "cancel" or another signal, or nil if it is refused.
  private func read(_ line: [UInt8], room: Int = 1024) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0xEE, count: room)
    // SAFETY: the array lives for the call.
    let answer = unsafe buffer.withUnsafeMutableBytes { unsafe JSONAnswerReader.read(line.span, into: $0) }
    switch answer {
    case .value(let count): return Array(buffer[..<count])
    case .cancel: return Array("cancel".utf8)
    case .resume: return Array("resume".utf8)
    case .deny: return Array("deny".utf8)
    case .values, nil: return nil
    }
  }

  /// The `count` answers in one line, each at most `room` bytes long, or the signal in it; nil if the line is refused.
  private func readAll(_ line: String, _ count: Int, room: Int = 1024) -> [String]? {
    var buffer = [UInt8](repeating: 0xEE, count: room * count + 1)
    // SAFETY: the array lives for the call, and its last byte is not lent.
    let answer = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe JSONAnswerReader.read(
        Array(line.utf8).span, as: .all(count), into: UnsafeMutableRawBufferPointer(rebasing: bytes.dropLast()))
    }
    #expect(buffer.last == 0xEE)
    guard case .values(let counts)? = answer else { return answer.map { ["\($0)"] } }
    var start = 0
    return counts.map { count in
      defer { start += count }
      return String(decoding: buffer[start..<start + count], as: UTF8.self)
    }
  }

  private func read(_ line: String) -> String? {
    read(Array(line.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    (#"{"answer":""}"#, ""), (#"{"answer":"correct horse"}"#, "correct horse"),
    (" {\t\"answer\" : \"a b\" } \r", "a b"), (#"{"answer":"한글 ß 😀"}"#, "한글 ß 😀"),
    (#"{"answer":"\"\\\/\b\f\n\r\t"}"#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#"{"answer":"\u0041\u00e9\uD55C\uac00\ud83D\uDE00"}"#, "Aé한가😀"), (#"{"cancel":true}"#, "cancel"),
    (" { \"cancel\" : true } ", "cancel"), (#"{"resume":true}"#, "resume"), (#"{"deny" :true}"#, "deny"),
    (#"{"answer":"{\"cancel\":true}"}"#, #"{"cancel":true}"#),
    (#"{"answer":"\u0001\u007f"}"#, "\u{1}\u{7F}"),
  ])
  func `reads an answer in JSON, and the signals cancel, resume and deny`(line: String, answer: String) {
    #expect(read(line) == answer)
  }

  @Test(arguments: [
    "", " ", "{}", "[]", "null", "\"a\"", #"{"answer"}"#, #"{"answer":}"#, #"{"answer":1}"#, #"{"answer":null}"#,
    #"{"answer":"a"#, #"{"answer":"a""#, #"{"answer":"a"}}"#, #"{"answer":"a"} x"#, #"{"answer":"a",}"#,
    #"{"answer":"a","answer":"b"}"#, #"{"answer":"a","cancel":true}"#, #"{"Answer":"a"}"#, #"{"\u0061nswer":"a"}"#,
    #"{'answer':'a'}"#, #"{"cancel":false}"#, #"{"cancel":1}"#, #"{"resume":false}"#,
    #"{"deny":"true"}"#, #"{"resume":true,"answer":"a"}"#, #"{"cancel":"true"}"#, #"{"cancel":true"#,
    #"{"answer":["a"]}"#, #"{"answer":"a";}"#, "\u{FEFF}{\"answer\":\"a\"}", #"{"answer":"a"}{"answer":"b"}"#,
    "{\"answer\":\"a\tb\"}", "{\"answer\":\"a\u{1}b\"}",
  ])
  func `refuses every other line of JSON`(line: String) {
    #expect(read(line) == nil)
  }

  @Test(arguments: [
    #"\x"#, #"\"#, #"\u"#, #"\u12"#, #"\u12G4"#, #"\u 123"#, #"\u0000"#, #"\ud800"#, #"\udc00"#, #"\ud800\ud800"#,
    #"\ud800x"#, #"\ud83d\n"#, #"\ud83d\u0041"#, #"\U0041"#, #"\u+041"#,
  ])
  func `refuses an escape in JSON for a character that no answer may have`(escape: String) {
    #expect(read(#"{"answer":""# + escape + #""}"#) == nil)
  }

  @Test(arguments: [
    [UInt8(0xFF)], [0x80], [0xC0, 0x80], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
  ])
  func `refuses JSON whose bytes are not UTF-8`(bytes: [UInt8]) {
    #expect(read(Array(#"{"answer":""#.utf8) + bytes + Array(#""}"#.utf8)) == nil)
  }

  @Test func `refuses an answer that is longer than the buffer, and writes no byte beyond it`() {
    #expect(read(Array(#"{"answer":"abc"}"#.utf8), room: 3) == Array("abc".utf8))
    #expect(read(Array(#"{"answer":"abcd"}"#.utf8), room: 3) == nil)
    #expect(read(Array(#"{"answer":"ab한"}"#.utf8), room: 4) == nil)
    #expect(read(Array(#"{"answer":"\ud83d\ude00"}"#.utf8), room: 3) == nil)
  }

  @Test func `accepts the longest answer in each JSON notation, and refuses a longer line`() {
    let escaped = #"{"answer":""# + String(repeating: #"\u0061"#, count: 1024) + #""}"#
    #expect(read(escaped) == String(repeating: "a", count: 1024))
    #expect(read(escaped.replacing("\"}", with: "a\"}")) == nil)
    #expect(read(#"{"answer":"a"}"# + String(repeating: " ", count: JSONAnswerReader.maximumLineCount)) == nil)
  }

  @Test(arguments: [
    (#"{"answers":[""]}"#, [""]), (#"{"answers":["a"]}"#, ["a"]), (#"{"answers":["a","b"]}"#, ["a", "b"]),
    (#"{"answers":["",""]}"#, ["", ""]), (#"{"answers":["","한"]}"#, ["", "한"]),
    (" {\t\"answers\" : [ \"a b\" ,\r\"\" , \"c\" ] } ", ["a b", "", "c"]),
    (#"{"answers":["\",\"","]"]}"#, ["\",\"", "]"]),
  ])
  func `reads exactly as many answers from a list as were requested`(line: String, answers: [String]) {
    for count in 1...4 { #expect(readAll(line, count) == (count == answers.count ? answers : nil)) }
    #expect(read(line) == nil)
  }

  @Test(arguments: [
    #"{"answers":["a","b"}"#, #"{"answers":["a","b"]"#, #"{"answers":"a","b"}"#, #"{"answers":["a" "b"]}"#,
    #"{"answers":["a","b",]}"#, #"{"answers":[,"a","b"]}"#, #"{"answers":["a",,"b"]}"#, #"{"answers":["a",null]}"#,
    #"{"answers":["a",["b"]]}"#, #"{"answers":["a","b"],"x":1}"#, #"{"answer":["a","b"]}"#, #"{"answer":"a"}"#,
    #"{"answers":["a","b"]}{"answers":["a","b"]}"#, #"{"answers":["a","\u0000"]}"#,
    #"{"answers":["a","b"],"deny":true}"#,
  ])
  func `refuses every other list of answers`(line: String) {
    #expect(readAll(line, 2) == nil)
  }

  @Test func `no answer in a list uses the buffer of another`() {
    #expect(readAll(#"{"answers":["abc","def"]}"#, 2, room: 3) == ["abc", "def"])
    for line in [#"{"answers":["abcd",""]}"#, #"{"answers":["","abcd"]}"#, #"{"answers":["ab한","a"]}"#] {
      #expect(readAll(line, 2, room: 3) == nil)
    }
    let longest = String(repeating: #"\u0061"#, count: 1024)
    let value = String(repeating: "a", count: 1024)
    #expect(readAll(#"{"answers":["\#(longest)","\#(longest)"]}"#, 2) == [value, value])
  }

  @Test func `cancel, resume and deny have the same form if answers come in a list`() {
    for word in ["cancel", "resume", "deny"] { #expect(readAll("{\"\(word)\":true}", 2) == [word]) }
  }

  @Test func `an answer with a cut end or a changed byte is refused, or read as one answer`() {
    let line = Array(#"{"answer":"a\u00e9ß"}"#.utf8)
    for count in 0..<line.count { #expect(read(Array(line[..<count])) == nil) }
    for index in line.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = line
        changed[index] = byte
        #expect((read(changed)?.count ?? 0) <= 9)
      }
    }
  }
}
