import ArgumentParser
import FidoResults
import Wording

// The texts of the help in each language. The parser reads these texts when it makes a page, in the current language.

/// The language of the help.
enum HelpLanguage {
  /// The caller's language while the command line is parsed.
  @TaskLocal static var current = Language.english
}

/// The help's texts about one command.
struct CommandWords {
  /// What the command does, in one sentence.
  let abstract: String
  /// What else there is to know about the command.
  let discussion: String

  init(_ abstract: String, _ discussion: String = "") {
    self.abstract = abstract
    self.discussion = discussion
  }
}

/// The commands, with their texts in the help.
enum CommandHelp: Catalogued, CaseIterable {
  case uafctl
  case register
  case authenticate
  case change
  case repair
  case reset
  case deregister
  case oob
  case status
  case policy
  case policyCheck
  case unlock
  case forget
  case rename
  case initialise
  case seal
  case unseal
  case recover
  case trust
  case join
  case leave
  case checkIn
  case keyring
  case keyringSet
  case keyringStatus
  case keyringForget
  case facet
  case doctor
  case report
  case pam
  case pamEnable
  case pamDisable
  case pamStatus

  /// The command's configuration for the parser: its name and texts.
  func configuration(
    _ name: String, version: String = "", subcommands: [any ParsableCommand.Type] = []
  ) -> CommandConfiguration {
    let words = text(in: HelpLanguage.current)
    return CommandConfiguration(
      commandName: name, abstract: words.abstract, discussion: words.discussion, version: version,
      subcommands: subcommands)
  }

