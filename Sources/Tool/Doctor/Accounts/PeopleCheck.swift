import Glibc
import FidoResults
import HostSystem
import UAFConfiguration
import Wording

/// The accounts registered on this machine: which are damaged, which are locked, and which the account stage cannot ask about.
struct PeopleCheck {
  let core: any StatusSource
  /// The directory in which names are looked up.
  let accounts: any AccountDirectory
  /// The state folder.
  let folder: String
  /// The uids of the accounts that have a file in a state folder.
  let registered: (String) -> [uid_t]
  let isRoot: Bool
  /// Whether the `account` lines of a service ask the server about accounts.
  let asksForStates: () -> Bool

  func findings() -> [Finding] {
    guard isRoot else { return [.skipped(PeopleText.closed)] }
    let survey: AccountSurvey
    do throws(StatusFailure) {
      survey = try AccountSurvey(folder, of: registered(folder), accounts: accounts, core: core)
    } catch {
      return [.skipped(PeopleText.unasked(error))]
    }
    var findings = survey.refused.map { Finding.failure(.accountDamaged, PeopleText.refused($0)) }
    findings += survey.nobodys.map { .warning(.accountUnknown, PeopleText.nobodys(file: $0)) }
    findings += survey.shared.map {
      .warning(.accountShared, PeopleText.shared($0.names, at: $0.serverName, survey.codes))
    }
    if !survey.locked.isEmpty {
      let text = PeopleText.locked(
        survey.locked.map { "\($0.name) (\($0.authenticators.map(\.type).joined(separator: ", ")))" },
        of: survey.standing.count)
      let isEverybody = survey.shutOut == survey.standing.count
      findings.append(isEverybody ? .failure(.accountsLocked, text) : .warning(.accountsLocked, text))
    }
    if !survey.waiting.isEmpty { findings.append(.warning(.lockOptions, PeopleText.waiting(survey.waiting))) }
    if !survey.uncounted.isEmpty { findings.append(.warning(.chipCount, PeopleText.uncounted(survey.uncounted))) }
    if !survey.withoutSecret.isEmpty, asksForStates() {
      findings.append(.warning(.accountSecret, PeopleText.withoutSecret(survey.withoutSecret)))
    }
    if !survey.behind.isEmpty {
      findings.append(.warning(.keyBehind, BehindText(names: survey.behind, codes: survey.codes)))
    }
    return findings.isEmpty ? [.ok(PeopleText.fine(count: survey.standing.count))] : findings
  }
}

/// The state of every account registered on this machine; only for root, who may read the state folder.
package struct AccountSurvey {
  /// An account whose state cannot be used, with the core's text.
  package struct Refused: Equatable {
    package let name: String
    package let text: String
  }

  /// Accounts whose state was read.
  private(set) var standing: [StatusDocument] = []
  /// Accounts whose state cannot be used.
  private(set) var refused: [Refused] = []
  /// Files whose uid belongs to no account.
  private(set) var nobodys: [String] = []

  /// Asks the core about each account that has a file.
  ///
  /// - Parameters:
  ///   - folder: the state folder.
  ///   - numbers: the uids of the accounts that have a file there.
  ///   - accounts: the directory in which their names are looked up.
  /// - Throws: ``StatusFailure`` if the core cannot be asked.
  package init(
    _ folder: String, of numbers: [uid_t], accounts: any AccountDirectory, core: any StatusSource
  ) throws(StatusFailure) {
    for number in numbers {
      guard let account = accounts.account(withID: number) else {
        nobodys.append("\(folder)/accounts/\(number).db")
        continue
      }
      let name = String(decoding: account.name, as: UTF8.self)
      switch try core.status(of: name) {
      // A deregistered account still has a file.
      case .standing(let document): if document.isRegistered { standing.append(document) }
      case .refused(let text): refused.append(Refused(name: name, text: text))
      }
    }
  }

  /// The server user names that several accounts share, each with these accounts.
  var shared: [(serverName: String, names: [String])] {
    let names = Dictionary(grouping: standing.filter { $0.serverUserName != nil }) { $0.serverUserName ?? "" }
    return names.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { serverName, documents in
      (serverName, documents.compactMap(\.accountName))
    }
  }

  /// The accounts with locked authenticators, with these authenticators.
  var locked: [(name: String, authenticators: [StatusDocument.Authenticator])] {
    standing.compactMap { document in
      let locked = document.authenticators.filter { $0.state == AuthenticatorState.locked }
      return locked.isEmpty ? nil : (document.accountName ?? "", locked)
    }
  }

  /// How many accounts cannot log in, because all their authenticators are locked.
  var shutOut: Int {
    standing.count { document in
      let states = document.authenticators.map(\.state)
      return states.contains(AuthenticatorState.locked) && !states.contains(AuthenticatorState.available)
    }
  }

  /// The accounts with a passcode or pattern whose wrong entries no chip counts, although a chip holds the machine's device
  /// key.
  ///
  /// A fingerprint has no entries that a chip could count.
  var uncounted: [String] {
    standing.filter { $0.authenticators.contains { $0.isCountedByMachine && $0.biometry == nil } }
      .compactMap(\.accountName)
  }

  /// The accounts about which this machine cannot ask the server, because the server gave it no secret for them.
  var withoutSecret: [String] { standing.filter { $0.hasMachineSecret == false }.compactMap(\.accountName) }

  /// What the server takes from a person who registers.
  var codes: CodeUse { standing.first?.codeUse(isRoot: false) ?? .roots }

  /// The accounts with a key for which the server has seen more signatures than this machine has made.
  var behind: [String] {
    standing.filter { $0.authenticators.contains { $0.atServer == "ahead" } }.compactMap(\.accountName)
  }

  /// The accounts for which changed lock options have no effect yet (3015).
  package var waiting: [String] {
    standing.filter { $0.authenticators.contains(where: \.lockOptionsWait) }.compactMap(\.accountName)
  }
}

