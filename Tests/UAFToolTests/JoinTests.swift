import Glibc
import Testing
import ToolTestSupport
import UAFMessages
import UAFWire

@testable import Doctor
@testable import UAFTool

/// `uafctl join` and `leave` on a machine whose configuration is in a folder of its own.
@Suite struct JoinTests {
  private static let keys = "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n"
  private static let names = ["50-server-ca.pem", "50-server-verdict.pem", "50-server.conf"]
  private let folder = Folder()
  private var main: String { folder.path + "/pam_uaf.conf" }

  private var installation: Installation {
    var installation = Installation.nowhere
    installation.configurationPath = main
    return installation
  }

  private static func payload(
    server: String = "https://fido.example:8443", group: MachineGroup = .standard, ca: String? = "CA\n"
  ) -> MachinePayload {
    MachinePayload(
      server: server, code: "code", expires: 4_000_000_000, group: group, ca: ca, verdictKeys: keys)
  }

  private func run(
    _ arguments: [String], payload: MachinePayload = payload(), line: String? = nil, as userID: uid_t = 0,
    core: [CoreMessage] = [Bench.success], checkIn: [CoreMessage] = [Bench.success], locale: String? = nil
  ) -> Bench {
    folder.delete("payload")
    let path = folder.file("payload", Array(((line ?? payload.encoded) + "\n").utf8), mode: 0o600)
    let isJoin = arguments.first == "join"
    return Bench(
      arguments + (isJoin ? ["--payload", path] : ["--pam-directory", folder.path + "/pam.d"]), as: userID,
      core: FakeCore(each: isJoin ? [core, checkIn, []] : [core, []]), locale: locale, installation: installation)
  }

  /// The names of the files in the drop-in folder; nil if there is no such folder.
  private var dropIns: [String]? {
    folder.names("").contains("pam_uaf.conf.d") ? folder.names("pam_uaf.conf.d") : nil
  }

  private func expectUntouched(_ bench: Bench, _ note: String, _ exit: ToolExit = .usage) {
    #expect(bench.exit == exit)
    #expect(bench.notes.hasPrefix("uafctl: \(note)"), "\(bench.notes)")
    #expect(dropIns?.contains(where: { $0.contains("server") }) != true, "\(dropIns ?? [])")
    #expect(!folder.names("").contains("pam_uaf.conf.joining"))
  }

  // MARK: uafctl join

  @Test func `join writes the server's address, CA and keys once the core has joined`() {
    let bench = run(["join"])
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(bench.notes.hasPrefix("uafctl: joined https://fido.example:8443, group default\nuafctl: fingerprint of"))
    #expect(dropIns == Self.names)
    let place = main + ".d"
    #expect(
      folder.content("pam_uaf.conf.d/50-server.conf") == """
        # Written by 'uafctl join'. 'uafctl leave' removes it.
        # Group of machines: default
        [server]
        request_url = 'https://fido.example:8443/uaf/get'
        response_url = 'https://fido.example:8443/uaf/respond'
        require_signed_verdict = true
        verdict_key = '\(place)/50-server-verdict.pem'
        ca_file = '\(place)/50-server-ca.pem'

        """)
    #expect(folder.content("pam_uaf.conf.d/50-server-ca.pem") == "CA\n")
    for name in Self.names { #expect(folder.mode("pam_uaf.conf.d/" + name).map { $0 & 0o777 } == 0o644) }
    #expect(!folder.names("").contains("pam_uaf.conf.joining"))
  }

  @Test func `the core joins with a copy of the configuration that already contains the server`() throws {
    _ = folder.file("pam_uaf.conf", Array("[passcode]\nmin_length = 9\n".utf8), mode: 0o644)
    let bench = run(["join"])
    var begin = Begin(.join)
    begin.service = Array("uafctl".utf8)
    begin.uid = 0
    begin.account = Array("root".utf8)
    begin.arguments = [Array("conf=\(main).joining/pam_uaf.conf".utf8), Array("tries=3".utf8)]
    begin.payload = Array(Self.payload().encoded.utf8)
    #expect(bench.startedOwn.first == true)
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(begin.payload != nil)
  }

  @Test func `join checks in at the end, and succeeds even if the check-in fails`() {
    let refusal = Bench.failure(9, 1102, "The server does not answer.\nTry again later.")
    let bench = run(["join"], checkIn: [refusal])
    #expect(bench.exit == .success && dropIns == Self.names)
    #expect(bench.notes.contains("the first check-in failed: The server does not answer."), "\(bench.notes)")
    #expect(bench.notes.contains("hint: the next login checks in, or uafctl check-in\n"))
    #expect(run(["join"], checkIn: []).notes.contains("the first check-in failed: "))
    #expect(!run(["join"]).notes.contains("check-in"))
    #expect(run(["join", "--json"]).output.contains(#""checkedIn":true"#))
    let failed = run(["join", "--json"], checkIn: [refusal])
    #expect(failed.exit == .success && failed.notes == "" && failed.output.contains(#""checkedIn":false"#))
  }