  var english: CommandWords {
    switch self {
    case .uafctl:
      CommandWords(
        "Registers and checks the passcode that logs you in, and looks after pam-uaf.",
        """
        Passcodes and enrolment codes are asked for on the terminal without showing them. Where standard input is not a terminal, \
        each question takes one line of it. Only results go to standard output. Whoever has forgotten a value asks the \
        administrator for an enrolment code, and sets a new value with register --code.


        """ + ExitStatusHelp().english)
    case .register:
      CommandWords(
        "Registers an authenticator of an account with the server.",
        """
        The first registration of an account needs the enrolment code that the server's administrator hands over. A \
        further one may be proved with a registered authenticator instead. A forgotten value is replaced with a new \
        enrolment code, if the server's yes has to be signed (require_signed_verdict). Without that root resets it first.
        """)
    case .authenticate:
      CommandWords(
        "Goes through a login without logging in.",
        """
        With --json-conversation it is a graphical front end that asks the person: each challenge and message is one line \
        of JSON on standard output, and the last line is a success or a failure. A challenge is answered by one line on \
        standard input, {"answer":"..."} or {"cancel":true}. docs/json-conversation.md lists the members. With --divided \
        nothing is asked before the front end says so: the server's request is fetched meanwhile. Other people see command \
        lines, and with them the text of --transaction.
        """)
    case .change:
      CommandWords(
        "Changes a passcode or a pattern.",
        """
        The old value is asked for first, and a wrong one counts as an attempt; the new one is asked for twice. The \
        registrations stay as they are. Whoever has forgotten the old value sets a new one with register --code.
        """)
    case .repair:
      CommandWords(
        "Makes a new key for a machine that was restored.",
        """
        The server refuses a key of which it has seen more signatures than the machine has made. A new enrolment code and the \
        value allow a new key under the same value; the server forgets the old one in the same step. A wrong value counts as \
        an attempt. Of several authenticators each is repaired by itself, and the first one may replace the code for the \
        others.
        """)
    case .reset:
      CommandWords(
        "Wipes a forgotten passcode or pattern, and makes its keys unusable.",
        """
        Whoever has forgotten a value need not reset it: register --code sets a new one in one step. A person needs a new \
        enrolment code for a reset, with which the server forgets the keys as well, and a server whose yes has to be signed \
        (require_signed_verdict). Root needs none; the server then still knows the keys, unless root gives a code with \
        --deregister.
        """)
    case .deregister:
      CommandWords("Deletes registrations, here and at the server.")
    case .oob:
      CommandWords(
        "Does what a code asks for: registers, or approves or denies a login elsewhere.",
        """
        A code is one line, as a server prints it or a QR picture holds it. What it asks for stands in the code \
        itself. Other people see command lines: the line itself is taken there only if its server is this machine, as in \
        a demonstration. Whoever cancels an approval leaves it open until its time is over; --deny ends it.
        """)
    case .status:
      CommandWords(
        "Shows what is registered, and what is locked.",
        """
        With --supported, --registered, --locked and --available the exit status answers one question about one \
        authenticator type: 0 yes, 1 no, 2 or more anything else. What is supported and not registered could be \
        registered. What is available can be used for a login, which finds it out in the same way.
        """)
    case .policy:
      CommandWords("Tries the rules for new values.")
    case .policyCheck:
      CommandWords(
        "Tries a value against the rules for passcodes, without setting it.",
        """
        The value is asked for on the terminal without showing it, or is the first line of standard input. The exit status \
        is 0 if it would be accepted; 1 if not, with one line for each problem that begins with the rule's key; 2 or \
        more for anything else, such as a configuration that cannot be used. Where root follows the server, the rules of the \
        policy in force count as well, and a problem says that it comes from there; if the core cannot tell them, a value \
        without other problems ends with 3. Nothing is stored or sent, and root is not needed: whoever is not root may try a \
        file of his own, by itself. Root is told, too, for whom the lock options of the file do not hold yet because of wrong \
        entries.
        """)
    case .unlock:
      CommandWords(
        "Lifts every lock of an account.",
        """
        Root names the account. With a file or a code of 24 characters from the helpdesk everybody may unlock their own \
        account once; no network is needed.
        """)
    case .forget:
      CommandWords(
        "Deletes all that this machine knows of an account; root only.",
        """
        The server is not told: use deregister for that, as long as the account's keys work. Afterwards the account is one \
        that was never registered here, and a nouserok in a PAM stack lets it pass.
        """)
    case .rename:
      CommandWords(
        "Takes a registration over to the new name of an account; root only.",
        """
        A registration is bound to the name that the account had. After a renaming (usermod -l, or fully qualified names of sssd) \
        logins are refused until the new name has taken it over. Values, locks and keys stay, and so does the name at the \
        server. The old name must be gone, or belong to the same number.
        """)
    case .initialise:
      CommandWords(
        "Makes the key of this machine, once; root only.",
        """
        The configuration's [tpm] decides whether a chip seals it. A recovery key opens it without the chip, on another \
        mainboard for example.
        """)
    case .seal:
      CommandWords(
        "Moves the key of this machine into its chip (TPM); root only.",
        """
        Accounts keep working. Afterwards only this machine's chip opens the key, or the recovery key. Copies of the key's \
        file that were made before still open it.
        """)
    case .unseal:
      CommandWords(
        "Moves the key of this machine from its chip (TPM) into a file; root only.",
        "Accounts keep working. Do this before the chip is cleared or the mainboard replaced.")
    case .recover:
      CommandWords(
        "Opens the key of this machine with its recovery key; root only.",
        """
        For a chip that was cleared, replaced or lost. The chip that is there now seals the key; with use = "off" in [tpm] it \
        goes into a file. Accounts keep working.
        """)
    case .trust:
      CommandWords("Writes the server of an enrolment code into the configuration; root only.")
    case .join:
      CommandWords(
        "Joins this machine to a server, as a machine payload says; root only.",
        """
        Writes the server's address, authority and verdict key into the folder of the configuration, and asks the server to \
        know this machine. Nothing is changed where the server refuses. Then the machine checks in, which brings the server's \
        policy for it. At the end doctor says what is left to do.
        """)
    case .leave:
      CommandWords(
        "Takes back that this machine has joined a server; root only.",
        """
        Tells the server, and removes what join has written. A server that is away keeps no machine. Keys of people stay, on \
        this machine and at the server. Nothing is changed while services ask for the passcode, unless --force says so.
        """)
    case .checkIn:
      CommandWords(
        "Tells the server how this machine is, and takes its policy; root only.",
        """
        Only for a machine that has joined its server. A login that has something to tell does the same, and the timer \
        pam-uaf-checkin.timer once an hour.
        """)
    case .keyring:
      CommandWords("Has logins open the keyring of the desktop, or no longer.")
    case .keyringSet:
      CommandWords(
        "Keeps the password of the keyring, sealed under the passcode or pattern.",
        """
        The value is asked for first, and a wrong one counts as an attempt. Root must have set unlock = true in [keyring]. Inside \
        a session with GNOME's keyring the password is tried there first; elsewhere nobody can tell whether it is right, and \
        a wrong one leaves the keyring locked. Each type of authenticator keeps the password by itself.
        """)
    case .keyringStatus:
      CommandWords("Shows under which authenticators the password of the keyring is kept.")
    case .keyringForget:
      CommandWords("Removes the kept password of the keyring; no value is asked for.")
    case .facet:
      CommandWords(
        "Prints who this client says it is, and what a server has to list.",
        """
        The first line is the FacetID. The second is the document of trusted facets that the server's AppID leads to, as it \
        must be for this client alone; a server that has one adds the FacetID to its lists.
        """)
    case .doctor:
      CommandWords(
        "Checks the installation, and says what to do about what is wrong.",
        """
        Each line begins with ok, warn, FAIL, or skip where only root can look. The exit status is 0 if nothing failed, \
        otherwise 1. With --json it is one object, for scripts: uafctl(1) says what its members are.
        """)
    case .report:
      CommandWords(
        "Makes a report on this machine for whoever helps with it.",
        """
        Versions, configuration, the findings of doctor, states of units, the PAM services that name pam_uaf, and the last \
        lines of the log. It has no passcode, key, code or other text of the configuration in it, is always in English, and \
        is sent nowhere. It is shown, and with a file's name written there after a question; a file that exists is never \
        changed.
        """)
    case .pam:
      CommandWords("Has services ask for the passcode, or stop asking.")
    case .pamEnable:
      CommandWords(
        "Has a service ask for the passcode; root only.",
        """
        Copies a ready stack to uaf-SERVICE beside the service's file, and changes the one line there that includes the \
        password's stack so that it includes this one. Nothing is changed before libpam was asked with the new stack, and \
        nothing at all where administrators would have no other way in, or where people use the service who are not \
        registered on this machine. The shell of an administrator who has another way in is started, as that person; their \
        files, such as ~/.profile, run, and lines are typed to see whether it runs commands. Again with another shape it changes the shape. \
        Other names of the same program, such as sudo-i for "sudo -i", are changed with it, all or none.
        """)
    case .pamDisable:
      CommandWords(
        "Undoes 'pam enable' for a service, or for all; root only.",
        """
        Puts the one line back that enable changed, and removes the stack; other lines stay as they are, and a stack that \
        was edited is kept under a hidden name. Fails, and names them, where lines that ask for the passcode remain: those \
        that uafctl did not write are never touched. With a program's main name, such as sudo, its other names, such as sudo-i, \
        stop asking as well.
        """)
    case .pamStatus:
      CommandWords(
        "Lists the services that ask for the passcode.",
        """
        Names those that ask without it, too: other names of the same program, and other ways into a session. With --json it \
        is one object, for scripts: uafctl(1) says what its members are.
        """)
    }
  }

