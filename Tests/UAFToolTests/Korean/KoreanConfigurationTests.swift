import Testing
import ToolTestSupport

@testable import UAFTool

/// How mistakes in the configuration are reported in Korean.
@Suite struct KoreanConfigurationTests {
  private let machine = Machine()

  @Test(arguments: [
    ("[lock]\nlock_time = 1.5\n", "2: lock.lock_time: "),
    ("[general]\nlanguage = \"fr\"\n", "2: general.language: 다음 가운데 하나여야 합니다: \"en\", \"ko\""),
    ("[nosuch]\n", "1: nosuch: 모르는 키입니다(쓸 수 있는 것: authenticators, "),
    ("[server]\nrequest_url = \"ftp://x\"\n", "2: server.request_url: https://HOST[:PORT]/PATH 형식의 URL이어야 합니다"),
    ("[passcode]\nmin_length = 0\n", "2: passcode.min_length: "), ("x = \n", "1: 값이 없습니다"),
    ("x = \"\n", "1: 문자열이 닫히지 않았습니다"),
    ("[lock]\n[lock]\n", "2: [lock]은 1번째 줄에 이미 있습니다"),
    ("[prompt]\ntries = \"3\"\n", "2: prompt.tries: 1부터 "),
  ])
  func `a mistake in a configuration file is reported in Korean, with its line and key`(text: String, told: String) {
    let path = machine.folder.file("broken.conf", Array(text.utf8), mode: 0o644)
    let bench = Bench(
      ["facet", "--conf", path], as: 0, core: FakeCore([]), locale: "ko_KR.UTF-8", installation: machine.installation)
    #expect(bench.notes.hasPrefix("uafctl: 설정을 사용할 수 없습니다: \(path):\(told)"), "\(bench.notes)")
    #expect(EnglishWords.found(in: bench.notes) == [])
  }
}