  @Test func `a machine whose join failed does not check in`() {
    let bench = run(["join"], core: [Bench.failure(4, 1100, "The machine payload has expired.")])
    #expect(bench.startedOwn.count == 1)
  }

  @Test func `if the payload of join has no CA, the system's CAs are trusted`() {
    #expect(run(["join"], payload: Self.payload(ca: nil)).exit == .success)
    #expect(dropIns == ["50-server-verdict.pem", "50-server.conf"])
    #expect(!folder.content("pam_uaf.conf.d/50-server.conf").contains("ca_file"))
  }

  @Test func `join prints one JSON object for scripts`() throws {
    let bench = run(["join", "--json"])
    #expect(bench.exit == .success)
    let json = try JSONValue(parsing: Array(bench.output.utf8.dropLast()))
    guard case .object(let object) = json else { return #expect(Bool(false), "\(bench.output)") }
    #expect(object["server"] == .string("https://fido.example:8443") && object["group"] == .string("default"))
    guard case .string(let fingerprint)? = object["fingerprint"] else { return #expect(Bool(false)) }
    #expect(fingerprint.utf8.count == 64)
  }

  @Test func `a join that fails prints one JSON object, whoever refuses`() {
    let refusal = Bench.failure(
      4, 1100, "The machine payload has expired.\nAsk the administrator for a new one.")
    let byCore = run(["join", "--json"], core: [refusal])
    #expect(byCore.exit == .refused && byCore.notes == "")
    #expect(byCore.output.hasPrefix(#"{"type":"failure","result":1100,"#) && byCore.output.contains(#""pamCode":4"#))
    #expect(byCore.output.contains(#""nextStep":"Ask the administrator for a new one.""#))
    let byTool = run(["join", "--json", "--group", "lab"])
    #expect(byTool.exit == .usage && byTool.notes == "" && byTool.startedOwn.isEmpty)
    #expect(
      byTool.output.hasPrefix(#"{"type":"failure","result":1001,"#) && byTool.output.contains("the group default"))
    #expect(dropIns == nil)
  }

  @Test func `joining the same server again uses the new payload, and drops a CA that it no longer names`()
    throws
  {
    #expect(run(["join"]).exit == .success)
    let group = try #require(MachineGroup("lab"))
    #expect(run(["join"], payload: Self.payload(group: group, ca: nil)).exit == .success)
    #expect(dropIns == ["50-server-verdict.pem", "50-server.conf"])
    #expect(folder.content("pam_uaf.conf.d/50-server.conf").contains("machines: lab\n"))
  }

  @Test func `join accepts a payload with the given fingerprint, in any notation`() throws {
    let fingerprint = try JoinPayload(Array(Self.payload().encoded.utf8)).fingerprint
    let spaced = fingerprint.uppercased().enumerated().map { $0 % 2 == 1 ? "\($1):" : "\($1)" }.joined()
    #expect(run(["join", "--fingerprint", fingerprint]).exit == .success)
    #expect(run(["join", "--fingerprint", String(spaced.dropLast())]).exit == .success)
  }

  // MARK: Refusals of join, which change nothing

  @Test func `join refuses a wrong fingerprint, a wrong group and everybody but root before it asks the core`() {
    let other = String(repeating: "0", count: 64)
    let cases: [(Bench, String)] = [
      (run(["join", "--fingerprint", other]), "the payload is of a server with another fingerprint: "),
      (run(["join", "--group", "lab"]), "the payload is for the group default"),
      (run(["join"], as: 1000), "only root may join a server or leave it"),
      (run(["join"], line: String(Self.payload().encoded.dropLast(7))), "this is not a machine payload: "),
      (run(["join"], payload: Self.payload(server: "https://h?x")), "this is not a machine payload: "),
      (run(["join"], payload: Self.payload(server: "https://h/{user}")), "this is not a machine payload: "),
      (run(["join"], line: "eyJ2IjoxfQ"), "this is not a machine payload: "),
      (
        run(
          ["join"],
          line: EnrolmentPayload(
            op: .registration, server: "https://h", username: "alice", authCode: "c0de", expires: 1
          ).encoded),
        "this is an enrolment code, by which a person registers, not a machine payload\nhint: 'uafctl register"
      ),
      (run(["join"], line: "00000-00000-00000-00000"), "this is an enrolment code, by which a person registers"),
    ]
    for (bench, note) in cases {
      expectUntouched(bench, note)
      #expect(bench.startedOwn.isEmpty)
    }
  }

  @Test func `if the core refuses to join, no file is changed`() {
    let refusal = Bench.failure(
      4, 1100, "The machine payload has expired.\nAsk the administrator for a new one.")
    let bench = run(["join"], core: [refusal])
    expectUntouched(bench, "The machine payload has expired. [1100]\nhint: Ask", .refused)
    #expect(dropIns == nil)
  }

  @Test func `if the core disappears during a join, no file is changed`() {
    expectUntouched(run(["join"], core: []), "", .unreachable)
    #expect(dropIns == nil)
  }

  @Test func `join refuses a machine that has joined another server or is configured for one`() {
    #expect(run(["join"]).exit == .success)
    let elsewhere = run(["join"], payload: Self.payload(server: "https://other.example"))
    #expect(elsewhere.notes.hasPrefix("uafctl: this machine has joined https://fido.example:8443/uaf/get\nhint: "))
    #expect(folder.content("pam_uaf.conf.d/50-server.conf").contains("fido.example"))
    for name in Self.names { folder.delete("pam_uaf.conf.d/" + name) }
    let server = "[server]\nrequest_url = 'https://o/uaf/get'\nresponse_url = 'https://o/uaf/respond'\n"
    _ = folder.file("pam_uaf.conf", Array(server.utf8), mode: 0o644)
    expectUntouched(run(["join"]), "the configuration names another server already: https://o/uaf/get")
  }

  @Test(arguments: [
    ("webauthn", "base_url = 'https://o/webauthn'"), ("privacyidea", "base_url = 'https://o'"),
    ("allauth", "base_url = 'https://o'\norigin = 'https://o'"), ("django-otp-webauthn", "base_url = 'https://o'"),
    ("glewlwyd", "base_url = 'https://o'"), ("flask-security", "base_url = 'https://o'"),
    (
      "plain",
      "request_url = 'https://fido.example:8443/uaf/get'\nresponse_url = 'https://fido.example:8443/uaf/respond'"
    ),
  ])
  func `join refuses a machine whose server has another dialect, and says so`(_ dialect: String, _ addresses: String) {
    _ = folder.file("pam_uaf.conf", Array("[server]\ndialect = '\(dialect)'\n\(addresses)\n".utf8), mode: 0o644)
    for locale in ["C", "ko_KR.UTF-8"] {
      let bench = run(["join"], locale: locale)
      #expect(bench.exit == .usage && bench.startedOwn.isEmpty && dropIns == nil, "\(bench.notes)")
      #expect(
        bench.notes.contains("dialect = \"\(dialect)\"") && bench.notes.contains("uafctl register"), "\(bench.notes)")
    }
  }

  @Test func `join refuses to overwrite a file of its name that an administrator wrote`() {
    _ = folder.folder("pam_uaf.conf.d", mode: 0o755)
    let own = "[server]\nrequest_url = 'https://o/uaf/get'\nresponse_url = 'https://o/uaf/respond'\n"
    _ = folder.file("pam_uaf.conf.d/50-server.conf", Array(own.utf8), mode: 0o644)
    #expect(run(["join"]).notes.contains("50-server.conf was not written by 'uafctl join'\n"))
    #expect(run(["leave"]).notes.contains("50-server.conf was not written by 'uafctl join'\n"))
    #expect(folder.content("pam_uaf.conf.d/50-server.conf") == own)
  }

  @Test func `join refuses an unusable configuration, and names its file`() {
    _ = folder.folder("pam_uaf.conf.d", mode: 0o755)
    _ = folder.file("pam_uaf.conf.d/90-rules.conf", Array("[passcode]\nmin = 9\n".utf8), mode: 0o644)
    let bench = run(["join"])
    expectUntouched(bench, "the configuration cannot be used: ")
    #expect(bench.notes.contains("\(main).d/90-rules.conf:2"))
  }

  @Test(.enabled(if: geteuid() == 0, "gives a file away"))
  func `join refuses a file of a different owner, and names it`() {
    _ = folder.folder("pam_uaf.conf.d", mode: 0o755)
    let other = folder.file("pam_uaf.conf.d/90-rules.conf", Array("[passcode]\nmin_length = 9\n".utf8), mode: 0o644)
    // SAFETY: the path lives for the call.
    #expect(unsafe chown(other, 65_534, 65_534) == 0)
    let bench = run(["join"])
    expectUntouched(bench, "the configuration cannot be used: ")
    #expect(bench.notes.contains("\(main).d/90-rules.conf") && bench.startedOwn.isEmpty)
    #expect(dropIns == ["90-rules.conf"])
  }

  @Test func `join refuses a drop-in folder that others can write, or that is a link`() {
    _ = folder.folder("pam_uaf.conf.d", mode: 0o777)
    expectUntouched(run(["join"]), "cannot write \(main).d")
    folder.delete("pam_uaf.conf.d")
    _ = folder.folder("elsewhere", mode: 0o755)
    folder.link("pam_uaf.conf.d", to: folder.path + "/elsewhere")
    #expect(run(["join"]).exit == .usage)
    #expect(folder.names("elsewhere").isEmpty)
  }

  @Test func `files that a killed join left do not prevent the next join`() {
    _ = folder.folder("pam_uaf.conf.d", mode: 0o755)
    _ = folder.folder("pam_uaf.conf.joining", mode: 0o700)
    _ = folder.folder("pam_uaf.conf.joining/pam_uaf.conf.d", mode: 0o700)
    _ = folder.file("pam_uaf.conf.joining/pam_uaf.conf", [0x5B], mode: 0o600)
    _ = folder.file("pam_uaf.conf.d/.50-server.conf.new", [0x5B], mode: 0o600)
    #expect(run(["join"]).exit == .success)
    #expect(dropIns == Self.names)
    #expect(!folder.names("").contains("pam_uaf.conf.joining"))
  }

  @Test func `join refuses while another join is running`() {
    _ = folder.folder("pam_uaf.conf.d", mode: 0o755)
    // SAFETY: the path lives for the call.
    let held = unsafe open(main + ".d", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(flock(held, LOCK_EX) == 0)
    expectUntouched(run(["join"]), "another 'uafctl join' or 'uafctl leave' works on")
    close(held)
  }

  // MARK: uafctl leave

  @Test func `leave removes what join wrote, and nothing else`() {
    #expect(run(["join"]).exit == .success)
    _ = folder.file("pam_uaf.conf.d/60-rules.conf", Array("[passcode]\nmin_length = 9\n".utf8), mode: 0o644)
    var left = Finished(pamCode: 0, result: 0)
    left.text = "Left the server."
    let bench = run(["leave"], core: [.finished(left)])
    #expect(bench.exit == .success && bench.notes == "uafctl: Left the server.\n", "\(bench.notes)")
    #expect(dropIns == ["60-rules.conf"])
  }

  @Test func `leave removes the files even if the core has joined no server`() {
    #expect(run(["join"]).exit == .success)
    let bench = run(["leave"], core: [Bench.failure(4, 1100, "This machine has not joined a server.")])
    #expect(bench.exit == .success && bench.notes == "uafctl: left\n")
    #expect(dropIns == [])
  }

  @Test func `leave keeps the files if the core has failed, and says so`() {
    #expect(run(["join"]).exit == .success)
    for (code, result) in [(UInt8(3), UInt32(1001)), (4, 1007), (9, 4001)] {
      let bench = run(["leave"], core: [Bench.failure(code, result, "It failed.")])
      #expect(bench.exit != .success && bench.notes.hasPrefix("uafctl: It failed."), "\(bench.notes)")
      #expect(dropIns == Self.names)
    }
  }

  @Test func `leave prints one JSON object that says how the machine left, or why it did not`() {
    let never = run(["leave", "--json"], core: [Bench.failure(4, 1100, "This machine has not joined a server.")])
    #expect(never.exit == .refused && never.notes == "" && never.output.hasPrefix(#"{"type":"failure","result":1100,"#))
    #expect(run(["join"]).exit == .success)
    let bench = run(["leave", "--json"], core: [Bench.failure(4, 1100, "This machine has not joined a server.")])
    #expect(bench.exit == .success && bench.notes == "")
    #expect(
      bench.output == #"{"type":"success","result":0,"name":"RESULT_SUCCESS","pamCode":0,"text":"left"}"# + "\n")
  }

  @Test func `leave refuses if there is nothing to leave, to anybody but root, and while services still ask pam_uaf`() {
    let bench = run(["leave"], core: [Bench.failure(4, 1100, "This machine has not joined a server.")])
    #expect(bench.exit == .refused && bench.notes.hasPrefix("uafctl: This machine has not joined a server. [1100]"))
    #expect(run(["join"]).exit == .success)
    #expect(run(["leave"], as: 1000).notes.hasPrefix("uafctl: only root may join a server or leave it\n"))
    _ = folder.folder("pam.d", mode: 0o755)
    _ = folder.file("pam.d/sudo", Array("auth required pam_uaf.so\n".utf8), mode: 0o644)
    #expect(run(["leave"]).notes.hasPrefix("uafctl: these services ask for the passcode"))
    #expect(dropIns == Self.names)
    #expect(run(["leave", "--force"]).exit == .success)
    #expect(dropIns == [])
  }

  @Test func `join and leave report in Korean`() {
    #expect(run(["join"], locale: "ko_KR.UTF-8").notes.hasPrefix("uafctl: https://fido.example:8443에 가입했습니다(그룹: "))
    let other = run(["join"], payload: Self.payload(server: "https://o"), locale: "ko_KR.UTF-8")
    #expect(other.notes.hasPrefix("uafctl: 이 컴퓨터는 이미 https://fido.example:8443/uaf/get에 가입했습니다\n도움말: "))
  }
}