  var korean: CommandWords {
    switch self {
    case .uafctl:
      CommandWords(
        "로그인에 쓰는 패스코드를 등록하고 확인하며 pam-uaf를 관리합니다.",
        """
        패스코드와 등록 코드는 화면에 보이지 않게 터미널에서 묻습니다. 표준 입력이 터미널이 아니면 질문마다 한 줄을 \
        읽습니다. 표준 출력에는 결과만 나옵니다. 값을 잊어버렸으면 관리자에게 등록 코드를 받아 register --code로 새 값을 \
        정하십시오.


        """ + ExitStatusHelp().korean)
    case .register:
      CommandWords(
        "계정의 인증 수단을 서버에 등록합니다.",
        """
        계정의 첫 등록에는 관리자가 서버에서 받은 등록 코드가 필요합니다. 그다음 등록은 이미 등록한 인증 수단으로 \
        대신 증명할 수 있습니다. 잊어버린 값은 서버의 응답에 서명이 필요한 설정(require_signed_verdict)이면 새 등록 코드로 \
        바꿀 수 있고, 아니면 root가 먼저 초기화해야 합니다.
        """)
    case .authenticate:
      CommandWords(
        "실제로 로그인하지 않고 로그인 과정을 거칩니다.",
        """
        --json-conversation을 주면 그래픽 프로그램이 대신 묻습니다. 질문과 알림은 표준 출력에 한 줄의 JSON으로 나오고, \
        마지막 줄은 성공 또는 실패입니다. 질문에는 표준 입력의 한 줄 {"answer":"..."} 또는 {"cancel":true}로 답합니다. \
        각 항목은 docs/json-conversation.md에 있습니다.
        --divided를 주면 그 프로그램이 계속하라고 할 때까지 아무것도 묻지 않고, 그동안 서버의 요청을 받아 둡니다. 명령줄은 다른 \
        사용자에게도 보이므로 --transaction의 텍스트도 보입니다.
        """)
    case .change:
      CommandWords(
        "패스코드나 패턴을 바꿉니다.",
        """
        먼저 지금 값을 묻고, 틀리면 시도 횟수에 포함됩니다. 새 값은 두 번 묻습니다. 등록은 그대로 남습니다. 지금 값을 \
        잊어버렸으면 register --code로 새 값을 정하십시오.
        """)
    case .repair:
      CommandWords(
        "이 컴퓨터의 이전 상태가 복원된 뒤, 같은 값으로 새 키를 만듭니다.",
        """
        서버는 이 컴퓨터가 만든 것보다 더 많은 서명이 확인된 키를 거절합니다. 새 등록 코드와 값이 있으면 새 키를 만들고, 그때 \
        서버에서 이전 키가 지워집니다. 값이 틀리면 시도 횟수에 포함됩니다. 인증 수단이 여러 개면 하나씩 하며, 먼저 복구한 것이 \
        다음 것의 코드를 대신할 수 있습니다.
        """)
    case .reset:
      CommandWords(
        "잊어버린 패스코드나 패턴을 지우고 그 키를 쓸 수 없게 합니다.",
        """
        값을 잊어버렸을 때는 초기화하지 않고 register --code로 한 번에 새 값을 정할 수 있습니다. 초기화하려면 사용자에게는 새 등록 코드와, 응답에 서명하는 서버(require_signed_verdict)가 필요합니다. 이때 서버에서도 키가 \
        지워집니다. root에게는 필요 없지만, --deregister로 코드를 주지 않으면 서버에는 키가 남습니다.
        """)
    case .deregister:
      CommandWords("이 컴퓨터와 서버에서 등록을 지웁니다.")
    case .oob:
      CommandWords(
        "코드가 요구하는 일을 합니다: 등록하거나, 다른 곳의 로그인을 승인하거나 거부합니다.",
        """
        코드는 서버가 출력하거나 QR 그림에 든 한 줄입니다. 무엇을 요구하는지는 코드에 적혀 있습니다. 명령줄은 다른 \
        사용자에게도 보이므로, 코드 자체는 시연처럼 서버가 이 컴퓨터일 때만 명령줄에 쓸 수 있습니다. \
        승인을 취소하면 시간이 다할 때까지 그대로 남고, --deny는 이를 끝냅니다.
        """)
    case .status:
      CommandWords(
        "무엇이 등록되어 있고 무엇이 잠겨 있는지 보여 줍니다.",
        """
        --supported, --registered, --locked, --available을 주면 종료 상태가 인증 수단 하나에 관한 물음에 답합니다. 0은 예, 1은 \
        아니요, 2 이상은 그 밖의 경우입니다. 지원하지만 등록하지 않은 것은 등록할 수 있습니다. 사용할 수 있는지는 로그인할 때와 같은 \
        방법으로 알아봅니다.
        """)
    case .policy:
      CommandWords("새 값의 규칙을 시험합니다.")
    case .policyCheck:
      CommandWords(
        "값을 정하지 않고 패스코드 규칙에 맞는지 시험합니다.",
        """
        값은 화면에 보이지 않게 터미널에서 묻거나 표준 입력의 첫 줄에서 읽습니다. 종료 상태는 사용할 수 있으면 0, 없으면 \
        1이며 문제마다 규칙의 키로 시작하는 한 줄이 나옵니다. 설정을 사용할 수 없는 경우 등은 2 이상입니다. root가 서버를 \
        따르면 적용 중인 정책의 규칙도 시험하며, 문제마다 그 정책에서 왔음을 알립니다. 코어가 그 규칙을 알려 줄 수 없으면 다른 \
        문제가 없는 값은 3으로 끝납니다. 아무것도 저장하거나 보내지 않으며 root가 아니어도 됩니다. root가 아닌 사용자는 자신의 \
        파일을 그것만으로 시험할 수 있습니다. root에게는 잘못된 입력이 남아 있어 그 파일의 잠금 설정이 아직 적용되지 않는 사람도 \
        알려 줍니다.
        """)
    case .unlock:
      CommandWords(
        "계정의 모든 잠금을 풉니다.",
        """
        root는 계정을 지정합니다. 헬프데스크가 준 파일이나 24자의 코드가 있으면 root가 아니어도 자신의 계정을 한 번 풀 수 \
        있으며, 네트워크가 필요하지 않습니다.
        """)
    case .forget:
      CommandWords(
        "이 컴퓨터에서 계정에 관한 모든 것을 지웁니다. root만 할 수 있습니다.",
        """
        서버에는 알리지 않습니다. 계정의 키를 쓸 수 있는 동안에는 deregister를 쓰십시오. 지운 뒤에는 이 컴퓨터에 등록한 적이 \
        없는 계정이 되며, PAM 스택에 nouserok이 있으면 통과합니다.
        """)
    case .rename:
      CommandWords(
        "등록을 계정의 새 이름으로 옮깁니다. root만 할 수 있습니다.",
        """
        등록은 등록할 때의 계정 이름에 묶여 있습니다. 이름이 바뀌면(usermod -l, sssd의 전체 이름) 새 이름으로 옮길 때까지 로그인을 \
        거절합니다. 값, 잠금, 키는 그대로이고 서버의 이름도 바뀌지 않습니다. 옛 이름은 없어졌거나 같은 번호의 것이어야 합니다.
        """)
    case .initialise:
      CommandWords(
        "이 컴퓨터의 키를 한 번 만듭니다. root만 할 수 있습니다.",
        "칩이 키를 봉인할지는 설정의 [tpm]이 정합니다. 복구 키는 메인보드를 바꾼 때처럼 칩이 없어도 키를 엽니다.")
    case .seal:
      CommandWords(
        "이 컴퓨터의 키를 칩(TPM)으로 옮깁니다. root만 할 수 있습니다.",
        """
        계정은 그대로 쓸 수 있습니다. 그다음에는 이 컴퓨터의 칩이나 복구 키만 키를 엽니다. 그 전에 복사한 키 파일은 여전히 \
        키를 엽니다.
        """)
    case .unseal:
      CommandWords(
        "이 컴퓨터의 키를 칩(TPM)에서 파일로 옮깁니다. root만 할 수 있습니다.",
        "계정은 그대로 쓸 수 있습니다. 칩을 초기화하거나 메인보드를 바꾸기 전에 실행하십시오.")
    case .recover:
      CommandWords(
        "이 컴퓨터의 키를 복구 키로 엽니다. root만 할 수 있습니다.",
        """
        칩이 초기화되었거나 바뀌었거나 없을 때 씁니다. 지금 있는 칩이 키를 봉인하며, [tpm]에 use = "off"가 있으면 파일에 \
        둡니다. 계정은 그대로 쓸 수 있습니다.
        """)
    case .trust:
      CommandWords("등록 코드의 서버를 설정에 씁니다. root만 할 수 있습니다.")
    case .join:
      CommandWords(
        "가입 파일에 있는 서버에 이 컴퓨터를 가입시킵니다. root만 할 수 있습니다.",
        """
        서버의 주소, 인증 기관, 응답 서명 키를 설정 폴더에 쓰고 서버가 이 컴퓨터를 알게 합니다. 서버가 거절하면 아무것도 바뀌지 \
        않습니다. 그다음 서버에 이 컴퓨터의 상태를 알리며, 이때 이 컴퓨터를 위한 정책도 받습니다. 마지막에 doctor가 남은 일을 \
        알려 줍니다.
        """)
    case .leave:
      CommandWords(
        "이 컴퓨터의 서버 가입을 되돌립니다. root만 할 수 있습니다.",
        """
        서버에 알리고, join이 쓴 것을 지웁니다. 서버에 연결할 수 없어도 탈퇴합니다. 사용자들의 키는 이 컴퓨터와 서버에 남습니다. \
        서비스가 패스코드를 묻는 동안에는 --force 없이는 아무것도 바뀌지 않습니다.
        """)
    case .checkIn:
      CommandWords(
        "서버에 이 컴퓨터의 상태를 알리고 서버의 정책을 받습니다. root만 할 수 있습니다.",
        """
        서버에 가입한 컴퓨터에서만 할 수 있습니다. 알릴 것이 있으면 로그인도 같은 일을 하고, 타이머 pam-uaf-checkin.timer도 \
        한 시간에 한 번 알립니다.
        """)
    case .keyring:
      CommandWords("로그인할 때 데스크톱의 키링을 열거나 열지 않게 합니다.")
    case .keyringSet:
      CommandWords(
        "키링 비밀번호를 패스코드나 패턴으로 봉인하여 보관합니다.",
        """
        먼저 값을 묻고, 틀린 값은 시도 횟수에 포함됩니다. root가 [keyring]에 unlock = true를 설정해 두어야 합니다. GNOME 키링이 있는 세션 \
        안에서는 비밀번호를 먼저 그 키링에 시험합니다. 다른 곳에서는 맞는지 알 수 없으며, 틀린 비밀번호면 키링이 잠긴 채로 남습니다. 인증 \
        수단마다 따로 보관합니다.
        """)
    case .keyringStatus:
      CommandWords("키링 비밀번호를 어느 인증 수단으로 보관하는지 보여 줍니다.")
    case .keyringForget:
      CommandWords("보관하던 키링 비밀번호를 지웁니다. 값은 묻지 않습니다.")
    case .facet:
      CommandWords(
        "이 클라이언트가 자신을 무엇이라 밝히는지, 서버의 목록에 무엇이 있어야 하는지 출력합니다.",
        """
        첫 줄은 FacetID입니다. 둘째 줄은 서버의 AppID가 가리키는 신뢰 facet 문서로, 이 클라이언트만 있을 때의 \
        내용입니다. 이미 문서가 있는 서버는 목록에 FacetID를 더하면 됩니다.
        """)
    case .doctor:
      CommandWords(
        "설치를 점검하고 잘못된 것을 어떻게 고치는지 알려 줍니다.",
        """
        각 줄은 ok, warn, FAIL로 시작하며, root만 볼 수 있는 것은 skip으로 시작합니다. 종료 상태는 실패가 없으면 0, 있으면 \
        1입니다. --json을 주면 스크립트를 위한 JSON 객체 하나를 출력합니다. 각 항목은 uafctl(1)에 있습니다.
        """)
    case .report:
      CommandWords(
        "문제를 함께 살펴볼 사람에게 줄, 이 컴퓨터에 관한 보고서를 만듭니다.",
        """
        버전, 설정, doctor의 점검 결과, 유닛의 상태, pam_uaf를 쓰는 PAM 서비스, 로그의 마지막 줄이 들어갑니다. 패스코드, 키, 코드나 \
        설정에 적은 문구는 들어가지 않습니다. 보고서는 늘 영어이며 어디에도 보내지 않습니다. 먼저 화면에 보여 주고, 파일 이름을 주면 \
        물어본 뒤에 씁니다. 이미 있는 파일은 바꾸지 않습니다.
        """)
    case .pam:
      CommandWords("서비스가 패스코드를 묻게 하거나 그만 묻게 합니다.")
    case .pamEnable:
      CommandWords(
        "서비스가 패스코드를 묻게 합니다. root만 할 수 있습니다.",
        """
        준비된 스택을 서비스 파일 옆에 uaf-SERVICE로 복사하고, 비밀번호 스택을 포함하던 한 줄이 이것을 포함하도록 \
        바꿉니다. 먼저 libpam으로 새 스택을 시험하며, 관리자가 들어올 다른 방법이 없거나 이 컴퓨터에 등록하지 않은 \
        사람이 이 서비스를 쓰고 있으면 아무것도 바꾸지 않습니다. 들어올 다른 방법이 있는 관리자의 셸을 그 사람으로 시작해 명령이 \
        실행되는지 보며, 이때 ~/.profile 같은 그 사람의 파일이 실행됩니다. 다른 --shape로 다시 실행하면 모양이 바뀝니다. "sudo -i"의 sudo-i처럼 같은 프로그램의 다른 이름도 함께 바꾸며, 모두 바꾸거나 \
        하나도 바꾸지 않습니다.
        """)
    case .pamDisable:
      CommandWords(
        "한 서비스 또는 모든 서비스가 다시 비밀번호를 묻게 합니다. root만 할 수 있습니다.",
        """
        enable이 바꾼 한 줄을 되돌리고 스택을 지웁니다. 다른 줄은 그대로 두며, 직접 고친 스택은 숨은 이름으로 남깁니다. \
        패스코드를 묻는 줄이 남아 있으면 알리고 실패합니다. uafctl이 쓰지 않은 줄은 건드리지 않습니다. sudo처럼 프로그램의 주된 \
        이름을 지정하면 sudo-i 같은 다른 이름도 그만 묻습니다.
        """)
    case .pamStatus:
      CommandWords(
        "패스코드를 묻는 서비스를 보여 줍니다.",
        """
        패스코드를 묻지 않는 것도 알려 줍니다: 같은 프로그램의 다른 이름과, 세션으로 들어가는 다른 길. --json을 주면 스크립트를 \
        위한 JSON 객체 하나를 출력합니다. 각 항목은 uafctl(1)에 있습니다.
        """)
    }
  }
}

