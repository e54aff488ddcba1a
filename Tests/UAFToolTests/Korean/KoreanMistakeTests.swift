import ArgumentParser
import Testing

@testable import UAFTool

/// The Korean texts about wrong command lines.
@Suite struct KoreanMistakeTests {
  private func korean(_ arguments: [String], as userID: UInt32 = 1000) -> Bench {
    Bench(arguments, as: userID, core: FakeCore([]), locale: "ko_KR.UTF-8")
  }

  @Test(arguments: [
    (
      ["deregister", "--user", "alice", "bob", "passcode"], "uafctl deregister",
      "계정은 한 번만 지정하십시오: uafctl deregister USER TYPE"
    ),
    (["deregister", "--all", "passcode"], "uafctl deregister", "--all과 인증 수단은 함께 쓸 수 없습니다"),
    (
      ["status", "--json", "--available", "passcode"], "uafctl status",
      "--json, --supported, --registered, --locked, --available은 함께 쓸 수 없습니다"
    ),
    (["unlock"], "uafctl unlock", "계정을 지정하거나 --payload 또는 --code를 주십시오"),
    (["unlock", "--code", "--payload", "f"], "uafctl unlock", "--payload와 --code는 함께 쓸 수 없습니다"),
    (["pam", "disable"], "uafctl pam disable", "서비스를 지정하거나 --all을 주십시오"),
    (["pam", "disable", "sudo", "--all"], "uafctl pam disable", "--all과 서비스는 함께 쓸 수 없습니다"),
    (["pam", "disable", "--all", "--only"], "uafctl pam disable", "--only는 서비스와 함께 쓰십시오"),
  ])
  func `a wrong command line is reported in Korean`(arguments: [String], command: String, told: String) {
    let bench = korean(arguments)
    #expect(bench.exit == .usage && bench.output == "")
    #expect(
      bench.notes.hasPrefix("uafctl: 명령줄이 잘못되었습니다. 도움말: '\(command) --help'\n\(told)\n사용법: \(command) "),
      "\(bench.notes)")
    #expect(EnglishWords.found(in: bench.notes.split(separator: "\n").filter { !$0.hasPrefix("사용법: ") }.joined()) == [])
  }

  @Test(arguments: [
    (["register", "--nosuch"], "uafctl register", "그런 옵션은 없습니다: --nosuch"),
    (["-x"], "uafctl", "그런 옵션은 없습니다: -x"), (["status", "-xy"], "uafctl status", "그런 옵션은 없습니다: -xy"),
    (["register", "a", "b", "c"], "uafctl register", "쓸 곳이 없는 인수가 있습니다: c"),
    (["register", "a", "b", "c", "d"], "uafctl register", "쓸 곳이 없는 인수가 있습니다: c, d"),
    (["forget"], "uafctl forget", "필요한 인수가 없습니다: user"),
    (["rename", "alice"], "uafctl rename", "필요한 인수가 없습니다: --from"),
    (["trust"], "uafctl trust", "필요한 인수가 없습니다: --code"), (["join"], "uafctl join", "필요한 인수가 없습니다: --payload"),
    (["register", "--code"], "uafctl register", "이 옵션에는 값이 필요합니다: --code"),
    (["status", "--json=yes"], "uafctl status", "값을 받지 않는 옵션입니다: --json(적힌 값: yes)"),
    (["pam", "enable", "sudo", "--shape", "round"], "uafctl pam enable", "--shape에 쓸 수 없는 값입니다: round"),
    (
      ["--generate-completion-script", "cmd"], "uafctl",
      "명령줄을 이해할 수 없습니다: 'Can't generate completion scripts for 'cmd'. Please use --generate-completion-script=<shell> with one "
        + "of: zsh bash fish'"
    ),
  ])
  func `what the argument parser refuses is said in Korean, and quoted if only the parser can describe it`(
    arguments: [String], command: String, told: String
  ) {
    let bench = korean(arguments)
    #expect(bench.exit == .usage && bench.output == "")
    #expect(
      bench.notes == "uafctl: 명령줄이 잘못되었습니다. 도움말: '\(command) --help'\n\(told)\n"
        + bench.notes.split(separator: "\n").filter { $0.hasPrefix("사용법: \(command) ") }.map { $0 + "\n" }.joined(),
      "\(bench.notes)")
  }

  @Test(arguments: [
    (["statsu"], "uafctl: 그런 명령은 없습니다: statsu\n도움말: 'uafctl status'입니까?\n"),
    (["help", "nosuch"], "uafctl: 그런 명령은 없습니다: nosuch\n도움말: 'uafctl help'로 명령 목록을 볼 수 있습니다\n"),
  ])
  func `the text about an unknown command suggests a similar one in Korean`(arguments: [String], told: String) {
    #expect(korean(arguments).notes == told)
  }

  @Test(arguments: [
    (
      ["unlock", "bob"],
      "uafctl: 헬프데스크 없이 계정의 잠금을 풀 수 있는 사용자는 root뿐입니다\n도움말: 헬프데스크에 문의하십시오. 자신의 계정은 헬프데스크에서 받은 것을 "
        + "'uafctl unlock --payload FILE'이나 'uafctl unlock --code'에 주어 풉니다\n"
    ),
    (["forget", "bob"], "uafctl: 이 컴퓨터에서 계정을 지울 수 있는 사용자는 root뿐입니다\n도움말: sudo로 실행하거나 root로 실행하십시오\n"),
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
  func `the text about a refused argument names it in Korean`(arguments: [String], told: String) {
    let bench = korean(arguments)
    #expect(bench.notes == told && bench.exit == .usage && bench.output == "")
  }
}