/// Which accounts are registered on this machine; only for root, who may read the state folder.
package struct RegisteredAccounts {
  private let accounts: any AccountDirectory
  private let core: any StatusSource
  /// The uids of the accounts that have a file.
  private let numbers: [uid_t]

  /// - Parameters:
  ///   - installation: its configuration names the state folder. Without a usable configuration, nobody counts as registered.
  ///   - accounts: the directory in which names are looked up.
  ///   - core: asked about each account that has a file.
  package init(of installation: Installation, accounts: any AccountDirectory, core: any StatusSource) {
    self.accounts = accounts
    self.core = core
    let configuration = ConfigurationCheck(
      given: nil, standard: installation.configurationPath, owner: installation.owner, isRoot: true
    ).run().configuration
    numbers = configuration.map { installation.registered($0.state.directory) } ?? []
  }

  /// Whether an account has a registered authenticator, locked or not; false if the core cannot say, or if the server has
  /// disabled the account or refuses its keys.
  package func has(_ name: String) -> Bool {
    // The core needs some milliseconds for each account, and an organisation has many accounts that were never used on this
    // machine.
    guard let account = accounts.account(named: name), numbers.contains(account.userID) else { return false }
    // A deregistered account still has a file.
    guard case .standing(let document)? = try? core.status(of: name) else { return false }
    return document.mayLogIn
  }
}

