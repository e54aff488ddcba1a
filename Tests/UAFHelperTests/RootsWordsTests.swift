import Testing
import UAFWire

@testable import UAFHelper

/// Messages that root has written in the configuration, shown in the reader's language.
@Suite struct RootsWordsTests {
  @Test(arguments: [("ko_KR.UTF-8", "한 글자만 쓰지 마세요."), ("en_GB.UTF-8", "Not one character only, please.")])
  func `a rule with messages by root is shown in the person's language`(_ locale: String, _ words: String) throws {
    let bench = try HelperBench()
    bench.configuration +=
      "\n[passcode.rules]\nequal_character = { en = \"Not one character only, please.\", ko = \"한 글자만 쓰지 마세요.\" }"
    _ = try bench.run(bench.begin(.initialise))
    var begin = bench.registration()
    begin.locale = Array(locale.utf8)
    #expect(try bench.run(begin, ["111111", "correct", "correct"]).prompts.compactMap(\.errorMessage) == [words])
  }

  @Test(arguments: [("ko_KR.UTF-8", "mina 패스코드 (관리자 명령): "), ("C", "Passcode for mina (login): ")])
  func `a prompt shows root's reason in the person's language, or else the name of the service`(
    _ locale: String, _ text: String
  ) throws {
    let bench = try HelperBench.registered("[service.login]\nreason = { ko = \"관리자 명령\" }")
    var begin = bench.begin()
    begin.locale = Array(locale.utf8)
    #expect(try bench.run(begin, ["correct"]).prompts.map(\.text) == [text])
  }

  @Test func `every command in a text for root names the account`() throws {
    let bench = try HelperBench.registeredTwice("[passcode.lock]\nmax_lock_count = 0")
    func told(_ operation: UAFWire.Operation, _ type: String?, _ entries: [String?]) throws -> String {
      var begin = bench.begin(operation)
      begin.service = Array("uafctl".utf8)
      begin.authenticator = type.map { Array($0.utf8) }
      return try bench.run(begin, entries).finished.text ?? ""
    }
    let wrong = ["wrong1", "wrong2", "wrong3"]
    let texts = [
      try told(.register, nil, []), try told(.authenticate, "passcode", wrong), try told(.change, "passcode", wrong),
      try told(.reset, "pattern", []), try told(.repair, "pattern", []), try told(.reset, "passcode", []),
      try told(.reset, nil, []), try told(.repair, nil, []), try told(.authenticate, nil, []),
    ]
    let commands = texts.flatMap { $0.split(separator: "'").filter { $0.hasPrefix("uafctl ") } }
    #expect(commands.count > 3 && commands.allSatisfy { $0.contains(" mina") }, "\(texts)")
  }
}
