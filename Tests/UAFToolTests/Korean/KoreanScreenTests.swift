import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor
@testable import UAFTool

/// Whole outputs of uafctl in Korean.
@Suite struct KoreanScreenTests {
  private func check(_ bench: Bench) {
    #expect(EnglishWords.found(in: bench.output + bench.notes) == [], "\(bench.output)\(bench.notes)")
    #expect(EnglishWords.linesWithoutKorean(bench.output + bench.notes) == [])
  }

  private func korean(
    _ arguments: [String], as userID: UInt32 = 1000, core: [CoreMessage] = [], input: String = "",
    installation: Installation = .nowhere
  ) -> Bench {
    Bench(
      arguments, as: userID, core: FakeCore(core), input: Array(input.utf8), locale: "ko_KR.UTF-8",
      installation: installation)
  }

  @Test func `status shows in Korean what is registered`() {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = """
      {"version":"0.2.0","account":{"uid":1000,"name":"alice","serverUserName":"a@b"},"authenticators":[\
      {"type":"passcode","aaid":"5541#0001","state":3006,"permanent":false,"remainingTries":4,"remainingLockSeconds":0},\
      {"type":"pattern","aaid":"5541#0002","state":3008,"permanent":true,"remainingTries":0,"remainingLockSeconds":0,\
      "remote":{"permanent":false,"remainingTries":0,"remainingLockSeconds":30}},\
      {"type":"face","state":3005}]}
      """
    let bench = korean(["status"], core: [.finished(finished)])
    #expect(
      bench.output == """
        계정: alice
        서버에서 쓰는 이름: a@b
        passcode (5541#0001): 사용할 수 있습니다
          이 컴퓨터에서: 4번 더 시도할 수 있습니다
        pattern (5541#0002): 잠겨 있습니다
          이 컴퓨터에서: 관리자가 잠금을 풀거나 값을 새로 정할 때까지 잠겨 있습니다
          네트워크에서: 30초 뒤에 풀립니다
        face: 지원하지 않습니다

        """)
  }

  @Test(arguments: [
    (["register"], "등록했습니다"), (["authenticate"], "인증되었습니다"), (["deregister"], "등록을 해지했습니다"),
  ])
  func `a success says in Korean what was done`(arguments: [String], told: String) {
    #expect(korean(arguments, core: [Bench.success]).notes == "uafctl: \(told)\n")
  }

  @Test(arguments: [
    (["unlock", "alice"], "잠금을 풀었습니다"), (["forget", "alice"], "이 컴퓨터에서 지웠습니다"),
    (["init"], "이 컴퓨터에 이미 키가 있어 그대로 둡니다"),
  ])
  func `root's commands say in Korean what was done`(arguments: [String], told: String) {
    #expect(korean(arguments, as: 0, core: [Bench.success]).notes == "uafctl: \(told)\n")
  }

  @Test func `if the core sends no text, Korean says what the result means`() {
    let bench = korean(["authenticate"], core: [Bench.failure(9, 4001)])
    #expect(bench.notes == "uafctl: 서버가 응답하지 않습니다. [4001]\n도움말: 네트워크를 확인한 뒤 다시 시도하십시오.\n")
  }

  @Test func `a core that has ended is reported in Korean`() { check(korean(["authenticate"])) }

  @Test func `doctor says in Korean that nothing is wrong`() {
    let machine = Machine()
    machine.service("sudo", "auth sufficient pam_uaf.so\n@include common-auth")
    machine.service("common-auth", "auth required pam_unix.so")
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = machine.document
    let bench = korean(
      ["doctor", "--pam-directory", machine.pam], as: 0, core: [.finished(finished)], installation: machine.installation
    )
    check(bench)
    #expect(bench.output.contains("\nok   코어: 응답합니다\nok   계정: alice: passcode (5541#0001): 사용할 수 있습니다\n"))
  }

  @Test func `doctor says in Korean all that can be wrong, with the same ids as in English`() {
    let machine = Machine(configuration: "")
    machine.installation.helperPath = "/nonexistent"
    machine.installation.facts = {
      MachineFacts(
        landlock: 0, hasSeccomp: false, hasNetworkNamespaces: false, mayLeaveNetwork: false, bootID: nil, time: 0,
        logFailure: 2)
    }
    machine.service("sudo", "auth optional pam_uaf.so nouserok\naccount required pam_uaf.so")
    let arguments = ["doctor", "--pam-directory", machine.pam]
    let bench = korean(arguments, as: 0, installation: machine.installation)
    check(bench)
    let english = Bench(arguments, as: 0, core: FakeCore([]), installation: machine.installation)
    func ids(_ output: String) -> [Substring] {
      output.split(separator: "\n").compactMap { $0.split(separator: "[").last }
    }
    #expect(ids(bench.output).count > 8 && bench.exit == .refused)
    #expect(
      bench.output.split(separator: "\n").map { $0.prefix(4) }
        == english.output.split(separator: "\n").map { $0.prefix(4) })
  }

  @Test func `enabling, listing and disabling a service is reported in Korean`() {
    let stacks = Stacks()
    func run(_ arguments: String...) -> Bench {
      korean(
        ["pam"] + arguments + ["--pam-directory", stacks.machine.pam], as: 0, installation: stacks.machine.installation)
    }
    for arguments in [["enable", "sudo"], ["enable", "sudo"], ["enable", "nosuch"], ["enable", "common-auth"]] {
      check(run(arguments[0], arguments[1]))
    }
    #expect(run("status").output.contains("sudo: fallback/sudo\n"))
    #expect(run("status").output.contains("패스코드를 묻지 않는 서비스: "))
    let disabled = run("disable", "sudo")
    check(disabled)
    #expect(disabled.output.contains("uaf-sudo: 지웠습니다\n"))
    #expect(run("status").notes.hasSuffix("에 패스코드를 묻는 서비스가 없습니다\n"))
  }

  @Test func `a passcode that breaks rules is reported in Korean, with the keys of the rules`() {
    let bench = korean(["policy", "check"], input: "1\n")
    #expect(bench.exit == .refused && bench.output.contains("min_length: "))
    #expect(bench.output.contains("자 이상이어야 합니다.\n"))
    check(bench)
    check(korean(["policy", "check"], input: "amber-kite-47\n"))
  }
}