/// The options and arguments, with their texts in the help.
enum OptionHelp: Catalogued, CaseIterable {
  case configurationFile
  case ownConfigurationFile
  case account
  case accountBefore
  case forgottenAccount
  case renamedAccount
  case oldName
  case type
  case newType
  case allTypes
  case code
  case newCode
  case proofCode
  case oobCode
  case deny
  case token
  case deregistrationToken
  case deregister
  case divided
  case transaction
  case jsonConversation
  case together
  case jsonEnd
  case jsonReport
  case sessions
  case noSessions
  case jsonStatus
  case jsonAnswer
  case supported
  case registered
  case locked
  case available
  case unlockFile
  case unlockCode
  case newRecoveryKey
  case recoveryKey
  case machinePayload
  case examine
  case fingerprint
  case group
  case force
  case ifJoined
  case pamDirectory
  case service
  case shape
  case template
  case until
  case trial
  case dryRun
  case only
  case anyway
  case allServices
  case anonymous
  case withoutQuestion
  case reportFile

  var english: String {
    switch self {
    case .configurationFile: "Configuration file; root only."
    case .ownConfigurationFile: "Configuration file; root's or your own."
    case .account: "The account; root only. Your own where it is left out."
    case .accountBefore: "The account, as it was spelt before."
    case .forgottenAccount: "The account."
    case .renamedAccount: "The account, by its new name."
    case .oldName: "The name that the account was registered under."
    case .type: "Authenticator type, such as passcode. Not needed where there is one."
    case .newType: "Authenticator type, such as passcode."
    case .allTypes: "Every authenticator of the account."
    case .code: "File with the enrolment code; - for standard input, or to be asked for it."
    case .newCode: "File with a new enrolment code; - for standard input, or to be asked for it."
    case .proofCode: "File with an enrolment code as the proof; - for standard input, or to be asked for it."
    case .oobCode: "File with the code; - for standard input, or to be asked for it."
    case .deny: "Deny what the code asks to have approved, for good; nothing is asked."
    case .token: "Print the server's token."
    case .deregistrationToken: "Print the server's token, which says that the keys are gone."
    case .deregister: "Have the server forget the keys as well; root only, with --code."
    case .divided: "Fetch the server's request, say when that is done, and ask once told to go on."
    case .transaction: "A text that the passcode confirms, and the server keeps."
    case .jsonConversation: "Ask in lines of JSON."
    case .together: "Ask in JSON for a new value and its repetition at once."
    case .jsonEnd: "Print the end as one JSON object, for scripts."
    case .jsonReport: "Print one JSON object instead of lines."
    case .noSessions: "Starts nobody's shell: who has another way in is judged from files alone."
    case .sessions: "Start the shells of the members of uaf-rescue, which run their own files."
    case .jsonStatus: "Print the core's JSON document."
    case .jsonAnswer: "Print what the server has answered as one JSON object."
    case .supported: "Ask whether this machine has the authenticator type."
    case .registered: "Ask whether the account has it."
    case .locked: "Ask whether it is locked."
    case .available: "Ask whether a login can use it now."
    case .unlockFile: "File from the helpdesk; - for standard input, or to be asked for it."
    case .unlockCode: "Ask for the code of 24 characters, at the terminal or as the first line of standard input."
    case .newRecoveryKey: "New file for words that open the key without the chip."
    case .recoveryKey: "File with the words; without it they are asked for."
    case .machinePayload: "File with the machine payload; - for standard input."
    case .examine: "Examine this machine as doctor does, but not the server, and report the ids of what failed."
    case .fingerprint: "Joins only a server with this fingerprint."
    case .group: "Joins only this group of machines."
    case .force: "Leaves although services ask for the passcode, which let nobody in then."
    case .ifJoined: "Does nothing, and succeeds, where this machine has not joined or send_device is false."
    case .pamDirectory: "Folder of the PAM services."
    case .service: "The service, such as sudo."
    case .shape:
      "The passcode's part: instead (of the password), fallback (passcode and password where the server cannot be reached) "
        + "or second-factor (after the password). Left out: instead for sshd and simple greeters (sddm, plasmalogin, ly), "
        + "otherwise fallback."
    case .template:
      "The ready stack: sudo, sshd, login, su, polkit-1, display-manager, sddm or locker. Left out: the service's own."
    case .until:
      "The last day (YYYY-MM-DD, in UTC) on which people who never registered on this machine get in with the password. Registered "
        + "people need the passcode. Left out: never, and an earlier day is removed."
    case .trial: "Logs this account in at the terminal first, and changes nothing where that fails."
    case .dryRun: "Shows what would be changed, tries it with libpam, starts nobody's shell, and changes nothing."
    case .only: "Leaves other names of the same program as they are, such as sudo-i beside sudo."
    case .anyway:
      "Goes on although people who use the service today will be refused: they are not registered, this machine lacks "
        + "what a login needs, or sshd's settings keep the stack from working. It also goes on if some have an empty password."
    case .allServices: "Every service that was enabled."
    case .anonymous: "Replace the names of accounts and hosts, and addresses."
    case .withoutQuestion: "Write the file without asking."
    case .reportFile: "New file for the report; without it the report is only shown."
    }
  }