/// Doctor's texts for root about all accounts.
package enum PeopleText: FindingCatalogue {
  case closed
  case unasked(StatusFailure)
  case refused(AccountSurvey.Refused)
  case nobodys(file: String)
  case shared([String], at: String, CodeUse)
  case locked([String], of: Int)
  case waiting([String])
  case uncounted([String])
  case withoutSecret([String])
  case fine(count: Int)

  package var english: FindingText {
    switch self {
    case .closed: FindingText.asRoot("accounts: everybody's locks and files")
    case .unasked(let error):
      FindingText(
        "accounts: the core cannot be asked: \(error.english.what)",
        do: "do what the lines about the core say, then run it again")
    case .refused(let account):
      FindingText(
        "accounts: \(account.name): \(account.text)",
        do: "restore what changed (server.username, the account's name, the file); "
          + "or uafctl forget \(account.name), and register anew")
    case .nobodys(let file):
      FindingText(
        "accounts: \(file) belongs to a uid that no account has",
        do: "remove it with its -journal, unless a directory service that knows the account is only out of reach")
    case .shared(let names, let serverName, let codes) where !codes.takesCodes:
      FindingText(
        "accounts: \(Self.list(names, more: { "and \($0) more" })) share the account \(serverName) at the server",
        do:
          "uafctl forget USER for each but the one that it belongs to; each of these then registers under a name of its own; the "
          + "keys that they had are to be revoked at the server, in the account \(serverName)")
    case .shared(let names, let serverName, _):
      FindingText(
        "accounts: \(Self.list(names, more: { "and \($0) more" })) share the account \(serverName) at the server",
        do:
          "uafctl forget USER for each but the one that it belongs to, and a new enrolment code for each under a name of "
          + "its own; uaf-server keys \(serverName) lists the keys that are to be revoked")
    case .locked(let names, let count):
      FindingText(
        "accounts: \(names.count) of \(count) locked: \(Self.list(names, more: { "and \($0) more" }))",
        do: "uafctl status USER says for how long; uafctl unlock USER lifts it")
    case .waiting(let names):
      FindingText(
        "accounts: changed lock options do not apply yet, because of wrong entries: "
          + "\(Self.list(names, more: { "and \($0) more" })) (3015)",
        do: "they apply after the person's next right entry, or uafctl unlock USER")
    case .uncounted(let names):
      FindingText(
        "accounts: the chip holds the machine's key, but does not count the wrong entries of "
          + "\(Self.list(names, more: { "and \($0) more" }))",
        do:
          "unless [tpm] use is off, have them set a new passcode or pattern (uafctl change); if this finding stays, make room in the chip "
          + "(pam_uaf.conf(5))")
    case .withoutSecret(let names):
      FindingText(
        "accounts: account_check cannot ask the server about \(Self.list(names, more: { "and \($0) more" })): it has given "
          + "this machine no secret for them",
        do: "each of them logs in once with uaf (uafctl authenticate); the server has to be uaf-server")
    case .fine(let count): FindingText("accounts: \(count) registered, none locked or damaged")
    }
  }

  package var korean: FindingText {
    switch self {
    case .closed: FindingText.asRootKorean("계정: 모든 사용자의 잠금과 파일")
    case .unasked(let error):
      FindingText("계정: 코어에 물을 수 없습니다: \(error.korean.what)", do: "코어에 관한 줄의 조치를 한 뒤 다시 실행하십시오")
    case .refused(let account):
      FindingText(
        "계정: \(account.name): \(account.text)",
        do: "바뀐 것(server.username, 계정 이름, 파일)을 되돌리거나, uafctl forget \(account.name) 후 새로 등록하십시오")
    case .nobodys(let file):
      FindingText(
        "계정: \(file): 그 번호의 계정이 없습니다", do: "계정 디렉터리가 잠시 끊긴 것이 아니라면 -journal과 함께 지우십시오")
    case .shared(let names, let serverName, let codes) where !codes.takesCodes:
      FindingText(
        "계정: \(Self.list(names, more: { "외 \($0)개" })): 서버에서 같은 계정을 함께 씁니다: \(serverName)",
        do: "그 계정의 주인이 아닌 계정마다 uafctl forget USER를 실행하고, 자기 이름으로 다시 등록하게 하십시오. 그들이 쓰던 키는 서버의 "
          + "\(serverName) 계정에서 폐기하십시오")
    case .shared(let names, let serverName, _):
      FindingText(
        "계정: \(Self.list(names, more: { "외 \($0)개" })): 서버에서 같은 계정을 함께 씁니다: \(serverName)",
        do: "그 계정의 주인이 아닌 계정마다 uafctl forget USER를 실행하고, 자기 이름의 새 등록 코드로 다시 등록하게 하십시오. 폐기할 키는 "
          + "uaf-server keys \(serverName)에서 확인하십시오")
    case .locked(let names, let count):
      FindingText(
        "계정: \(count)개 중 \(names.count)개가 잠겼습니다: \(Self.list(names, more: { "외 \($0)개" }))",
        do: "uafctl status USER 명령으로 기간을 확인하고, uafctl unlock USER 명령으로 잠금을 푸십시오")
    case .waiting(let names):
      FindingText(
        "계정: 잘못된 입력이 남아 있어 바뀐 잠금 설정이 아직 적용되지 않습니다: \(Self.list(names, more: { "외 \($0)개" })) (3015)",
        do: "본인이 올바른 값을 한 번 입력하거나 uafctl unlock USER 명령을 실행하면 적용됩니다")
    case .uncounted(let names):
      FindingText(
        "계정: 칩이 이 컴퓨터의 키를 보관하지만, 다음 계정의 잘못된 입력은 칩이 세지 않습니다: "
          + "\(Self.list(names, more: { "외 \($0)개" }))",
        do: "[tpm] use가 off가 아니면 해당 사용자가 값을 바꾸십시오(uafctl change). 그래도 남으면 칩의 공간을 비우십시오"
          + "(pam_uaf.conf(5))")
    case .withoutSecret(let names):
      FindingText(
        "계정: account_check가 다음 계정에 관해 서버에 물을 수 없습니다: \(Self.list(names, more: { "외 \($0)개" })). 서버가 이 컴퓨터에 "
          + "비밀을 주지 않았습니다",
        do: "해당 사용자가 uaf로 한 번 로그인하십시오(uafctl authenticate). 서버는 uaf-server여야 합니다")
    case .fine(let count): FindingText("계정: \(count)개가 등록되어 있고, 잠기거나 손상된 것은 없습니다")
    }
  }

  // A longer list would not fit in a line.
  private static let longest = 10

  static func list(_ names: [String], more: (Int) -> String) -> String {
    let shown = names.prefix(longest).joined(separator: ", ")
    return names.count <= longest ? shown : "\(shown), \(more(names.count - longest))"
  }
}
