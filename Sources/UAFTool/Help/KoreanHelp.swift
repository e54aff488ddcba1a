// The English texts are at the declarations of the commands, where the parser reads them.

/// The words of help in Korean.
enum KoreanHelp {
  /// By the names after `uafctl`; the program itself has none.
  static let commands = people.merging(root) { first, _ in first }

  /// Options and arguments with the same meaning in every command.
  static let shared = [
    "--conf <file>": "설정 파일. root만 쓸 수 있습니다.",
    "--version": "버전을 보여 줍니다.",
    "-h, --help": "도움말을 보여 줍니다.",
    "<user>": "계정. root만 지정할 수 있습니다. 빼면 자신의 계정입니다.",
    "<type>": "passcode 같은 인증 수단. 하나뿐이면 필요 없습니다.",
    "--code, --payload <file>": "등록 코드가 든 파일. -는 표준 입력이며, 터미널이면 물어봅니다.",
    "--token": "서버의 토큰을 출력합니다.",
    "--json-conversation": "JSON 줄로 묻습니다.",
    "--json": "스크립트를 위해 결과를 JSON 객체 하나로 출력합니다.",
    "--pam-directory <folder>": "PAM 서비스의 폴더.",
    "--only": "sudo 옆의 sudo-i처럼 같은 프로그램의 다른 이름은 그대로 둡니다.",
  ]

  private static let people: [String: CommandWords] = [
    "": CommandWords(
      "로그인에 쓰는 패스코드를 등록하고 확인하며 pam-uaf를 관리합니다.",
      """
      패스코드와 등록 코드는 화면에 보이지 않게 터미널에서 묻습니다. 표준 입력이 터미널이 아니면 질문마다 한 줄을 \
      읽습니다. 표준 출력에는 결과만 나옵니다.


      """ + ExitStatusHelp().korean),
    "register": CommandWords(
      "계정의 인증 수단을 서버에 등록합니다.",
      """
      계정의 첫 등록에는 관리자가 서버에서 받은 등록 코드가 필요합니다. 그다음 등록은 이미 등록한 인증 수단으로 \
      대신 증명할 수 있습니다.
      """, ["<type>": "passcode 같은 인증 수단."]),
    "authenticate": CommandWords(
      "실제로 로그인하지 않고 로그인 과정을 거칩니다.",
      """
      --json-conversation을 주면 그래픽 프로그램이 대신 묻습니다. 질문과 알림은 표준 출력에 한 줄의 JSON으로 나오고, \
      마지막 줄은 성공 또는 실패입니다. 질문에는 표준 입력의 한 줄 {"answer":"..."} 또는 {"cancel":true}로 답합니다. \
      각 항목은 docs/json-conversation.md에 있습니다.
      --divided를 주면 그 프로그램이 계속하라고 할 때까지 아무것도 묻지 않고, 그동안 서버의 요청을 받아 둡니다. 명령줄은 다른 \
      사용자에게도 보이므로 --transaction의 텍스트도 보입니다.
      """,
      [
        "--divided": "서버의 요청을 받아 두고 이를 알린 뒤, 계속하라고 하면 묻습니다.",
        "--transaction <text>": "패스코드로 승인하고 서버가 보관할 텍스트.",
      ]),
    "change": CommandWords(
      "패스코드나 패턴을 바꿉니다.",
      """
      먼저 지금 값을 묻고, 틀리면 시도 횟수에 포함됩니다. 새 값은 두 번 묻습니다. 등록은 그대로 남습니다. 지금 값을 \
      모르면 초기화해야 합니다.
      """),
    "reset": CommandWords(
      "잊어버린 패스코드나 패턴을 지우고 그 키를 쓸 수 없게 합니다.",
      """
      사용자에게는 새 등록 코드와, 응답에 서명하는 서버(require_signed_verdict)가 필요합니다. 이때 서버에서도 키가 \
      지워집니다. root에게는 필요 없지만, --deregister로 코드를 주지 않으면 서버에는 키가 남습니다.
      """,
      [
        "--code, --payload <file>": "새 등록 코드가 든 파일. -는 표준 입력이며, 터미널이면 물어봅니다.",
        "--deregister": "서버에서도 키를 지웁니다. root만, --code와 함께 쓸 수 있습니다.",
      ]),
    "deregister": CommandWords(
      "이 컴퓨터와 서버에서 등록을 지웁니다.", "",
      [
        "--all": "계정의 모든 인증 수단.",
        "--token": "키가 지워졌음을 알리는 서버의 토큰을 출력합니다.",
        "--code, --payload <file>": "증명으로 쓸 등록 코드가 든 파일. -는 표준 입력이며, 터미널이면 물어봅니다.",
      ]),
    "oob": CommandWords(
      "코드가 요구하는 일을 합니다: 등록하거나, 다른 곳의 로그인을 승인하거나 거절합니다.",
      """
      코드는 서버가 출력하거나 QR 그림에 든 한 줄입니다. 무엇을 요구하는지는 코드에 적혀 있습니다. 명령줄은 다른 \
      사용자에게도 보이므로, 코드 자체는 시연처럼 서버가 이 컴퓨터일 때만 명령줄에 쓸 수 있습니다. \
      승인을 취소하면 시간이 다할 때까지 그대로 남고, --deny는 이를 끝냅니다.
      """,
      [
        "<code>": "코드가 든 파일. -는 표준 입력이며, 터미널이면 물어봅니다.",
        "--deny": "코드가 승인을 요구한 것을 완전히 거절합니다. 아무것도 묻지 않습니다.",
      ]),
    "status": CommandWords(
      "무엇이 등록되어 있고 무엇이 잠겨 있는지 보여 줍니다.",
      """
      --supported, --registered, --locked, --available을 주면 종료 상태가 인증 수단 하나에 관한 물음에 답합니다. 0은 예, 1은 \
      아니요, 2 이상은 그 밖의 경우입니다. 지원하지만 등록하지 않은 것은 등록할 수 있습니다. 사용할 수 있는지는 로그인할 때와 같은 \
      방법으로 알아봅니다.
      """,
      [
        "--json": "코어의 JSON 문서를 출력합니다.",
        "--supported <type>": "이 컴퓨터에 그 인증 수단이 있는지 알아봅니다.",
        "--registered <type>": "계정에 등록되어 있는지 알아봅니다.",
        "--locked <type>": "잠겨 있는지 알아봅니다.",
        "--available <type>": "지금 로그인에 쓸 수 있는지 알아봅니다.",
      ]),
    "policy": CommandWords("새 값의 규칙을 시험합니다."),
    "policy check": CommandWords(
      "값을 정하지 않고 패스코드 규칙에 맞는지 시험합니다.",
      """
      값은 화면에 보이지 않게 터미널에서 묻거나 표준 입력의 첫 줄에서 읽습니다. 종료 상태는 사용할 수 있으면 0, 없으면 \
      1이며 문제마다 규칙의 키로 시작하는 한 줄이 나옵니다. 설정을 사용할 수 없는 경우 등은 2 이상입니다. 아무것도 저장하거나 \
      보내지 않으며 root가 아니어도 됩니다. root가 아닌 사용자는 자신의 파일을 시험할 수 있습니다. root에게는 \
      잘못된 입력이 남아 있어 그 파일의 잠금 설정이 아직 적용되지 않는 사람도 알려 줍니다.
      """, ["--conf <file>": "설정 파일. root의 파일이나 자신의 파일입니다."]),
  ]

