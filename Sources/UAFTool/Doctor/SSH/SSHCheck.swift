/// What sshd makes of a stack that asks for the passcode.
struct SSHCheck {
  /// Nil where there is no sshd, or it does not say.
  let settings: SSHSettings?
  let reader: PAMDirectory

  func findings() -> [Finding] {
    guard let settings, reader.authentication(of: "sshd").contains(where: \.asksOwnModule) else { return [] }
    var findings: [Finding] = []
    if !settings.usesPAM {
      findings.append(
        .failure(
          .sshUsePAM, "ssh: UsePAM is no: sshd never asks for the passcode", do: "UsePAM yes in sshd_config"))
    }
    if !settings.isKeyboardInteractive {
      findings.append(
        .warning(
          .sshKeyboardInteractive, "ssh: KbdInteractiveAuthentication is no: nobody is shown the question",
          do: "KbdInteractiveAuthentication yes in sshd_config"))
    }
    if settings.takesPasswords {
      findings.append(
        .warning(
          .sshPassword, "ssh: PasswordAuthentication is yes: it shows no question, and one string answers all of them",
          do: "PasswordAuthentication no in sshd_config"))
    }
    if !settings.takesPublicKeys || !settings.beginsWithPublicKey {
      findings.append(
        .warning(
          .sshPublicKey, "ssh: nobody gets in by a public key first: no way in is left when the passcode is refused",
          do: "PubkeyAuthentication yes in sshd_config, and publickey first in AuthenticationMethods"))
    }
    return findings.isEmpty ? [.ok("ssh: the question is shown, and a public key is another way in")] : findings
  }
}
