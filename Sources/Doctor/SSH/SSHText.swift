import Wording

/// What doctor says of sshd in front of a stack that asks for the passcode.
enum SSHText: FindingCatalogue, Equatable {
  case usePAM
  case keyboardInteractive
  case password
  case publicKey
  case fine
  /// A key and the passcode are asked for.
  case both
  /// PAM's questions are in no list of methods.
  case methods

  var english: FindingText {
    switch self {
    case .usePAM:
      FindingText("ssh: UsePAM is no: sshd never asks for the passcode", do: "UsePAM yes in sshd_config")
    case .keyboardInteractive:
      FindingText(
        "ssh: KbdInteractiveAuthentication is no: nobody is shown the question; people type the passcode at \"password:\"",
        do: "KbdInteractiveAuthentication yes in sshd_config")
    case .password:
      FindingText(
        "ssh: PasswordAuthentication is yes: it shows no question, and one string answers all of them",
        do: "PasswordAuthentication no in sshd_config")
    case .publicKey:
      FindingText(
        "ssh: nobody gets in by a public key first: no way in is left when the passcode is refused",
        do: "PubkeyAuthentication yes in sshd_config, and publickey first in AuthenticationMethods")
    case .fine: FindingText("ssh: the question is shown, and a public key is another way in")
    case .both:
      FindingText("ssh: a public key and then the question: where the passcode is refused, only uaf-rescue gets in")
    case .methods:
      FindingText(
        "ssh: AuthenticationMethods has no keyboard-interactive: nobody is asked for the passcode",
        do: "'AuthenticationMethods publickey keyboard-interactive:pam', or with a comma for both")
    }
  }

  var korean: FindingText {
    switch self {
    case .usePAM: FindingText("ssh: UsePAM이 no이므로 sshd가 패스코드를 묻지 않습니다", do: "sshd_config에 'UsePAM yes'")
    case .keyboardInteractive:
      FindingText(
        "ssh: KbdInteractiveAuthentication이 no이므로 질문이 표시되지 않고 'password:'에 패스코드를 입력해야 합니다",
        do: "sshd_config에 'KbdInteractiveAuthentication yes'")
    case .password:
      FindingText(
        "ssh: PasswordAuthentication이 yes이므로 질문이 표시되지 않고 문자열 하나가 모든 질문의 답이 됩니다",
        do: "sshd_config에 'PasswordAuthentication no'")
    case .publicKey:
      FindingText(
        "ssh: 공개 키만으로 먼저 들어올 수 없어, 패스코드가 거부되면 들어올 길이 없습니다",
        do: "sshd_config에 'PubkeyAuthentication yes', AuthenticationMethods의 첫 항목은 publickey")
    case .fine: FindingText("ssh: 질문이 표시되고, 공개 키로도 들어올 수 있습니다")
    case .both:
      FindingText("ssh: 공개 키 다음에 질문합니다. 패스코드가 거부되면 uaf-rescue만 들어올 수 있습니다")
    case .methods:
      FindingText(
        "ssh: AuthenticationMethods에 keyboard-interactive가 없어 아무에게도 패스코드를 묻지 않습니다",
        do: "'AuthenticationMethods publickey keyboard-interactive:pam', 둘 다 요구하려면 쉼표로 이으십시오")
    }
  }
}
