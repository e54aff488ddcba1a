import PAMStacks

/// What sshd does with a stack that asks for the passcode.
struct SSHCheck {
  /// Nil if there is no sshd, or its settings cannot be read.
  let settings: SSHSettings?
  let reader: PAMDirectory

  func findings() -> [Finding] {
    guard let settings, reader.authentication(of: "sshd").contains(where: \.asksOwnModule) else { return [] }
    var findings: [Finding] = []
    if !settings.usesPAM {
      findings.append(.failure(.sshUsePAM, SSHText.usePAM))
    }
    if !settings.isKeyboardInteractive {
      findings.append(.warning(.sshKeyboardInteractive, SSHText.keyboardInteractive))
    } else if settings.leavesQuestionsOut {
      findings.append(.warning(.sshKeyboardInteractive, SSHText.methods))
    }
    if settings.takesPasswords {
      findings.append(.warning(.sshPassword, SSHText.password))
    }
    if !settings.takesKeyFirst { findings.append(.warning(.sshPublicKey, SSHText.publicKey)) }
    guard findings.isEmpty else { return findings }
    return [.ok(settings.takesKeyAlone ? SSHText.fine : SSHText.both)]
  }
}
