import Doctor
import Testing
import UAFWire

@testable import UAFTool

@Suite struct StatusTests {
  private static func document(_ authenticators: String) -> String {
    #"{"version":"0.2.0","account":{"uid":1000,"name":"alice","serverUserName":"alice@example.com"},"#
      + #""availableTypes":4,"authenticators":[\#(authenticators)]}"#
  }

  private static func passcode(state: Int, permanent: Bool = false, tries: Int = 5, seconds: Int = 0) -> String {
    #"{"type":"passcode","aaid":"5541#0001","state":\#(state),"stateName":"x","permanent":\#(permanent),"#
      + #""remainingTries":\#(tries),"remainingLockSeconds":\#(seconds),"#
      + #""remote":{"permanent":false,"remainingTries":1,"remainingLockSeconds":0}}"#
  }

  private func bench(_ arguments: [String], _ document: String?) -> Bench {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = document
    return Bench(["status"] + arguments, core: [.finished(finished)])
  }

  @Test func `status --json prints the core's document unchanged, and nothing else`() {
    let document = Self.document(Self.passcode(state: 3006))
    let bench = bench(["--json"], document)
    #expect(bench.exit == .success)
    #expect(bench.output == document + "\n")
    #expect(bench.notes == "")
    var begin = Begin(.status)
    begin.service = Array("uafctl".utf8)
    #expect(bench.sent == [Bench.packet(begin)])
  }

  @Test func `status accepts --json after the account, too`() {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = Self.document("")
    let bench = Bench(["status", "alice", "--json"], as: 0, core: [.finished(finished)])
    #expect(bench.output == Self.document("") + "\n")
  }

