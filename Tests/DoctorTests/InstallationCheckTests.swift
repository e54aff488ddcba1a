import Glibc
import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor

@Suite struct InstallationCheckTests {
  private let machine = Machine()

  @Test func `doctor names the parts of the installation that only root can check`() {
    let examined = machine.doctor(as: 1000)
    #expect(examined.lines(about: "state") == ["skip state: \(machine.folder.path)/state : run it as root"])
    #expect(!examined.hasFailed)
  }

  // MARK: Programs

  @Test(arguments: [
    (mode_t(0o777), "has mode 777 : chmod 755 "), (0o775, "has mode 775 : chmod 755 "),
    (0o4755, "has mode 4755 : chmod 755 "), (0o644, "is not a program : reinstall "),
  ])
  func `doctor refuses a program that others can change, that has too many rights, or that is not a program`(
    mode: mode_t, text: String
  ) {
    machine.folder.setMode(mode, of: "libexec/uaf-helper")
    let examined = machine.doctor()
    #expect(examined.lines(about: "helper").first?.hasPrefix("FAIL ") == true)
    #expect(examined.lines(about: "helper").first?.contains(text) == true)
    #expect(examined.hasFailed)
  }

  @Test func `doctor refuses a program whose folder others can change, or that belongs to somebody else`() {
    machine.folder.setMode(0o777, of: "libexec")
    #expect(machine.doctor().lines(about: "fetch").first?.contains("/libexec has mode 777") == true)
    machine.installation.owner = geteuid() + 1
    #expect(machine.doctor().lines(about: "helper").first?.contains("belongs to uid") == true)
  }

  // MARK: State

  @Test(arguments: [
    ("state", mode_t(0o755), "has mode 755 : chmod 700 "), ("state/accounts", 0o750, "has mode 750 : chmod 700 "),
    ("state/device.key", 0o444, "has mode 444 : chmod 400 "),
  ])
  func `doctor refuses a state folder that others can read`(name: String, mode: mode_t, text: String) {
    machine.folder.setMode(mode, of: name)
    let examined = machine.doctor()
    #expect(examined.lines(about: "state").last?.hasPrefix("FAIL ") == true)
    #expect(examined.lines(about: "state").last?.contains("\(name) \(text)") == true)
    #expect(examined.hasFailed)
  }

