import Glibc
import Testing
import UAFWire

@testable import UAFTool

@Suite struct DoctorTests {
  private let machine = Machine()

  @Test func `finds nothing wrong where nothing is`() {
    let listener = Listener(machine.installation.socketPath)
    machine.service("sudo", "auth sufficient pam_uaf.so\n@include common-auth")
    machine.service("common-auth", "auth required pam_unix.so")
    let path = machine.folder.path
    let bench = machine.doctor()
    #expect(
      bench.output == """
        ok   helper: \(path)/libexec/uaf-helper, 3 bytes
        ok   fetch: \(path)/libexec/uaf-fetch, 4 bytes
        ok   kernel: Landlock 3, seccomp, network namespaces
        ok   clock: set, and this start of the machine has its number
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
        ok   pam: \(path)/pam.d/sudo: another way in stands behind it
        ok   server: https://fido.example.com:443 answers (status 200), its certificate is trusted, for 100 more days
        ok   clock: as at https://fido.example.com:443
        ok   server: server.request_url answers as a UAF server does
        ok   facet: linux:pam-module:pam_uaf, which the server takes
        ok   server: server.response_url answers as a UAF server does

        """)
    #expect(bench.exit == .success)
    #expect(bench.notes == "" && bench.startedOwn == [false])
    _ = consume listener
  }

  @Test func `says what is missing, and fails`() {
    let bench = Bench(["doctor", "--conf", "/nonexistent", "--pam-directory", "/nonexistent"], as: 0)
    #expect(
      bench.output == """
        FAIL helper: /nonexistent: No such file or directory : reinstall the libpam-uaf package [program-missing]
        FAIL fetch: /nonexistent: No such file or directory : reinstall the libpam-uaf package [program-missing]
        ok   kernel: Landlock 3, seccomp, network namespaces
        ok   clock: set, and this start of the machine has its number
        ok   log: /dev/log takes lines
        warn socket: /nonexistent: No such file or directory; only root's programs reach the core : systemctl \
        enable --now pam-uaf.socket, where there is systemd [socket-missing]
        FAIL core: the core ended before it said how it went : the log (authpriv) says more; uafctl doctor checks the \
        installation [core-silent]
        FAIL configuration: /nonexistent: there is no such file: create it, or correct the path : correct it; until \
        then nobody can log in [configuration-unusable]
        skip state: only the configuration says where it is : correct the configuration first
        FAIL pam: /nonexistent cannot be read : name the folder with --pam-directory [pam-folder]

        """)
    #expect(bench.exit == .refused)
  }

  @Test func `shows what fails in red, where there are colours`() {
    machine.server = nil
    let bench = machine.doctor(colours: true)
    #expect(bench.output.hasPrefix("ok   helper: "))
    #expect(
      bench.output.hasSuffix(
        "\u{1B}[31mFAIL server: https://fido.example.com:443: uaf-fetch did not do its work : the log says why; "
          + "reinstall the libpam-uaf package [server-unreachable]\u{1B}[0m\n"))
  }

  @Test func `says what only root can look at`() {
    let bench = machine.doctor(as: 1000)
    #expect(Machine.lines(bench, about: "state") == ["skip state: \(machine.folder.path)/state : run it as root"])
    #expect(bench.exit == .success)
  }

  @Test func `refuses to take a configuration from anybody but root`() {
    let bench = Bench(["doctor", "--conf", "/etc/x.conf"])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: only root may choose the configuration (--conf)\n"))
  }

  // MARK: Programs

  @Test(arguments: [
    (mode_t(0o777), "has mode 777 : chmod 755 "), (0o775, "has mode 775 : chmod 755 "),
    (0o4755, "has mode 4755 : chmod 755 "), (0o644, "is no program : reinstall "),
  ])
  func `refuses a program that others may change, that has more rights, or that is none`(mode: mode_t, text: String) {
    machine.folder.setMode(mode, of: "libexec/uaf-helper")
    let bench = machine.doctor()
    #expect(Machine.lines(bench, about: "helper").first?.hasPrefix("FAIL ") == true)
    #expect(Machine.lines(bench, about: "helper").first?.contains(text) == true)
    #expect(bench.exit == .refused)
  }

  @Test func `refuses a program whose folder others may change, or that is somebody else's`() {
    machine.folder.setMode(0o777, of: "libexec")
    #expect(Machine.lines(machine.doctor(), about: "fetch").first?.contains("/libexec has mode 777") == true)
    machine.installation.owner = geteuid() + 1
    #expect(Machine.lines(machine.doctor(), about: "helper").first?.contains("belongs to uid") == true)
  }

  // MARK: State

  @Test(arguments: [
    ("state", mode_t(0o755), "has mode 755 : chmod 700 "), ("state/accounts", 0o750, "has mode 750 : chmod 700 "),
    ("state/device.key", 0o444, "has mode 444 : chmod 400 "),
  ])
  func `refuses state that others may read`(name: String, mode: mode_t, text: String) {
    machine.folder.setMode(mode, of: name)
    let bench = machine.doctor()
    #expect(Machine.lines(bench, about: "state").last?.hasPrefix("FAIL ") == true)
    #expect(Machine.lines(bench, about: "state").last?.contains("\(name) \(text)") == true)
    #expect(bench.exit == .refused)
  }

  @Test func `says how a missing key is made`() {
    machine.folder.delete("state/device.key")
    let line = Machine.lines(machine.doctor(), about: "state").last
    #expect(
      line
        == "FAIL state: \(machine.folder.path)/state/device.key: No such file or directory : uafctl init [state-missing]"
    )
  }

  @Test func `refuses a key that was cut, or that is something else`() {
    let key = "state/device.key"
    machine.folder.delete(key)
    _ = machine.folder.file(key, [UInt8](repeating: 7, count: 31), mode: 0o400)
    #expect(Machine.lines(machine.doctor(), about: "state").last?.contains("is not one file of 32 bytes") == true)
    machine.folder.delete(key)
    machine.folder.link(key, to: "/dev/zero")
    #expect(Machine.lines(machine.doctor(), about: "state").last?.contains("is something else") == true)
  }

  // MARK: Configuration

  @Test func `names file, line and key of a mistake`() {
    let machine = Machine(configuration: "[server]\nrequest_urll = \"https://x/\"\n")
    let bench = machine.doctor()
    let lines = Machine.lines(bench, about: "configuration")
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("FAIL configuration: \(machine.folder.path)/pam_uaf.conf:2: ") == true)
    #expect(lines.first?.contains("request_urll") == true)
    #expect(machine.requests.isEmpty)
  }

  @Test func `warns of each key that has no effect yet, and of no other`() {
    let machine = Machine(
      configuration: """
        authenticators = ["passcode", "face", "fingerprint"]
        \(Machine.configuration)
        [general]
        offline_max_age = 3600
        [service.login]
        offline = "deny"
        offline_max_age = 60
        [service.sudo]
        language = "ko"
        offline = "deny"
        [passcode.lock]
        retry_count_to_lock = 3
        [biometric.lock]
        retry_count_to_lock = 3

        """)
    let bench = machine.doctor()
    let told = Machine.lines(bench, about: "configuration").filter { $0.contains("has no effect") }
    let subjects = [
      "fingerprint in authenticators", "face in authenticators", "biometric.lock", "general.offline_max_age",
      "service.login.offline_max_age",
    ]
    #expect(
      told
        == subjects.map {
          "warn configuration: \($0) has no effect in this version : leave it out, and rely on nothing it says "
            + "[configuration-no-effect]"
        })
    #expect(bench.exit == .success)
  }

  @Test func `refuses a configuration that others may write`() {
    machine.folder.setMode(0o666, of: "pam_uaf.conf")
    #expect(Machine.lines(machine.doctor(), about: "configuration").first?.contains("chmod go-w it") == true)
  }

  @Test func `a configuration without a server lets nobody in`() {
    let machine = Machine(configuration: "")
    #expect(
      Machine.lines(machine.doctor(), about: "configuration").last
        == "FAIL configuration: \(machine.folder.path)/pam_uaf.conf names no server : write [server], or uafctl trust "
        + "--code FILE [configuration-no-server]")
  }
}
