import Glibc
import Testing
import ToolTestSupport

@testable import PAMStacks
@testable import Doctor

@Suite struct SSHCheckTests {
  private let machine = Machine()
  private static let good = "UsePAM yes\nKbdInteractiveAuthentication yes\nPasswordAuthentication no\n"

  init() { machine.service("sshd", "auth required pam_uaf.so\nauth required pam_unix.so") }

  /// The names of what is found for an sshd_config.
  private func found(_ text: String) -> [FindingID] {
    SSHCheck(settings: SSHSettings(text), reader: PAMDirectory(path: machine.pam)).findings().compactMap(\.id)
  }

  @Test(arguments: [
    good, "usepam yes\nkbdinteractiveauthentication yes\npasswordauthentication no\nauthenticationmethods any\n",
    good + "AuthenticationMethods publickey,keyboard-interactive:pam\n",
    good + "AuthenticationMethods \"keyboard-interactive publickey\"\n",
    // A password is in no list, whatever PasswordAuthentication says.
    good.replacing("PasswordAuthentication no", with: "AuthenticationMethods publickey,keyboard-interactive:pam"),
    "UsePAM=yes # as ever\nChallengeResponseAuthentication yes\nPasswordAuthentication\tno\nPasswordAuthentication yes\n",
    good + "Match User bob\nPasswordAuthentication yes\nPubkeyAuthentication no\n",
  ])
  func `has nothing to say where the question is shown and a key is taken`(text: String) {
    #expect(found(text) == [])
  }

  @Test(arguments: [
    (good.replacing("UsePAM yes", with: "UsePAM no"), FindingID.sshUsePAM),
    (good.replacing("UsePAM yes", with: ""), .sshUsePAM),
    (
      good.replacing("KbdInteractiveAuthentication yes", with: "kbdinteractiveauthentication NO"),
      .sshKeyboardInteractive
    ),
    (good.replacing("PasswordAuthentication no", with: ""), .sshPassword),
    (good.replacing("PasswordAuthentication no", with: "Match User x\nPasswordAuthentication no"), .sshPassword),
    ("PubkeyAuthentication no\n" + good, .sshPublicKey),
    (good + "AuthenticationMethods publickey\n", .sshKeyboardInteractive),
    (good + "AuthenticationMethods publickey,keyboard-interactive:bsdauth\n", .sshKeyboardInteractive),
    (
      good.replacing(
        "PasswordAuthentication no", with: "AuthenticationMethods publickey,password keyboard-interactive"),
      .sshPassword
    ),
    (good + "AuthenticationMethods keyboard-interactive\n", .sshPublicKey),
    (good + "AuthenticationMethods keyboard-interactive,publickey\n", .sshPublicKey),
  ])
  func `tells what keeps the question or the key away`(text: String, id: FindingID) {
    #expect(found(text) == [id])
  }

  @Test(arguments: [
    ("any", SSHText.fine), ("publickey keyboard-interactive", .fine),
    ("publickey,publickey keyboard-interactive:pam", .fine),
    ("publickey,keyboard-interactive:pam", .both), ("publickey,keyboard-interactive", .both),
    ("publickey,keyboard-interactive keyboard-interactive:pam", .either),
    ("publickey,keyboard-interactive:pam password,keyboard-interactive", .either),
  ])
  func `says whether a public key is enough`(methods: String, text: SSHText) {
    let settings = SSHSettings(Self.good + "AuthenticationMethods \(methods)\n")
    #expect(SSHCheck(settings: settings, reader: PAMDirectory(path: machine.pam)).findings() == [.ok(text)])
  }

  @Test func `asks nothing of an sshd whose stack does not ask for the passcode, or that is not there`() {
    machine.service("sshd", "auth required pam_unix.so")
    #expect(found("UsePAM no\n") == [])
    machine.service("sshd", "auth required pam_uaf.so")
    #expect(SSHCheck(settings: nil, reader: PAMDirectory(path: machine.pam)).findings() == [])
  }

  @Test func `takes sshd's own word, which it gives to root`() {
    let program = machine.folder.file("sshd", [1], mode: 0o755)
    let file = machine.folder.file("sshd_config", Array("UsePAM no\n".utf8), mode: 0o644)
    machine.installation.sshPaths = (program, file)
    machine.outputs[program] = Self.good
    #expect(!machine.has(.sshUsePAM))
    #expect(machine.ran.contains([program, "-T", "-f", file]))
    #expect(machine.has(.sshUsePAM, as: 1000))
    machine.outputs[program] = nil
    #expect(machine.has(.sshUsePAM))
    machine.folder.delete("sshd")
    #expect(!machine.has(.sshUsePAM))
  }

  @Test func `follows what the configuration includes, the first about something first`() {
    let program = machine.folder.file("sshd", [1], mode: 0o755)
    _ = machine.folder.folder("sshd_config.d", mode: 0o755)
    _ = machine.folder.file("sshd_config.d/10.conf", Array("UsePAM yes\nMatch User x\nUsePAM no\n".utf8), mode: 0o644)
    _ = machine.folder.file("sshd_config.d/20.conf", Array("PasswordAuthentication no\n".utf8), mode: 0o644)
    _ = machine.folder.file("sshd_config.d/30.old", Array("PubkeyAuthentication no\n".utf8), mode: 0o644)
    let text =
      "Include sshd_config.d/*.conf /nonexistent/*.conf\nUsePAM no\nPasswordAuthentication yes\nInclude sshd_config\n"
    let file = machine.folder.file("sshd_config", Array(text.utf8), mode: 0o644)
    let settings = SSHConfiguration(program: program, file: file, output: { _, _ in nil }).settings(isRoot: true)
    #expect(settings?.usesPAM == true && settings?.takesPasswords == false && settings?.takesKeyAlone == true)
  }
}
