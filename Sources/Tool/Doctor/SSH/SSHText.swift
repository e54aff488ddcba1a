import PAMStacks
import Wording

/// Doctor's texts about sshd in front of a stack that asks for the passcode.
enum SSHText: FindingCatalogue, Equatable, Sendable {
  case usePAM
  case keyboardInteractive
  /// In front of a second factor: one string answers the password and the passcode, so nobody gets in.
  case oneAnswer
  /// sshd shows neither PAM's prompts nor a prompt for a password.
  case neverAsked
  case password
  /// No list of methods begins with a key; with whether the rescue group can log in.
  case publicKey(Bool)
  /// sshd looks for public keys nowhere; with whether the rescue group can log in.
  case noKeys(Bool)
  case fine
  /// A key and the passcode are asked for; with whether the stack leads the rescue group past the passcode.
  case both(Bool)
  /// Some lists of methods have a key and the passcode, and some the passcode without a key.
  case either(Bool)
  /// No list of methods has PAM's prompts (`keyboard-interactive`) or a password.
  case methods
  /// A list of methods has a password, and none has PAM's prompts.
  case methodsPassword
  /// Lists of methods have a password, and others have PAM's prompts.
  case methodsWithPassword
  /// Methods other than keys, each of which is enough, and asks for nothing.
  case unasked([String])
  /// Every list of methods has a method that is switched off.
  case noMethods
  /// A setting that ends every connection.
  case refusesAll(String)
  /// A setting that ends a session as soon as it begins.
  case noSession(String)
  /// A setting that gives a session something other than a shell of this machine.
  case noShell(String)
  /// A setting that leaves a session without a terminal.
  case noTerminal(String)
  /// A setting that ends a connection before a person has typed something.
  case haste(String)
  /// sshd can use no key of the host.
  case noHostKey(String)
  /// People that a pattern denies.
  case hit([String])
  /// A list that denies everybody.
  case deniesAll(String)
  /// A list that denies everybody whom this machine knows.
  case deniesKnown(String)
  /// A list that names only people who do not exist.
  case allowsNobody(String)
  /// A statement that applies to some people because of a Match block.
  indirect case forSome([String], SSHText)
  /// sshd refuses its configuration, for the reason in this line of sshd.
  case refused(String)
  case refusedFor(String, String)
  case unread(SSHReading.Gap, isRoot: Bool)
  /// sshd did not report its settings; the text is a line of sshd.
  case silent(String)
  /// Criteria of Match blocks that were not evaluated.
  case unevaluated([String], isRoot: Bool)
  /// How many people were not examined.
  case left(Int)
  /// sshd keeps out these members of the rescue group.
  case rescuers([String])
  /// sshd keeps out everybody in the rescue group.
  case noRescuer([String])
  /// Whether these people can log in depends on their address.
  case unsure([String])

  private static let group = WayIn.rescueGroup

  /// Whether the text is about the session of a person who logs in.
  var isOfSessions: Bool {
    switch self {
    case .noSession, .noShell, .noTerminal: true
    default: false
    }
  }

  /// The people that a setting applies to, which decides where it must be changed.
  private enum People {
    case everybody
    /// Some people, because of a Match block.
    case some
  }

  private static func offSettings(_ methods: [String]) -> String {
    methods.map { $0 == "hostbased" ? "HostbasedAuthentication no" : "GSSAPIAuthentication no" }.joined(separator: ", ")
  }

  var english: FindingText {
    let text = english(for: .everybody)
    return FindingText("ssh: " + text.what, do: text.remedy)
  }

