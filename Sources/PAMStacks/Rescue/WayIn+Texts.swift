// Why there is no other way in, and who has one.

import Wording

extension WayIn {
  /// One thing that is missing.
  enum Lack: Equatable, Catalogued {
    case leadsNobodyPast
    case rootsPassword(PasswordState)
    case noConsole
    /// A right password gets no farther than this line.
    case refused(StackLinePlace)
    case noGroup
    case emptyGroup
    /// Why a member of the group does not get in.
    case member(String, Member)

    var english: String {
      let group = WayIn.rescueGroup
      return switch self {
      case .leadsNobodyPast: "the stack leads nobody of \(group) past pam_uaf"
      case .rootsPassword(let state): "root's password is \(state.english)"
      case .noConsole: "the console (login) asks pam_uaf as well, or is not there"
      case .refused(let place): "\(place.path):\(place.line) refuses the right password"
      case .noGroup: "there is no group \(group)"
      case .emptyGroup: "the group \(group) is empty"
      case .member(let name, let lack): "\(ShownText.line(name)) of \(group) \(lack.english)"
      }
    }

    var korean: String {
      let group = WayIn.rescueGroup
      return switch self {
      case .leadsNobodyPast: "스택에서 \(group) 그룹이 pam_uaf를 건너뛰지 않습니다"
      case .rootsPassword(let state): "root의 비밀번호: \(state.korean)"
      case .noConsole: "콘솔(login)도 pam_uaf를 쓰거나 콘솔이 없습니다"
      case .refused(let place): "\(place.path):\(place.line)에서 맞는 비밀번호가 거부됩니다"
      case .noGroup: "그룹 \(group)이(가) 없습니다"
      case .emptyGroup: "그룹 \(group)이(가) 비어 있습니다"
      case .member(let name, let lack): "\(group) 그룹의 \(ShownText.line(name)): \(lack.korean)"
      }
    }
  }

  /// Why a member of the rescue group does not become root by a password.
  enum Member: Equatable, Catalogued {
    case noAccount
    case password(PasswordState)
    case noConsole
    case noAdministrator(groups: [String])
    case noSudo

    var english: String {
      switch self {
      case .noAccount: "is no account"
      case .password(let state): "has a password that is \(state.english)"
      case .noConsole: "cannot log in by a password: the console (login) is not there, or leads nobody past pam_uaf"
      case .noAdministrator(let groups): "is in none of the groups \(groups.joined(separator: ", "))"
      case .noSudo: "cannot become root by a password: sudo is not there, or leads nobody past pam_uaf"
      }
    }

    var korean: String {
      switch self {
      case .noAccount: "그런 계정이 없습니다"
      case .password(let state): "비밀번호: \(state.korean)"
      case .noConsole: "비밀번호로 로그인할 수 없습니다. 콘솔(login)이 없거나 아무도 pam_uaf를 건너뛰지 않습니다"
      case .noAdministrator(let groups): "다음 그룹 어디에도 없습니다: \(groups.joined(separator: ", "))"
      case .noSudo: "비밀번호로 root가 될 수 없습니다. sudo가 없거나 아무도 pam_uaf를 건너뛰지 않습니다"
      }
    }
  }

  /// What to do if there is no other way in.
  package struct Hint: Catalogued {
    private let commands =
      "groupadd --system \(WayIn.rescueGroup); usermod --append --groups \(WayIn.rescueGroup) ADMINISTRATOR"

    /// The hint, the same for everybody.
    package init() {}

    /// It in English.
    package var english: String { "\(commands), who has a password and may use sudo" }
    /// It in Korean.
    package var korean: String { "\(commands). ADMINISTRATOR는 비밀번호가 있고 sudo를 쓸 수 있어야 합니다" }
  }
}

extension WayIn.Objection {
  /// What to do about it, in English.
  var englishRemedy: String {
    isRefusal ? "have a right password end before that line, or go past it: a jump counts lines" : WayIn.Hint().english
  }

  /// What to do about it, in Korean.
  var koreanRemedy: String {
    isRefusal ? "맞는 비밀번호가 그 줄에 걸리지 않게 하십시오. 건너뛰기는 줄 수를 셉니다" : WayIn.Hint().korean
  }

  private var isRefusal: Bool {
    if case .refused? = lacks.first { true } else { false }
  }
}

extension WayIn.Objection: Catalogued {
  /// It in English.
  package var english: String { lacks.map(\.english).joined(separator: "; ") }
  /// It in Korean.
  package var korean: String { lacks.map(\.korean).joined(separator: "; ") }
}

extension WayIn.Way: Catalogued {
  /// It in English.
  package var english: String {
    rescuer.map { "\(ShownText.line($0)), by the password at the console, as one of \(WayIn.rescueGroup)" }
      ?? "root, by the password at the console, where pam_uaf is not asked"
  }

  /// It in Korean.
  package var korean: String {
    rescuer.map { "\(ShownText.line($0)), \(WayIn.rescueGroup) 그룹으로서 콘솔에서 비밀번호로" }
      ?? "root, pam_uaf를 쓰지 않는 콘솔에서 비밀번호로"
  }
}

extension PasswordState: Catalogued {
  /// It in English.
  package var english: String {
    switch self {
    case .usable: "usable"
    case .unknown: "not set"
    case .empty: "empty"
    case .locked: "locked"
    case .expired: "expired"
    }
  }

  /// It in Korean.
  package var korean: String {
    switch self {
    case .usable: "쓸 수 있습니다"
    case .unknown: "정해지지 않았습니다"
    case .empty: "비어 있습니다"
    case .locked: "잠겨 있습니다"
    case .expired: "기한이 지났습니다"
    }
  }
}