  var korean: String {
    switch self {
    case .configurationFile: "설정 파일. root만 쓸 수 있습니다."
    case .ownConfigurationFile: "설정 파일. root의 파일이나 자신의 파일입니다."
    case .account: "계정. root만 지정할 수 있습니다. 빼면 자신의 계정입니다."
    case .accountBefore: "계정. 이전에 쓰던 방법입니다."
    case .forgottenAccount: "계정."
    case .renamedAccount: "새 이름의 계정."
    case .oldName: "등록할 때의 계정 이름."
    case .type: "passcode 같은 인증 수단. 하나뿐이면 필요 없습니다."
    case .newType: "passcode 같은 인증 수단."
    case .allTypes: "계정의 모든 인증 수단."
    case .code: "등록 코드가 든 파일. -는 표준 입력이며, 터미널이면 물어봅니다."
    case .newCode: "새 등록 코드가 든 파일. -는 표준 입력이며, 터미널이면 물어봅니다."
    case .proofCode: "증명으로 쓸 등록 코드가 든 파일. -는 표준 입력이며, 터미널이면 물어봅니다."
    case .oobCode: "코드가 든 파일. -는 표준 입력이며, 터미널이면 물어봅니다."
    case .deny: "코드가 승인을 요구한 것을 완전히 거부합니다. 아무것도 묻지 않습니다."
    case .token: "서버의 토큰을 출력합니다."
    case .deregistrationToken: "키가 지워졌음을 알리는 서버의 토큰을 출력합니다."
    case .deregister: "서버에서도 키를 지웁니다. root만, --code와 함께 쓸 수 있습니다."
    case .divided: "서버의 요청을 받아 두고 이를 알린 뒤, 계속하라고 하면 묻습니다."
    case .transaction: "패스코드로 승인하고 서버가 보관할 텍스트."
    case .jsonConversation: "JSON 줄로 묻습니다."
    case .together: "JSON에서 새 값과 그 확인을 한 번에 묻습니다."
    case .jsonEnd: "스크립트를 위해 결과를 JSON 객체 하나로 출력합니다."
    case .jsonReport: "줄 대신 JSON 객체 하나를 출력합니다."
    case .noSessions: "아무의 셸도 시작하지 않고, 들어올 다른 방법이 있는지 파일로만 판단합니다."
    case .sessions: "uaf-rescue 구성원의 셸을 시작해 봅니다. 그들의 파일이 실행됩니다."
    case .jsonStatus: "코어의 JSON 문서를 출력합니다."
    case .jsonAnswer: "서버의 응답을 JSON 객체 하나로 출력합니다."
    case .supported: "이 컴퓨터에 그 인증 수단이 있는지 알아봅니다."
    case .registered: "계정에 등록되어 있는지 알아봅니다."
    case .locked: "잠겨 있는지 알아봅니다."
    case .available: "지금 로그인에 쓸 수 있는지 알아봅니다."
    case .unlockFile: "잠금 해제 파일. -를 주면 표준 입력에서 읽거나 묻습니다."
    case .unlockCode: "터미널이나 표준 입력의 첫 줄에서 24자의 코드를 묻습니다."
    case .newRecoveryKey: "칩 없이 키를 여는 낱말을 쓸 새 파일."
    case .recoveryKey: "낱말이 든 파일. 없으면 물어봅니다."
    case .machinePayload: "가입 파일. -는 표준 입력입니다."
    case .examine: "doctor처럼 이 컴퓨터를 검사하고(서버는 제외) 실패한 항목의 이름을 알립니다."
    case .fingerprint: "지문이 이것인 서버에만 가입합니다."
    case .group: "이 그룹에만 가입합니다."
    case .force: "서비스가 패스코드를 물어 아무도 들어갈 수 없게 되더라도 탈퇴합니다."
    case .ifJoined: "이 컴퓨터가 가입하지 않았거나 send_device가 false이면 아무것도 하지 않고 성공으로 끝납니다."
    case .pamDirectory: "PAM 서비스의 폴더."
    case .service: "sudo 같은 서비스."
    case .shape:
      "패스코드의 역할: instead(비밀번호 대신), fallback(패스코드, 서버에 연결할 수 없으면 패스코드와 비밀번호), second-factor(비밀번호 다음에). "
        + "빼면 sshd와 단순한 로그인 화면(sddm, plasmalogin, ly)은 instead, 나머지는 fallback입니다."
    case .template: "준비된 스택: sudo, sshd, login, su, polkit-1, display-manager, sddm, locker. 빼면 서비스에 맞는 것입니다."
    case .until:
      "이 컴퓨터에 등록한 적이 없는 사람이 비밀번호로 들어올 수 있는 마지막 날(YYYY-MM-DD, UTC). 등록한 사람에게는 패스코드가 필요합니다. "
        + "빼면 그런 날이 없으며, 이전에 정한 날은 지웁니다."
    case .trial: "먼저 터미널에서 이 계정으로 로그인해 보고, 실패하면 아무것도 바꾸지 않습니다."
    case .dryRun: "무엇을 바꿀지 보여 주고 libpam으로 시험하지만, 아무의 셸도 시작하지 않고 아무것도 바꾸지 않습니다."
    case .only: "sudo 옆의 sudo-i처럼 같은 프로그램의 다른 이름은 그대로 둡니다."
    case .anyway:
      "지금 서비스를 쓰는 사람이 등록되어 있지 않거나, 이 컴퓨터에 로그인에 필요한 것이 없거나, sshd 설정으로는 스택이 작동하지 않아 거부되더라도 계속합니다. "
        + "비밀번호가 비어 있는 사람이 있어도 계속합니다."
    case .allServices: "패스코드를 묻게 했던 모든 서비스."
    case .anonymous: "계정과 호스트의 이름, 주소를 다른 말로 바꿉니다."
    case .withoutQuestion: "묻지 않고 파일에 씁니다."
    case .reportFile: "보고서를 쓸 새 파일. 빼면 보여 주기만 합니다."
    }
  }
}

extension ArgumentHelp {
  /// The help for an option or argument, in the current language.
  static func text(
    _ text: OptionHelp, valueName: String? = nil, visibility: ArgumentVisibility = .default
  ) -> ArgumentHelp {
    ArgumentHelp(text.text(in: HelpLanguage.current), valueName: valueName, visibility: visibility)
  }
}