  private func english(for people: People) -> FindingText {
    let place = people == .some ? "in the Match block" : "in sshd_config"
    func nobody(_ verb: String, _ plural: String) -> String { people == .some ? "they \(plural)" : "nobody \(verb)" }
    let getsIn = nobody("gets in", "do not get in")
    return switch self {
    case .usePAM:
      FindingText("UsePAM is no: sshd never asks for the passcode", do: "UsePAM yes \(place)")
    case .keyboardInteractive:
      FindingText(
        "KbdInteractiveAuthentication is no: \(nobody("is", "are not")) shown PAM's prompt, and "
          + "\(people == .some ? "type" : "people type") the passcode at \"password:\"",
        do: "KbdInteractiveAuthentication yes \(place)")
    case .oneAnswer:
      FindingText(
        "sshd shows none of PAM's prompts, and one string answers the password and the passcode: \(getsIn), and a right "
          + "password counts as a wrong passcode",
        do: "KbdInteractiveAuthentication yes and PasswordAuthentication no \(place), and restart sshd")
    case .neverAsked:
      FindingText(
        "KbdInteractiveAuthentication is no, and no password is taken: \(nobody("is", "are not")) asked for the passcode",
        do: "KbdInteractiveAuthentication yes \(place)")
    case .password:
      FindingText(
        "PasswordAuthentication is yes: sshd then shows none of PAM's prompts, and one string answers all of them",
        do: "PasswordAuthentication no \(place)")
    case .publicKey(let isLed):
      FindingText(
        "\(getsIn) by a public key first: if the passcode is refused, \(isLed ? "only \(Self.group) gets in" : getsIn)",
        do: "PubkeyAuthentication yes \(place), and publickey first in AuthenticationMethods")
    case .noKeys(let isLed):
      FindingText(
        "AuthorizedKeysFile is none, so that \(getsIn) by a public key: if the passcode is refused, "
          + "\(isLed ? "only \(Self.group) gets in" : getsIn)",
        do: "AuthorizedKeysFile .ssh/authorized_keys \(place)")
    case .fine: FindingText("PAM's prompt is shown, and a public key is another way in")
    case .both(let isLed):
      FindingText(
        "a public key is asked for, then PAM's prompt is shown: if the passcode is refused, \(isLed ? "only \(Self.group) gets in" : getsIn)"
      )
    case .either(let isLed):
      FindingText(
        "PAM's prompt is shown, with or without a public key before it: if the passcode is refused, "
          + "\(isLed ? "only \(Self.group) gets in" : getsIn)")
    case .methods:
      FindingText(
        "AuthenticationMethods has no keyboard-interactive of PAM: \(nobody("is", "are not")) asked for the passcode",
        do: "write 'AuthenticationMethods publickey keyboard-interactive:pam' to ask for one of the two, or "
          + "'AuthenticationMethods publickey,keyboard-interactive:pam' to ask for both")
    case .methodsPassword:
      FindingText(
        "AuthenticationMethods has password and no keyboard-interactive of PAM: \(nobody("is", "are not")) shown PAM's prompt, and one "
          + "string answers all of them",
        do:
          "write 'KbdInteractiveAuthentication yes', and 'AuthenticationMethods publickey keyboard-interactive:pam' to ask for "
          + "one of the two or 'AuthenticationMethods publickey,keyboard-interactive:pam' to ask for both")
    case .methodsWithPassword:
      FindingText(
        "AuthenticationMethods has password: sshd then shows none of PAM's prompts, and one string answers all of them",
        do: "take password out of AuthenticationMethods, then PasswordAuthentication no \(place)")
    case .unasked(let methods):
      FindingText(
        "\(people == .some ? "they" : "people") get in by \(methods.joined(separator: " and ")), and are asked for nothing",
        do: Self.offSettings(methods)
          + " \(place), or keyboard-interactive:pam after such a method in AuthenticationMethods")
    case .noMethods:
      FindingText(
        "every list of AuthenticationMethods names a method that is off: \(getsIn)",
        do: "name methods that are on: 'AuthenticationMethods publickey keyboard-interactive:pam'")
    case .refusesAll(let setting):
      FindingText("\(setting): sshd ends each connection, and \(getsIn)", do: "take it out \(place)")
    case .noSession(let setting):
      FindingText(
        "\(ShownText.line(setting)): no session lasts, and \(getsIn)", do: "take it out \(place), or correct it")
    case .noShell(let setting):
      FindingText(
        "\(ShownText.line(setting)): \(nobody("gets", "do not get")) a shell of this machine, "
          + "and no rescue is possible by ssh",
        do: "take it out \(place), or set it in a Match block for those alone who are to have no shell")
    case .noTerminal(let setting):
      FindingText(
        "\(setting): \(nobody("gets", "do not get")) a terminal, at which sudo could ask, and no rescue is possible by ssh",
        do: "take it out \(place), or set it in a Match block for those alone who are to have no terminal")
    case .haste(let setting):
      FindingText(
        "\(setting): sshd ends each connection before a passcode can be typed, and \(getsIn) by typing one",
        do: "LoginGraceTime 120 \(place)")
    case .noHostKey(let line):
      FindingText(
        "sshd can use no key of this host, and nobody gets in: \(ShownText.line(line))",
        do:
          "ssh-keygen -A, chmod 600 /etc/ssh/ssh_host_*_key, and HostKeyAlgorithms that fit; 'ssh-keyscan localhost' shows keys then"
      )
    case .hit(let names):
      FindingText("a pattern of DenyUsers or DenyGroups keeps out: \(ShownText.names(names) { "and \($0) more" })")
    case .deniesAll(let list):
      FindingText("\(list) fits everybody: nobody gets in", do: "name in \(list) those alone who must stay out")
    case .deniesKnown(let list):
      FindingText(
        "\(list) keeps out everybody whom this machine knows",
        do: "name in \(list) those alone who must stay out: '*' fits any text, '?' one character")
    case .allowsNobody(let list):
      FindingText(
        "\(list) lets in nobody whom this machine knows",
        do: list == "AllowGroups"
          ? "name groups with members in AllowGroups; 'getent group NAME' shows them"
          : "name accounts that are there in AllowUsers, and that no other list keeps out")
    case .forSome(let names, let text):
      FindingText(
        "for \(ShownText.names(names) { "and \($0) more" }), by a Match block: \(text.english(for: .some).what)",
        do: text.english(for: .some).remedy)
    case .refused(let line):
      FindingText(
        "sshd refuses its configuration: \(ShownText.line(line))", do: "correct it until 'sshd -t' says nothing")
    case .refusedFor(let name, let line):
      FindingText(
        "for \(ShownText.line(name)), sshd refuses its configuration: \(ShownText.line(line))",
        do: "correct the Match block; 'sshd -T -C user=\(ShownText.line(name))' shows what holds")
    case .unread(let gap, let isRoot):
      FindingText(
        "\(ShownText.line(gap.path)) cannot be read (\(SystemReason(gap.number).english)): sshd's settings are not known",
        do: isRoot ? "sshd -t" : "run it as root")
    case .silent(let line):
      FindingText("sshd does not tell its settings, and they were read from its files: \(ShownText.line(line))")
    case .unevaluated(let criteria, let isRoot):
      FindingText(
        "not looked at: what Match blocks change by \(criteria.map(ShownText.line).joined(separator: ", "))",
        do: isRoot ? "'sshd -T -C' shows it for one connection" : "run it as root")
    case .left(let count):
      FindingText("not looked at: what Match blocks change for \(count) more people")
    case .rescuers(let names):
      FindingText(
        "sshd keeps out, of \(Self.group): \(ShownText.names(names) { "and \($0) more" }) (AllowUsers, AllowGroups, "
          + "DenyUsers, DenyGroups, PermitRootLogin, or a Match block without PAM's prompt or without a shell)")
    case .noRescuer(let names):
      FindingText(
        "sshd lets in nobody of \(Self.group): \(ShownText.names(names) { "and \($0) more" }): if the passcode is "
          + "refused, nobody gets in",
        do:
          "let one of them in by AllowUsers, AllowGroups, DenyUsers, DenyGroups, and PermitRootLogin for root, with a "
          + "Match block that leaves them PAM's prompt and a shell (ForceCommand none, ChrootDirectory none)")
    case .unsure(let names):
      FindingText(
        "whether sshd lets in \(ShownText.names(names) { "and \($0) more" }) of \(Self.group) depends on where they come "
          + "from, or on a pattern")
    }
  }

