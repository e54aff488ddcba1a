import Wording

/// Why a machine could not join a server, or leave it.
enum JoinProblem: Equatable {
  /// The text is not a machine payload.
  case notUnderstood(PayloadProblem)
  /// The text is a person's enrolment code.
  case enrolmentCode
  /// The payload is for a server with this fingerprint, and not for the one that the administrator named.
  case otherFingerprint(String)
  /// The payload is for this group, and not for the one that the administrator named.
  case otherGroup(String)
  /// The machine has already joined this other server.
  case joinedElsewhere(String)
  /// The configuration already names this other server.
  case configuredElsewhere(String)
  /// The configuration names a server with this dialect, and a machine joins only by UAF in the bodies of the standard.
  case otherDialect(String)
  /// A file with the name that a join needs exists, and was not written by a join.
  case otherFile(String)
  /// The folder already has as many configuration files as are allowed.
  case tooManyFiles(String)
  /// The path has a quote character, which the configuration could not contain.
  case badPath(String)
  /// A file or a folder could not be written; the system's error number.
  case file(String, CInt)
  /// Another `uafctl join` or `leave` is running.
  case busy(String)
  /// These services ask for the passcode, so the machine cannot leave.
  case servicesAsk([String])
  /// The machine has joined no server that it could leave.
  case notJoined
}

extension JoinProblem: Catalogued {
  var english: FindingText {
    switch self {
    case .notUnderstood(let why):
      FindingText(
        "this is not a machine payload: \(ShownText.line(why.english))",
        do: "'uaf-server join-code create' prints it as one line: give that line's file whole")
    case .enrolmentCode:
      FindingText(
        "this is an enrolment code, by which a person registers, not a machine payload",
        do: "'uafctl register --code FILE' takes it; a machine joins with the line of 'uaf-server join-code create'")
    case .otherFingerprint(let found):
      FindingText(
        "the payload is of a server with another fingerprint: \(found)",
        do: "ask the server's administrator for the fingerprint, and trust no payload that has another one")
    case .otherGroup(let name):
      FindingText("the payload is for the group \(name)", do: "take a payload of the other group, or leave --group out")
    case .joinedElsewhere(let server):
      FindingText("this machine has joined \(ShownText.line(server))", do: "'uafctl leave' takes that back first")
    case .configuredElsewhere(let server):
      FindingText(
        "the configuration names another server already: \(ShownText.line(server))",
        do: "remove the addresses of [server] there, then join")
    case .otherDialect(let dialect):
      FindingText(
        "the configuration has dialect = \"\(dialect)\", and a machine joins only a uaf-server that it speaks to by UAF",
        do: "people register at that server without a join (uafctl register); to join another server, remove [server] "
          + "there")
    case .otherFile(let path):
      FindingText(
        "\(ShownText.line(path)) was not written by 'uafctl join'", do: "give it another name, or remove it, then join")
    case .tooManyFiles(let path):
      FindingText("\(ShownText.line(path)) has as many files as may be", do: "put some of them together")
    case .badPath(let path):
      FindingText("\(ShownText.line(path)): a path with a quote character cannot stand in the configuration")
    case .file(let path, let number):
      FindingText(
        "cannot write \(ShownText.line(path)): \(SystemReason(number).english)",
        do: "nothing was changed: join again then")
    case .busy(let path):
      FindingText("another 'uafctl join' or 'uafctl leave' works on \(ShownText.line(path))", do: "wait for its end")
    case .servicesAsk(let names):
      FindingText(
        "these services ask for the passcode, and without a server they let nobody in: "
          + ShownText.line(names.joined(separator: ", ")),
        do: "'uafctl pam disable --all' has them ask for the password again; --force leaves all the same")
    case .notJoined: FindingText("this machine has joined no server", do: "'uafctl join --payload FILE' joins one")
    }
  }

  var korean: FindingText {
    switch self {
    case .notUnderstood(let why):
      FindingText(
        "가입 파일의 내용이 아닙니다: \(ShownText.line(why.korean))",
        do: "'uaf-server join-code create'가 한 줄로 출력합니다. 그 줄 전체가 든 파일을 주십시오")
    case .enrolmentCode:
      FindingText(
        "가입 파일의 내용이 아니라 사용자가 등록할 때 쓰는 등록 코드입니다",
        do: "등록 코드는 'uafctl register --code FILE'에 쓰십시오. 컴퓨터는 'uaf-server join-code create'가 출력한 줄로 가입합니다")
    case .otherFingerprint(let found):
      FindingText(
        "가입 파일이 지문이 다른 서버의 것입니다: \(found)",
        do: "서버 관리자에게 지문을 물어보고, 지문이 다른 파일은 믿지 마십시오")
    case .otherGroup(let name):
      FindingText("가입 파일이 \(name) 그룹의 것입니다", do: "다른 그룹의 파일을 받거나 --group을 빼십시오")
    case .joinedElsewhere(let server):
      FindingText("이 컴퓨터는 이미 \(ShownText.line(server))에 가입했습니다", do: "먼저 'uafctl leave'로 탈퇴하십시오")
    case .configuredElsewhere(let server):
      FindingText(
        "설정에 이미 다른 서버가 있습니다: \(ShownText.line(server))",
        do: "설정에서 [server]의 주소를 지운 다음 가입하십시오")
    case .otherDialect(let dialect):
      FindingText(
        "설정이 dialect = \"\(dialect)\"인데, 컴퓨터는 UAF로 통신하는 uaf-server에만 가입합니다",
        do: "그 서버에는 가입하지 않아도 사용자가 등록할 수 있습니다(uafctl register). 다른 서버에 가입하려면 설정에서 [server]를 지우십시오")
    case .otherFile(let path):
      FindingText(
        "\(ShownText.line(path)): 'uafctl join'이 쓴 파일이 아닙니다", do: "이름을 바꾸거나 지운 다음 가입하십시오")
    case .tooManyFiles(let path):
      FindingText("\(ShownText.line(path)): 파일이 더 있을 수 없습니다", do: "몇 개를 하나로 합치십시오")
    case .badPath(let path): FindingText("\(ShownText.line(path)): 따옴표가 있는 경로는 설정에 쓸 수 없습니다")
    case .file(let path, let number):
      FindingText(
        "\(ShownText.line(path))을(를) 쓸 수 없습니다: \(SystemReason(number).korean)",
        do: "바뀐 것은 없습니다. 그 뒤에 다시 가입하십시오")
    case .busy(let path):
      FindingText(
        "다른 'uafctl join'이나 'uafctl leave'가 \(ShownText.line(path))에서 작업 중입니다", do: "끝날 때까지 기다리십시오")
    case .servicesAsk(let names):
      FindingText(
        "이 서비스들은 값을 묻는데, 서버가 없으면 아무도 들어갈 수 없습니다: "
          + ShownText.line(names.joined(separator: ", ")),
        do: "'uafctl pam disable --all'로 다시 비밀번호를 묻게 하십시오. --force를 주면 그대로 탈퇴합니다")
    case .notJoined:
      FindingText("이 컴퓨터는 어느 서버에도 가입하지 않았습니다", do: "'uafctl join --payload 파일'로 가입합니다")
    }
  }
}