  private static let root: [String: CommandWords] = [
    "unlock": CommandWords("계정의 모든 잠금을 풉니다. root만 할 수 있습니다.", "", ["<user>": "계정."]),
    "forget": CommandWords(
      "이 컴퓨터에서 계정에 관한 모든 것을 지웁니다. root만 할 수 있습니다.",
      """
      서버에는 알리지 않습니다. 계정의 키를 쓸 수 있는 동안에는 deregister를 쓰십시오. 지운 뒤에는 이 컴퓨터에 등록한 적이 \
      없는 계정이 되며, PAM 스택에 nouserok이 있으면 통과합니다.
      """, ["<user>": "계정."]),
    "init": CommandWords(
      "이 컴퓨터의 키를 한 번 만듭니다. root만 할 수 있습니다.",
      "칩이 키를 봉인할지는 설정의 [tpm]이 정합니다. 복구 키는 메인보드를 바꾼 때처럼 칩이 없어도 키를 엽니다.",
      ["--recovery-key <file>": "칩 없이 키를 여는 낱말을 쓸 새 파일."]),
    "seal": CommandWords(
      "이 컴퓨터의 키를 칩(TPM)으로 옮깁니다. root만 할 수 있습니다.",
      """
      계정은 그대로 쓸 수 있습니다. 그다음에는 이 컴퓨터의 칩이나 복구 키만 키를 엽니다. 그 전에 복사한 키 파일은 여전히 \
      키를 엽니다.
      """, ["--recovery-key <file>": "칩 없이 키를 여는 낱말을 쓸 새 파일."]),
    "unseal": CommandWords(
      "이 컴퓨터의 키를 칩(TPM)에서 파일로 옮깁니다. root만 할 수 있습니다.",
      "계정은 그대로 쓸 수 있습니다. 칩을 초기화하거나 메인보드를 바꾸기 전에 실행하십시오."),
    "recover": CommandWords(
      "이 컴퓨터의 키를 복구 키로 엽니다. root만 할 수 있습니다.",
      """
      칩이 초기화되었거나 바뀌었거나 없을 때 씁니다. 지금 있는 칩이 키를 봉인하며, [tpm]에 use = "off"가 있으면 파일에 \
      둡니다. 계정은 그대로 쓸 수 있습니다.
      """, ["--recovery-key <file>": "낱말이 든 파일. 없으면 물어봅니다."]),
    "trust": CommandWords("등록 코드의 서버를 설정에 씁니다. root만 할 수 있습니다."),
    "join": CommandWords(
      "가입 파일에 있는 서버에 이 컴퓨터를 가입시킵니다. root만 할 수 있습니다.",
      """
      서버의 주소, 인증 기관, 응답 서명 키를 설정 폴더에 쓰고 서버가 이 컴퓨터를 알게 합니다. 서버가 거절하면 아무것도 바뀌지 \
      않습니다. 마지막에 doctor가 남은 일을 알려 줍니다.
      """,
      [
        "--payload <file>": "가입 파일. -는 표준 입력입니다.",
        "--fingerprint <hex>": "지문이 이것인 서버에만 가입합니다.",
        "--group <name>": "이 그룹에만 가입합니다.",
        "--json": "줄 대신 JSON 객체 하나를 출력합니다.",
      ]),
    "leave": CommandWords(
      "이 컴퓨터의 서버 가입을 되돌립니다. root만 할 수 있습니다.",
      """
      서버에 알리고, join이 쓴 것을 지웁니다. 서버에 연결할 수 없어도 탈퇴합니다. 사용자들의 키는 이 컴퓨터와 서버에 남습니다. \
      서비스가 패스코드를 묻는 동안에는 --force 없이는 아무것도 바뀌지 않습니다.
      """, ["--force": "서비스가 패스코드를 물어 아무도 들어갈 수 없게 되더라도 탈퇴합니다."]),
    "facet": CommandWords(
      "이 클라이언트가 자신을 무엇이라 밝히는지, 서버의 목록에 무엇이 있어야 하는지 출력합니다.",
      """
      첫 줄은 FacetID입니다. 둘째 줄은 서버의 AppID가 가리키는 신뢰 facet 문서로, 이 클라이언트만 있을 때의 \
      내용입니다. 이미 문서가 있는 서버는 목록에 FacetID를 더하면 됩니다.
      """),
    "doctor": CommandWords(
      "설치를 점검하고 잘못된 것을 어떻게 고치는지 알려 줍니다.",
      """
      각 줄은 ok, warn, FAIL로 시작하며, root만 볼 수 있는 것은 skip으로 시작합니다. 종료 상태는 실패가 없으면 0, 있으면 \
      1입니다. --json을 주면 스크립트를 위한 JSON 객체 하나를 출력합니다. 각 항목은 uafctl(1)에 있습니다.
      """, ["--json": "줄 대신 JSON 객체 하나를 출력합니다."]),
    "pam": CommandWords("서비스가 패스코드를 묻게 하거나 그만 묻게 합니다."),
    "pam enable": CommandWords(
      "서비스가 패스코드를 묻게 합니다. root만 할 수 있습니다.",
      """
      준비된 스택을 서비스 파일 옆에 uaf-SERVICE로 복사하고, 비밀번호 스택을 포함하던 한 줄이 이것을 포함하도록 \
      바꿉니다. 먼저 libpam으로 새 스택을 시험하며, 관리자가 들어올 다른 방법이 없으면 아무것도 바꾸지 않습니다. 다른 \
      --shape로 다시 실행하면 모양이 바뀝니다. "sudo -i"의 sudo-i처럼 같은 프로그램의 다른 이름도 함께 바꾸며, 모두 바꾸거나 \
      하나도 바꾸지 않습니다.
      """,
      [
        "<service>": "sudo 같은 서비스.",
        "--shape <shape>": """
        패스코드의 역할: instead(비밀번호 대신), fallback(패스코드, 서버에 연결할 수 없으면 패스코드와 비밀번호), \
        second-factor(비밀번호 다음에). 빼면 sshd는 instead, 나머지는 fallback입니다.
        """,
        "--template <name>": "준비된 스택: sudo, sshd, login, su, polkit-1, display-manager, sddm, locker. 빼면 서비스에 맞는 것입니다.",
        "--try <user>": "먼저 터미널에서 이 계정으로 로그인해 보고, 실패하면 아무것도 바꾸지 않습니다.",
        "--dry-run": "무엇을 바꿀지 보여 주고 시험하지만 아무것도 바꾸지 않습니다.",
      ]),
    "pam disable": CommandWords(
      "한 서비스 또는 모든 서비스가 다시 비밀번호를 묻게 합니다. root만 할 수 있습니다.",
      """
      enable이 바꾼 한 줄을 되돌리고 스택을 지웁니다. 다른 줄은 그대로 두며, 직접 고친 스택은 숨은 이름으로 남깁니다. \
      패스코드를 묻는 줄이 남아 있으면 알리고 실패합니다. uafctl이 쓰지 않은 줄은 건드리지 않습니다. sudo처럼 프로그램의 주된 \
      이름을 지정하면 sudo-i 같은 다른 이름도 그만 묻습니다.
      """, ["<service>": "sudo 같은 서비스.", "--all": "패스코드를 묻게 했던 모든 서비스."]),
    "pam status": CommandWords(
      "패스코드를 묻는 서비스를 보여 줍니다.",
      """
      패스코드를 묻지 않는 것도 알려 줍니다: 같은 프로그램의 다른 이름과, 세션으로 들어가는 다른 길. --json을 주면 스크립트를 \
      위한 JSON 객체 하나를 출력합니다. 각 항목은 uafctl(1)에 있습니다.
      """, ["--json": "줄 대신 JSON 객체 하나를 출력합니다."]),
  ]
}