  var korean: FindingText {
    let text = korean(for: .everybody)
    return FindingText("ssh: " + text.what, do: text.remedy)
  }

  private func korean(for people: People) -> FindingText {
    let place = people == .some ? "그 Match 블록" : "sshd_config"
    let anybody = people == .some ? "" : "아무에게도 "
    let staysOut = people == .some ? "들어올 수 없습니다" : "아무도 들어올 수 없습니다"
    return switch self {
    case .usePAM: FindingText("UsePAM이 no이므로 sshd가 패스코드를 묻지 않습니다", do: "\(place)에 'UsePAM yes'")
    case .keyboardInteractive:
      FindingText(
        "KbdInteractiveAuthentication이 no이므로 질문이 표시되지 않고 'password:'에 패스코드를 입력해야 합니다",
        do: "\(place)에 'KbdInteractiveAuthentication yes'")
    case .oneAnswer:
      FindingText(
        "sshd가 PAM의 질문을 보여 주지 않아 한 번 입력한 것이 비밀번호와 패스코드를 대신하므로 \(staysOut). 올바른 비밀번호는 틀린 패스코드로 셉니다",
        do: "\(place)에 'KbdInteractiveAuthentication yes'와 'PasswordAuthentication no'를 쓰고 sshd를 다시 시작하십시오")
    case .neverAsked:
      FindingText(
        "KbdInteractiveAuthentication이 no이고 비밀번호도 받지 않아 \(anybody)패스코드를 묻지 않습니다",
        do: "\(place)에 'KbdInteractiveAuthentication yes'")
    case .password:
      FindingText(
        "PasswordAuthentication이 yes이므로 질문이 표시되지 않고 문자열 하나가 모든 질문의 답이 됩니다",
        do: "\(place)에 'PasswordAuthentication no'")
    case .publicKey(let isLed):
      FindingText(
        "공개 키로 먼저 들어올 수 없어, 패스코드가 거부되면 "
          + (isLed ? "\(Self.group)만 들어올 수 있습니다" : "들어올 길이 없습니다"),
        do: "\(place)에 'PubkeyAuthentication yes', AuthenticationMethods의 첫 항목은 publickey")
    case .noKeys(let isLed):
      FindingText(
        "AuthorizedKeysFile이 none이어서 공개 키로 들어올 수 없고, 패스코드가 거부되면 "
          + (isLed ? "\(Self.group)만 들어올 수 있습니다" : "들어올 길이 없습니다"),
        do: "\(place)에 'AuthorizedKeysFile .ssh/authorized_keys'")
    case .fine: FindingText("질문이 표시되고, 공개 키로도 들어올 수 있습니다")
    case .both(let isLed):
      FindingText("공개 키 다음에 질문합니다. 패스코드가 거부되면 \(isLed ? "\(Self.group)만 들어올 수 있습니다" : staysOut)")
    case .either(let isLed):
      FindingText(
        "공개 키가 있든 없든 질문이 표시됩니다. 패스코드가 거부되면 "
          + (isLed ? "\(Self.group)만 들어올 수 있습니다" : staysOut))
    case .methods:
      FindingText(
        "AuthenticationMethods에 PAM의 keyboard-interactive가 없어 \(anybody)패스코드를 묻지 않습니다",
        do: "'AuthenticationMethods publickey keyboard-interactive:pam', 둘 다 요구하려면 쉼표로 이으십시오")
    case .methodsPassword:
      FindingText(
        "AuthenticationMethods에 password만 있고 PAM의 keyboard-interactive가 없어, 질문이 표시되지 않고 문자열 하나가 모든 질문의 답이 됩니다",
        do:
          "'KbdInteractiveAuthentication yes'와 'AuthenticationMethods publickey keyboard-interactive:pam', 둘 다 요구하려면 쉼표로 "
          + "이으십시오")
    case .methodsWithPassword:
      FindingText(
        "AuthenticationMethods에 password가 있어, 그 방법에서는 질문이 표시되지 않고 문자열 하나가 모든 질문의 답이 됩니다",
        do: "AuthenticationMethods에서 password를 뺀 다음 \(place)에 'PasswordAuthentication no'")
    case .unasked(let methods):
      FindingText(
        "다음 방법으로는 아무 질문 없이 들어올 수 있습니다: \(methods.joined(separator: ", "))",
        do:
          "\(place)에 '\(Self.offSettings(methods))', 또는 AuthenticationMethods에서 그 뒤에 keyboard-interactive:pam을 이으십시오"
      )
    case .noMethods:
      FindingText(
        "AuthenticationMethods의 모든 목록에 꺼진 방법이 있어 \(staysOut)",
        do: "켜진 방법만 쓰십시오: 'AuthenticationMethods publickey keyboard-interactive:pam'")
    case .refusesAll(let setting):
      FindingText("\(setting): sshd가 모든 연결을 끊으므로 \(staysOut)", do: "\(place)에서 지우십시오")
    case .noSession(let setting):
      FindingText("\(ShownText.line(setting)): 세션이 바로 끝나므로 \(staysOut)", do: "\(place)에서 지우거나 고치십시오")
    case .noShell(let setting):
      FindingText(
        "\(ShownText.line(setting)): \(anybody)이 컴퓨터의 셸이 열리지 않아, ssh로는 복구할 수 없습니다",
        do: "\(place)에서 지우거나, 셸이 없어야 하는 사용자의 Match 블록에만 쓰십시오")
    case .noTerminal(let setting):
      FindingText(
        "\(setting): \(anybody)sudo가 물을 터미널이 열리지 않아, ssh로는 복구할 수 없습니다",
        do: "\(place)에서 지우거나, 터미널이 없어야 하는 사용자의 Match 블록에만 쓰십시오")
    case .haste(let setting):
      FindingText(
        "\(setting): 답을 입력하기 전에 sshd가 연결을 끊으므로 입력해서는 \(staysOut)", do: "\(place)에 'LoginGraceTime 120'")
    case .noHostKey(let line):
      FindingText(
        "sshd가 쓸 수 있는 호스트 키가 없어 아무도 들어올 수 없습니다: \(ShownText.line(line))",
        do:
          "ssh-keygen -A, chmod 600 /etc/ssh/ssh_host_*_key, 키에 맞는 HostKeyAlgorithms. 'ssh-keyscan localhost'에 키가 나오면 됩니다"
      )
    case .hit(let names):
      FindingText("DenyUsers나 DenyGroups의 패턴이 막는 사용자: \(ShownText.names(names) { "외 \($0)명" })")
    case .deniesAll(let list):
      FindingText("\(list)이(가) 모두에게 해당하여 아무도 들어올 수 없습니다", do: "\(list)에는 들어오면 안 되는 대상만 적으십시오")
    case .deniesKnown(let list):
      FindingText(
        "\(list)이(가) 이 컴퓨터가 아는 모든 사람을 막습니다",
        do: "\(list)에는 들어오면 안 되는 대상만 적으십시오. '*'는 모든 문자열, '?'는 한 글자와 일치합니다")
    case .allowsNobody(let list):
      FindingText(
        "\(list)에 따르면 이 컴퓨터가 아는 사람 중 아무도 들어올 수 없습니다",
        do: list == "AllowGroups"
          ? "AllowGroups에 구성원이 있는 그룹을 적으십시오. 구성원은 'getent group NAME' 명령으로 볼 수 있습니다"
          : "AllowUsers에 실제로 있고 다른 목록이 막지 않는 계정을 적으십시오")
    case .forSome(let names, let text):
      FindingText(
        "Match 블록에 따라 다음 사용자에게는 다릅니다: \(ShownText.names(names) { "외 \($0)명" }): \(text.korean(for: .some).what)",
        do: text.korean(for: .some).remedy)
    case .refused(let line):
      FindingText(
        "sshd가 자신의 설정을 거부합니다: \(ShownText.line(line))", do: "'sshd -t'가 아무 말도 하지 않을 때까지 고치십시오")
    case .refusedFor(let name, let line):
      FindingText(
        "sshd가 다음 사용자의 설정을 거부합니다: \(ShownText.line(name)): \(ShownText.line(line))",
        do: "Match 블록을 고치십시오. 적용되는 설정은 'sshd -T -C user=\(ShownText.line(name))' 명령으로 볼 수 있습니다")
    case .unread(let gap, let isRoot):
      FindingText(
        "\(ShownText.line(gap.path)): 읽을 수 없어(\(SystemReason(gap.number).korean)) sshd의 설정을 알 수 없습니다",
        do: isRoot ? "sshd -t" : "root로 실행하십시오")
    case .silent(let line):
      FindingText("sshd가 설정을 알려 주지 않아 파일에서 읽었습니다: \(ShownText.line(line))")
    case .unevaluated(let criteria, let isRoot):
      FindingText(
        "Match 블록이 다음 조건에 따라 바꾸는 것은 살펴보지 않았습니다: \(criteria.map(ShownText.line).joined(separator: ", "))",
        do: isRoot ? "한 연결에 대한 설정은 'sshd -T -C' 명령으로 볼 수 있습니다" : "root로 실행하십시오")
    case .left(let count):
      FindingText("Match 블록이 나머지 사용자 \(count)명에게 바꾸는 것은 살펴보지 않았습니다")
    case .rescuers(let names):
      FindingText(
        "\(Self.group) 그룹에서 sshd가 들여보내지 않는 사용자: \(ShownText.names(names) { "외 \($0)명" })"
          + "(AllowUsers, AllowGroups, DenyUsers, DenyGroups, PermitRootLogin 또는 질문이나 셸이 없는 Match 블록)")
    case .noRescuer(let names):
      FindingText(
        "sshd가 \(Self.group) 그룹의 아무도 들여보내지 않아, 패스코드가 거부되면 들어올 길이 없습니다: "
          + ShownText.names(names) { "외 \($0)명" },
        do:
          "AllowUsers, AllowGroups, DenyUsers, DenyGroups에서(root이면 PermitRootLogin에서) 그중 한 명을 들여보내고, "
          + "Match 블록에서 질문과 셸(ForceCommand none, ChrootDirectory none)을 남기십시오"
      )
    case .unsure(let names):
      FindingText(
        "\(Self.group) 그룹의 다음 사용자를 sshd가 들여보내는지는 접속하는 곳이나 패턴에 따라 다릅니다: "
          + ShownText.names(names) { "외 \($0)명" })
    }
  }
}