  @Test(arguments: ["state", "state/slots", "state/accounts/1000.db"])
  func `doctor refuses a state folder that a file attribute keeps even root from changing`(name: String) {
    _ = machine.folder.file("state/accounts/1000.db", [1], mode: 0o600)
    let path = "\(machine.folder.path)/\(name)"
    #expect(!machine.has(.stateFixed))
    machine.installation.isFixed = { $0 == path }
    let lines = machine.doctor().lines(about: "state")
    #expect(
      lines.contains {
        $0.hasPrefix("FAIL state: \(path) has the attribute i or a")
          && $0.hasSuffix(": chattr -ia \(path) [state-fixed]")
      }, "\(lines)")
    #expect(!lines.contains("ok   state: \(path)"))
    // Existing files can be written, whatever the attribute of their folder is.
    #expect(lines.contains { $0.contains(" is refused") && $0.contains(path) } == !name.hasSuffix("state"), "\(lines)")
  }

  @Test(arguments: [StorageShortage.files, .room], ["", "/accounts", "/slots"])
  func `doctor reports a file system that accepts no new file, and only once for all folders on it`(
    shortage: StorageShortage, part: String
  ) {
    let state = machine.folder.path + "/state"
    #expect(!machine.has(.stateFull))
    machine.installation.shortage = { $0 == state + part ? shortage : nil }
    let word = shortage == .files ? "has no free inode: " : "is full: "
    let lines = machine.doctor().lines(about: "state")
    #expect(
      lines.contains {
        $0.hasPrefix("FAIL state: the file system of \(state + part) " + word) && $0.hasSuffix("[state-full]")
      },
      "\(lines)")
    #expect(!lines.contains("ok   state: \(state + part)"))
    machine.installation.shortage = { _ in shortage }
    #expect(machine.doctor().lines(about: "state").filter { $0.hasSuffix("[state-full]") }.count == 1)
  }

  @Test func `the folders of this machine accept new files`() {
    #expect(StorageShortage.at(machine.folder.path) == nil && StorageShortage.at("/nonexistent") == nil)
  }

  @Test(arguments: ["accounts", "slots", "accounts/1000.db", "slots/0"])
  func `doctor refuses a part of the state folder that is on a separate read-only mount`(name: String) {
    for name in ["accounts/1000.db", "slots/0"] { _ = machine.folder.file("state/" + name, [1], mode: 0o600) }
    let path = "\(machine.folder.path)/state/\(name)"
    #expect(!machine.has(.stateReadOnly))
    // Attempts are not written there.
    machine.installation.isReadOnly = { $0.hasSuffix(".made") }
    _ = machine.folder.file("state/accounts/1000.made", [1], mode: 0o600)
    #expect(!machine.has(.stateReadOnly))
    machine.installation.isReadOnly = { $0.hasPrefix(path) }
    let lines = machine.doctor().lines(about: "state").filter { $0.contains("mounted read-only") }
    #expect(lines.count == 1 && lines.first?.hasPrefix("FAIL state: \(path) is on a file system") == true, "\(lines)")
    #expect(lines.first?.contains(" refused : mount -o remount,rw ") == true, "\(lines)")
    #expect(!machine.doctor().lines(about: "state").contains("ok   state: \(path)"))
  }

  @Test func `if the device key is missing, doctor says how to make one`() {
    machine.folder.delete("state/device.key")
    let line = machine.doctor().lines(about: "state").last
    #expect(
      line
        == "FAIL state: \(machine.folder.path)/state/device.key: No such file or directory : uafctl init [state-missing]"
    )
  }

  @Test func `if a device key is missing that accounts need, doctor names the backup and the recovery key first`() {
    machine.folder.delete("state/device.key")
    _ = machine.folder.file("state/accounts/1000.db", [1], mode: 0o600)
    let key = "FAIL state: \(machine.folder.path)/state/device.key is lost, and the accounts of this machine need it"
    let anew = "; without it every account has to be registered anew [state-missing]"
    #expect(
      machine.doctor().lines(about: "state").last == "\(key) : restore it from a backup of the folder\(anew)")
    _ = machine.folder.file("state/device.recovery", [1], mode: 0o400)
    #expect(
      machine.doctor().lines(about: "state").last
        == "\(key) : restore it from a backup of the folder, or run uafctl recover with the recovery key\(anew)")
  }

  @Test func `doctor refuses a device key that was cut or has other contents`() {
    let key = "state/device.key"
    machine.folder.delete(key)
    _ = machine.folder.file(key, [UInt8](repeating: 7, count: 31), mode: 0o400)
    #expect(machine.doctor().lines(about: "state").last?.contains("is not one file of 32 bytes") == true)
    machine.folder.delete(key)
    machine.folder.link(key, to: "/dev/zero")
    #expect(machine.doctor().lines(about: "state").last?.contains("is something else") == true)
  }

  // MARK: Configuration

  @Test func `doctor names file, line and key of a mistake in the configuration`() {
    let machine = Machine(configuration: "[server]\nrequest_urll = \"https://x/\"\n")
    let examined = machine.doctor()
    let lines = examined.lines(about: "configuration")
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("FAIL configuration: \(machine.folder.path)/pam_uaf.conf:2: ") == true)
    #expect(lines.first?.contains("request_urll") == true)
    #expect(machine.requests.isEmpty)
  }

  @Test func `doctor warns of each configuration key without an effect, and of no other`() {
    let machine = Machine(
      configuration: """
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

        """)
    let examined = machine.doctor()
    let told = examined.lines(about: "configuration").filter { $0.contains("has no effect") }
    let subjects = ["general.offline_max_age", "service.login.offline_max_age"]
    #expect(
      told
        == subjects.map {
          "warn configuration: \($0) has no effect in this version : leave it out, and rely on nothing it says "
            + "[configuration-no-effect]"
        })
    #expect(!examined.hasFailed)
  }

  @Test func `doctor says that a face alone is weaker, and names the keys without which nobody can register one`() {
    func told(_ face: String) -> [String] {
      let machine = Machine(
        configuration: "authenticators = [\"passcode\", \"face\"]\n\(Machine.configuration)\n\(face)\n")
      return machine.doctor().lines(about: "configuration").filter { $0.contains("[face-") }
    }
    #expect(told("").count == 2 && told("").allSatisfy { $0.hasSuffix("[face-incomplete]") })
    let complete = "[face]\nbus_name = \"org.example.Face\"\ntemplates = \"/var/lib/face\""
    #expect(told(complete).isEmpty)
    #expect(told("\(complete)\nalone = true").map { $0.hasSuffix("[face-alone]") } == [true])
    let unbound = "[face]\nbus_name = \"org.example.Face\"\n[biometric]\ninvalidate_on_new_biometrics = false"
    #expect(told(unbound).isEmpty)
  }

  @Test func `doctor refuses a configuration file that others can write`() {
    machine.folder.setMode(0o666, of: "pam_uaf.conf")
    #expect(machine.doctor().lines(about: "configuration").first?.contains("chmod go-w it") == true)
  }

  @Test func `doctor reports a configuration without a server as a failure, with a remedy`() {
    let machine = Machine(configuration: "")
    #expect(
      machine.doctor().lines(about: "configuration").last
        == "FAIL configuration: \(machine.folder.path)/pam_uaf.conf names no server : write [server], or uafctl trust "
        + "--code FILE [configuration-no-server]")
  }
}