  @Test func `status shows what is registered, line by line`() {
    let bench = bench([], Self.document(Self.passcode(state: 3006)))
    #expect(
      bench.output == """
        account: alice
        name at the server: alice@example.com
        passcode (5541#0001): available
          here: 5 tries left
          over the network: 1 try left

        """)
  }

  private static func document(server: String) -> String {
    document(passcode(state: 3006)).replacing(
      "\"availableTypes\"", with: "\"serverState\":\(server),\"availableTypes\"")
  }

  @Test(arguments: [
    (
      #"{"state":"active","asked":1800000000}"#, "active (asked 2027-01-15 08:00 UTC)",
      "사용할 수 있습니다 (2027-01-15 08:00 UTC에 물음)"
    ),
    (
      #"{"state":"disabled","asked":1800000000}"#, "disabled (asked 2027-01-15 08:00 UTC): ask the administrator",
      "비활성화되었습니다 (2027-01-15 08:00 UTC에 물음). 관리자에게 문의하십시오"
    ),
    (
      #"{"state":"locked","asked":1800000000,"until":1800000060}"#,
      "locked until 2027-01-15 08:01 UTC (asked 2027-01-15 08:00 UTC)",
      "2027-01-15 08:01 UTC까지 잠겨 있습니다 (2027-01-15 08:00 UTC에 물음)"
    ),
    (#"{"state":"unreadable"}"#, "the server's last report cannot be read", "서버가 마지막으로 한 말을 읽을 수 없습니다"),
  ])
  func `status shows what the server last said about the account, and when`(
    json: String, english: String, korean: String
  ) {
    let document = Self.document(server: json)
    #expect(bench([], document).output.contains("\naccount at the server: \(english)\n"))
    let read = StatusDocument(parsing: document)
    #expect(read.map { StatusReport(language: .korean).text($0) }?.contains("\n서버의 계정: \(korean)\n") == true)
    #expect(bench(["--json"], document).output == document + "\n")
  }

  @Test(arguments: ["7", "{}", #"{"state":"\u001b[2J"}"#, #"{"state":7}"#])
  func `status shows nothing for a state at the server that it does not know`(json: String) {
    #expect(!bench([], Self.document(server: json)).output.contains("account at the server"))
  }

  @Test func `status shows what is locked, and for how long`() {
    #expect(
      bench([], Self.document(Self.passcode(state: 3008, tries: 0, seconds: 42))).output == """
        account: alice
        name at the server: alice@example.com
        passcode (5541#0001): locked
          here: locked for 42 s
          over the network: 1 try left

        """)
    #expect(
      bench([], Self.document(Self.passcode(state: 3008, permanent: true, tries: 0))).output
        .contains("  here: locked for good until an unlock of the administrator's, or a new value\n"))
  }

  @Test func `status shows that looser lock settings are waiting`() {
    let entry = Self.passcode(state: 3006, tries: 1)
    let waiting = entry.replacing("\"stateName\"", with: "\"lockOptionsWait\":true,\"stateName\"")
    #expect(
      bench([], Self.document(waiting)).output.hasSuffix(
        "  The lock options stay as they are until the count of wrong entries is cleared. Enter the right value "
          + "once, or have the "
          + "administrator unlock. [3015]\n"))
    #expect(!bench([], Self.document(entry)).output.contains("3015"))
  }

  @Test func `status shows attempts of other users if the core reports them`() {
    let entry = #"{"type":"passcode","aaid":"5541#0001","state":3006,"permanent":false,"remainingTries":5,"#
    let others = #""otherUser":{"permanent":false,"remainingTries":0,"remainingLockSeconds":600}}"#
    let output = bench([], Self.document(entry + #""remainingLockSeconds":0,"# + others)).output
    #expect(output.hasSuffix("  here: 5 tries left\n  by other users here: locked for 600 s\n"))
  }

  @Test(arguments: [
    (
      #""atServer":"revoked","#,
      "  at the server: revoked: ask the administrator for a code, then 'uafctl register --code FILE'\n"
    ),
    (#""atServer":"unknown","#, "  at the server: no longer registered: 'uafctl register --code FILE'\n"),
    (
      #""atServer":"ahead","#,
      "  at the server: it has seen more signatures than this machine made: 'uafctl repair --code FILE'\n"
    ),
    (
      #""atServer":"forbidden","#,
      "  at the server: the account was not let in when this machine asked last, and may be disabled or locked: ask the "
        + "administrator\n"
    ),
    (#""atServer":"\u001b[31m","#, ""), ("", ""),
  ]) func `status shows what the server said about a key that it has refused`(member: String, line: String) {
    let state = line.isEmpty ? 3006 : 3007
    let entry = Self.passcode(state: state).replacing(#""state""#, with: member + #""state""#)
    let output = bench([], Self.document(entry)).output
    let words = line.isEmpty ? "available" : "set here, and refused by the server"
    #expect(output.contains("): \(words)\n\(line)  here:"))
  }

  @Test(arguments: [
    (
      "revoked",
      "revoked, or the account is disabled: ask the administrator; if it is not disabled, have root run "
        + "'uafctl register USER --code FILE' with a new enrolment code"
    ),
    (
      "unknown",
      "no longer registered, or the account is disabled: ask the administrator; if it is not disabled, have root run "
        + "'uafctl register USER --code FILE'"
    ),
    ("ahead", "it has seen more signatures than this machine made: 'uafctl repair --code FILE'"),
  ]) func `if codes cannot set a secret, status sends a person to root for a new registration`(
    refusal: String, line: String
  ) {
    let entry = Self.passcode(state: 3007).replacing(#""state""#, with: #""atServer":"\#(refusal)","state""#)
    let document = Self.document(entry).replacing(
      #""availableTypes""#, with: #""codesSetValues":false,"availableTypes""#)
    #expect(bench([], document).output.contains("  at the server: \(line)\n"))
  }

  @Test func `for root, status names the account in commands, and says that the other type can replace a lost key`() {
    let gone = Self.passcode(state: 3007).replacing(#""state""#, with: #""atServer":"unknown","state""#)
    func output(_ entries: String, as user: UInt32) -> String {
      var finished = Finished(pamCode: 0, result: 0)
      finished.document = Self.document(entries)
      return Bench(["status"] + (user == 0 ? ["alice"] : []), as: user, core: [.finished(finished)]).output
    }
    #expect(output(gone, as: 0).contains("no longer registered: 'uafctl register alice --code FILE'\n"))
    let pattern = Self.passcode(state: 3006).replacing("passcode", with: "pattern")
    #expect(output(gone + "," + pattern, as: 1000).contains("no longer registered: 'uafctl register passcode'\n"))
    #expect(output(gone + "," + pattern, as: 0).contains("no longer registered: 'uafctl register alice passcode'\n"))
  }

  @Test func `status does not repeat a refusal that the signed state of the account explains`() {
    let entry = Self.passcode(state: 3007).replacing(#""state""#, with: #""atServer":"forbidden","state""#)
    let state = #""serverState":{"state":"disabled","asked":1800000000},"availableTypes""#
    let output = bench([], Self.document(entry).replacing(#""availableTypes""#, with: state)).output
    #expect(
      output.contains("account at the server: disabled (asked ") && output.contains("): set here, and refused by"))
    #expect(!output.contains("  at the server: "))
  }

  @Test(arguments: ["revoked", "unknown", "ahead", "forbidden"])
  func `status shows a type that the server refuses as registered and supported, but not available`(refusal: String) {
    let entry = Self.passcode(state: 3007).replacing(#""state""#, with: #""atServer":"\#(refusal)","state""#)
    func answers(_ question: String) -> Bool {
      bench([question, "passcode"], Self.document(entry)).exit == .success
    }
    #expect(answers("--registered") && answers("--supported"))
    #expect(!answers("--available") && !answers("--locked"))
  }

  @Test func `status shows no counters of what is not registered`() {
    #expect(
      bench([], Self.document(Self.passcode(state: 3007))).output == """
        account: alice
        name at the server: alice@example.com
        passcode (5541#0001): not registered

        """)
    #expect(
      bench([], #"{"authenticators":[]}"#).output == "no authenticator is enabled\n")
  }

  @Test func `status shows a type that this version cannot verify without AAID and counters`() {
    let entry = #"{"type":"fingerprint","state":3005,"stateName":"Authenticator_State_Not_Support"}"#
    #expect(bench([], Self.document(entry)).output.hasSuffix("\nfingerprint: not supported\n"))
    let answer = bench(["--available", "fingerprint"], Self.document(entry))
    #expect(answer.exit == .refused && answer.output == "fingerprint: not supported\n")
  }

  @Test(arguments: [
    (3006, ToolExit.success, "available"), (3005, .refused, "not supported"), (3007, .refused, "not registered"),
    (3008, .refused, "locked"), (9, .refused, "state 9"),
  ])
  func `the exit status of status --available says whether a type can be used`(state: Int, exit: ToolExit, text: String)
  {
    for name in ["passcode", "5541#0001"] {
      let bench = bench(["--available", name], Self.document(Self.passcode(state: state)))
      #expect(bench.exit == exit)
      #expect(bench.output == "passcode (5541#0001): \(text)\n")
      #expect(bench.notes == "")
    }
  }

  /// Each option, with its answers for the states 3005 to 3008.
  @Test(arguments: [
    ("--supported", [false, true, true, true]), ("--registered", [false, true, false, true]),
    ("--locked", [false, false, false, true]), ("--available", [false, true, false, false]),
  ])
  func `status answers whether a type is supported, registered, locked or available, one question at a time`(
    _ option: String, _ answers: [Bool]
  ) {
    for (state, answer) in zip(3005...3008, answers) {
      let bench = bench([option, "passcode"], Self.document(Self.passcode(state: state)))
      #expect(bench.exit == (answer ? .success : .refused))
    }
    #expect(bench([option, "pattern"], Self.document(Self.passcode(state: 3006))).exit == .refused)
    #expect(bench([option, "pascode"], Self.document("")).exit == .usage)
    #expect(bench([option, "passcode", "--json"], nil).exit == .usage)
    #expect(
      bench([option, "passcode", option == "--locked" ? "--supported" : "--locked", "passcode"], nil).exit == .usage)
  }

  @Test func `status sends the type that it was given, and says no if the type is not enabled`() {
    let bench = bench(["--available", "pattern"], Self.document(Self.passcode(state: 3006)))
    #expect(bench.exit == .refused)
    #expect(bench.output == "pattern: not enabled\n")
    var begin = Begin(.status)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array("pattern".utf8)
    #expect(bench.sent == [Bench.packet(begin)])
  }

  @Test func `status --available reports an unknown type as an error, not as a no`() {
    let bench = bench(["--available", "pascode"], Self.document(Self.passcode(state: 3006)))
    #expect(bench.exit == .usage)
    #expect(bench.output == "" && bench.notes == "uafctl: no such authenticator type: pascode\n")
    #expect(self.bench(["--available", "5541#0009"], Self.document("")).exit == .refused)
  }

  @Test func `status --available exits with 2 unless the answer is yes or no`() {
    #expect(Bench(["status", "--available", "x"], core: [Bench.failure(3, 1012)]).exit == .usage)
    #expect(Bench(["status", "--available", "x"], core: [Bench.failure(7, 3012)]).exit == .usage)
    #expect(Bench(["status", "--available", "x"], core: FakeCore(refusing: .core(.absent(2)))).exit == .usage)
    #expect(Bench(["status", "--available", "x"], core: []).exit == .usage)
    #expect(bench(["--available", "passcode"], nil).exit == .usage)
    #expect(bench(["--available", "passcode", "--json"], nil).exit == .usage)
  }

  @Test(arguments: [
    "", "[]", "{}", "{\"authenticators\":{}}", "{\"authenticators\":[1]}", "{\"authenticators\":[{}]}",
    "{\"authenticators\":[]} x", "{\"authenticators\":[],\"authenticators\":[]}",
    document(passcode(state: 3006)).replacing("5541#0001\",", with: "5541#0001"),
    document(passcode(state: 3006)).replacing("\"permanent\":false", with: "\"permanent\":0"),
    document(passcode(state: 3006)).replacing("\"remainingTries\":5", with: "\"remainingTries\":\"5\""),
  ])
  func `status refuses a document of the core that it cannot read`(text: String) {
    let said = "the core does not keep to the protocol: the status document "
    let inLines = bench([], text)
    #expect(inLines.exit == .unreachable && inLines.output == "" && inLines.notes.hasPrefix("uafctl: \(said)"))
    let inJSON = bench(["--json"], text)
    #expect(inJSON.exit == .unreachable && inJSON.notes == "")
    #expect(inJSON.output.hasPrefix(#"{"type":"failure","result":"#) && inJSON.output.contains(said))
  }

  @Test func `a name in the core's document contains no control characters when status shows it`() {
    let text = Self.document("").replacing("alice\"", with: "al\\u001b[2Jice\"")
    #expect(bench([], text).output.hasPrefix("account: al[2Jice\n"))
  }
}
