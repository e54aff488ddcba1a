import Testing
import UAFWire

@testable import UAFHelper

/// Root's own messages, in the language of whoever reads them.
@Suite struct RootsWordsTests {
  @Test(arguments: [("ko_KR.UTF-8", "한 글자만 쓰지 마세요."), ("en_GB.UTF-8", "Not one character only, please.")])
  func `shows a rule in root's words for the language`(_ locale: String, _ words: String) throws {
    let bench = try HelperBench()
    bench.configuration +=
      "\n[passcode.rules]\nequal_character = { en = \"Not one character only, please.\", ko = \"한 글자만 쓰지 마세요.\" }"
    _ = try bench.run(bench.begin(.initialise))
    var begin = bench.registration()
    begin.locale = Array(locale.utf8)
    #expect(try bench.run(begin, ["111111", "correct", "correct"]).prompts.compactMap(\.errorMessage) == [words])
  }

  @Test(arguments: [("ko_KR.UTF-8", "mina 패스코드 (관리자 명령): "), ("C", "Passcode for mina (login): ")])
  func `a prompt has root's reason for the language, or else the service's name`(
    _ locale: String, _ text: String
  ) throws {
    let bench = try HelperBench.registered("[service.login]\nreason = { ko = \"관리자 명령\" }")
    var begin = bench.begin()
    begin.locale = Array(locale.utf8)
    #expect(try bench.run(begin, ["correct"]).prompts.map(\.text) == [text])
  }
}
