import ArgumentParser
import Testing

@testable import UAFTool

/// What is said in Korean of command lines that are wrong.
@Suite struct KoreanMistakeTests {
  private func korean(_ arguments: [String], as userID: UInt32 = 1000) -> Bench {
    Bench(arguments, as: userID, core: FakeCore([]), locale: "ko_KR.UTF-8")
  }

  @Test(arguments: [
    (["register", "--nosuch"], "uafctl: '--nosuch' 옵션은 없습니다.\n"),
    (["register", "--payloat", "f"], "uafctl: '--payloat' 옵션은 없습니다. '--payload'입니까?\n"),
    (["register", "a", "b", "c"], "uafctl: 필요 없는 인수입니다: 'c'\n"),
    (["register", "a", "b", "c", "d"], "uafctl: 필요 없는 인수가 2개 있습니다: 'c', 'd'\n"),
    (["register", "--payload"], "uafctl: '--payload <file>'에 값이 필요합니다\n"),
    (["forget"], "uafctl: '<user>' 인수가 필요합니다\n"), (["trust"], "uafctl: '--code <file>' 인수가 필요합니다\n"),
    (["deregister", "--all=yes"], "uafctl: '--all' 옵션에는 값을 줄 수 없습니다: 'yes'\n"),
    (
      ["pam", "enable", "sudo", "--shape", "round"],
      "uafctl: '--shape <shape>'에 쓸 수 없는 값입니다: 'round'. 다음 가운데 하나를 주십시오: 'instead', 'fallback', 'second-factor'\n"
    ),
    (
      ["deregister", "--user", "alice", "bob", "passcode"],
      "uafctl: 계정은 한 번만 지정하십시오: uafctl deregister USER TYPE\n"
    ),
    (["deregister", "--all", "passcode"], "uafctl: --all과 인증 수단은 함께 쓸 수 없습니다\n"),
    (
      ["status", "--json", "--available", "passcode"],
      "uafctl: --json, --supported, --registered, --locked, --available은 함께 쓸 수 없습니다\n"
    ),
    (["unlock"], "uafctl: 계정을 지정하거나 --payload 또는 --code를 주십시오\n"),
    (["unlock", "--code", "--payload", "f"], "uafctl: --payload와 --code는 함께 쓸 수 없습니다\n"),
    (["pam", "disable"], "uafctl: 서비스를 지정하거나 --all을 주십시오\n"),
    (["pam", "disable", "--all", "--only"], "uafctl: --only는 서비스와 함께 쓰십시오\n"),
    (["--generate-completion-script", "csh"], "uafctl: 자동 완성 스크립트는 bash, zsh, fish용으로만 만들 수 있습니다\n"),
    (["-x"], "uafctl: '-x' 옵션은 없습니다.\n"),
  ])
  func `names the mistake`(arguments: [String], told: String) {
    let bench = korean(arguments)
    #expect(bench.exit == .usage && bench.output == "")
    #expect(bench.notes.hasPrefix(told), "\(bench.notes)")
    #expect(bench.notes.contains("\n사용법: uafctl "))
    #expect(EnglishWords.found(in: bench.notes.split(separator: "\n").filter { !$0.hasPrefix("사용법: ") }.joined()) == [])
    #expect(bench.notes.hasSuffix(" --help'\n"))
  }

  @Test func `says so where the parser says something new, and does not show half of it`() {
    #expect(KoreanParserMessage.problem("Something nobody has seen yet.") == "명령줄을 이해할 수 없습니다")
  }

  @Test(arguments: [
    (["statsu"], "uafctl: 그런 명령은 없습니다: statsu\n도움말: 'uafctl status'입니까?\n"),
    (["help", "nosuch"], "uafctl: 그런 명령은 없습니다: nosuch\n도움말: 'uafctl help'로 명령 목록을 볼 수 있습니다\n"),
  ])
  func `suggests the near command`(arguments: [String], told: String) { #expect(korean(arguments).notes == told) }

  @Test(arguments: [
    (["unlock", "bob"], "uafctl: 계정의 잠금을 풀 수 있는 사용자는 root뿐입니다\n도움말: sudo로 실행하거나 root로 실행하십시오\n"),
    (
      ["status", "root"],
      "uafctl: 다른 계정을 지정할 수 있는 사용자는 root뿐입니다\n도움말: 자신의 계정이면 이름을 빼고, 아니면 root로 실행하십시오\n"
    ),
    (["reset"], "uafctl: 코드를 입력하지 않았습니다\n도움말: 파일을 주거나(--code FILE), 표준 입력이면 -를 주십시오\n"),
    (
      ["register", "--payload", "/nonexistent/x"],
      "uafctl: /nonexistent/x에서 코드를 읽을 수 없습니다: 그런 파일이나 폴더가 없습니다\n"
    ),
    (
      ["facet"],
      "uafctl: 설정을 사용할 수 없습니다: /nonexistent: 그런 파일이 없습니다. 파일을 만들거나 경로를 바로잡으십시오\n"
        + "도움말: uafctl doctor로 모두 점검할 수 있습니다\n"
    ),
  ])
  func `names what is refused`(arguments: [String], told: String) {
    let bench = korean(arguments)
    #expect(bench.notes == told && bench.exit == .usage && bench.output == "")
  }
}
