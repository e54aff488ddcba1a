import Glibc
import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor
@testable import UAFTool

/// What `uafctl doctor` reports, and what it asks the core.
@Suite struct DoctorCommandTests {
  private let machine = Machine()

  private func state(_ state: Int, of name: String) -> Finished {
    Machine.finished(Machine.document(Machine.authenticator(state: state), name: name))
  }

  private func lines() -> [String] { Machine.lines(machine.doctor(), about: "accounts") }

  @Test func `doctor finds nothing wrong on a correct machine`() {
    let listener = Listener(machine.installation.socketPath)
    machine.service("sudo", "auth sufficient pam_uaf.so\n@include common-auth")
    machine.service("common-auth", "auth required pam_unix.so")
    let path = machine.folder.path
    let bench = machine.doctor()
    #expect(
      bench.output == """
        ok   helper: \(path)/libexec/uaf-helper, 3 bytes
        ok   fetch: \(path)/libexec/uaf-fetch, 4 bytes
        ok   kernel: Landlock 3, seccomp, network namespaces; no AppArmor
        ok   clock: set, and this boot of the machine has an ID
        ok   log: /dev/log takes lines
        ok   socket: \(path)/helper.sock is served
        ok   core: answers
        ok   account: alice: passcode (5541#0001): available
        ok   configuration: \(path)/pam_uaf.conf
        ok   state: \(path)/state
        ok   state: \(path)/state/accounts
        ok   state: \(path)/state/slots
        ok   state: \(path)/state/device.key
        ok   accounts: 0 registered, none locked or damaged
        ok   pam: \(path)/libexec/pam_uaf.so
        ok   pam: \(path)/pam.d/sudo: a line after pam_uaf's is another way in
        ok   server: https://fido.example.com:443 answers (status 200), its certificate is trusted, for 100 more days
        ok   clock: agrees with that of https://fido.example.com:443
        ok   server: server.request_url answers as a UAF server does
        ok   facet: linux:pam-module:pam_uaf, which the server takes
        ok   server: server.response_url answers as a UAF server does

        """)
    #expect(bench.exit == .success)
    #expect(bench.notes == "" && bench.startedOwn == [false])
    _ = consume listener
  }

  @Test func `doctor says what is missing, and fails`() {
    let bench = Bench(["doctor", "--conf", "/nonexistent", "--pam-directory", "/nonexistent"], as: 0)
    #expect(
      bench.output == """
        FAIL helper: /nonexistent: No such file or directory : reinstall the libpam-uaf package [program-missing]
        FAIL fetch: /nonexistent: No such file or directory : reinstall the libpam-uaf package [program-missing]
        ok   kernel: Landlock 3, seccomp, network namespaces; no AppArmor
        ok   clock: set, and this boot of the machine has an ID
        ok   log: /dev/log takes lines
        warn socket: /nonexistent: No such file or directory; only root's programs reach the core : systemctl \
        enable --now pam-uaf.socket, where there is systemd [socket-missing]
        FAIL core: the core ended before it said how it went : the log (authpriv) says more [core-silent]
        FAIL configuration: /nonexistent: there is no such file: create it, or correct the path : correct it; until \
        then nobody can log in [configuration-unusable]
        skip state: only the configuration says where it is : correct the configuration first
        FAIL pam: /nonexistent cannot be read : name the folder with --pam-directory [pam-folder]

        """)
    #expect(bench.exit == .refused)
  }

  @Test func `doctor shows failures in red if the terminal has colours`() {
    machine.server = nil
    let bench = machine.doctor(colours: true)
    #expect(bench.output.hasPrefix("ok   helper: "))
    #expect(
      bench.output.hasSuffix(
        "\u{1B}[31mFAIL server: https://fido.example.com:443: uaf-fetch did not do its work : the log says why; "
          + "reinstall the libpam-uaf package [server-unreachable]\u{1B}[0m\n"))
  }

  @Test func `doctor accepts a different configuration only from root`() {
    let bench = Bench(["doctor", "--conf", "/etc/x.conf"])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: only root may choose the configuration (--conf)\n"))
  }

  @Test func `a failure makes doctor fail, and a warning does not, with JSON as without`() throws {
    let whole = WholeMachine()
    #expect(whole.machine.doctor("--json").exit == .success)
    whole.machine.facts.isSynchronised = false
    let warned = whole.machine.doctor("--json")
    #expect(warned.exit == .success && warned.output.contains(#""failed":false"#))
    #expect(warned.output.hasSuffix("}\n") && warned.output.split(separator: "\n").count == 1)
    whole.machine.folder.delete("libexec/uaf-helper")
    let failed = whole.machine.doctor("--json")
    #expect(failed.exit == .refused && failed.output.contains(#""failed":true"#))
    #expect(failed.output.hasPrefix(#"{"version":""#))
  }

  // MARK: The core

  @Test func `doctor fails if the core does not answer or has a different version`() {
    machine.document = nil
    #expect(machine.has(.coreSilent))
    machine.document = "{}"
    #expect(machine.has(.coreSilent))
    machine.document = Machine.document(Machine.passcode, version: "0.0.1")
    #expect(machine.has(.coreVersion) && !machine.has(.coreSilent))
  }

  @Test func `doctor fails with the core's own text if the core refuses`() {
    let core = FakeCore([Bench.failure(3, 1001, "line 3: no such key")])
    let bench = Bench(
      ["doctor", "--pam-directory", machine.pam], as: 0, core: core, installation: machine.installation)
    #expect(bench.output.contains("FAIL core: the configuration cannot be used: line 3: no such key : "))
  }

  @Test func `doctor reports in Korean, once, what the core says about the configuration`() {
    let text = "설정을 사용할 수 없습니다: /etc/security/pam_uaf.conf. 이유는 로그(authpriv)에 있습니다"
    let core = FakeCore([Bench.failure(3, 1001, text)])
    let bench = Bench(
      ["doctor", "--pam-directory", machine.pam], as: 0, core: core, locale: "ko_KR.UTF-8",
      installation: machine.installation)
    #expect(bench.output.contains("FAIL 코어: \(text) : "), "\(bench.output)")
  }

  @Test(arguments: [(UInt8(7), UInt32(1001)), (11, 3014)])
  func `doctor reports an unusable account with the text of a login, without its advice to run doctor`(
    _ pamCode: UInt8, _ result: UInt32
  ) {
    let core = FakeCore([Bench.failure(pamCode, result, "This account's name has changed.\nAsk the administrator.")])
    let bench = Bench(["doctor", "--pam-directory", machine.pam], core: core, installation: machine.installation)
    #expect(bench.output.contains("ok   core: answers"))
    #expect(
      bench.output.contains(
        "FAIL account: This account's name has changed. : Ask the administrator. [account-damaged]"), "\(bench.output)")
    #expect(!bench.output.contains("[core-silent]"))
  }

  @Test func `doctor tells a person who cannot reach the core's socket so once`() {
    let core = FakeCore(refusing: .core(.absent(ENOENT)))
    let bench = Bench(["doctor", "--pam-directory", machine.pam], core: core, installation: machine.installation)
    #expect(bench.output.contains("skip core: cannot reach the core"))
  }

  @Test func `doctor asks the core about each account that has a file, and about no other`() {
    machine.register(1000, state(3006, of: "alice"))
    machine.register(1001, state(3006, of: "bob"))
    _ = machine.folder.file("state/accounts/1000.db-journal", [], mode: 0o600)
    _ = machine.folder.file("state/accounts/.1001.new", [], mode: 0o600)
    let bench = machine.doctor()
    #expect(Machine.lines(bench, about: "accounts") == ["ok   accounts: 2 registered, none locked or damaged"])
    // The first connection is about the caller itself.
    #expect(bench.startedOwn.count == 3)
  }

  @Test func `if the core answers nobody, doctor blames no account, and advises nobody to forget one`() {
    var end = Finished(pamCode: 4, result: 1007)
    end.text = "FIDO cannot be used on this machine."
    machine.register(1001, end)
    #expect(lines().first?.hasPrefix("skip accounts: the core cannot be asked: the core cannot work: ") == true)
    #expect(!machine.doctor().output.contains("forget"))
  }
}
