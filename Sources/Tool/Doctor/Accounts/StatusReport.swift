import FidoResults
import Glibc
import UAFConfiguration
import UAFMessages
import Wording

/// Shows the core's *status* document to a person, as lines of text.
package struct StatusReport {
  private let language: Language
  private let isRoot: Bool

  /// - Parameter isRoot: whether root reads it; commands for root name the account.
  package init(language: Language, isRoot: Bool = false) {
    self.language = language
    self.isRoot = isRoot
  }

  /// The lines, without an end of line at the last one.
  package func text(_ document: StatusDocument) -> String {
    var lines: [String] = []
    if let name = document.accountName { lines.append(words(.account(ShownText.line(name)))) }
    if let name = document.serverUserName { lines.append(words(.nameAtServer(ShownText.line(name)))) }
    if let state = document.serverState { lines.append(words(.serverState(state))) }
    if document.authenticators.isEmpty { lines.append(words(.noAuthenticator)) }
    for authenticator in document.authenticators { lines += self.lines(authenticator, of: document) }
    return lines.joined(separator: "\n")
  }

  /// One authenticator in a line.
  package func line(_ authenticator: StatusDocument.Authenticator) -> String {
    let name = authenticator.aaid.map { " (\(ShownText.line($0)))" } ?? ""
    let state = authenticator.isRefused ? StatusText.refusedAtServer : .state(authenticator.state)
    return "\(ShownText.line(authenticator.type))\(name): \(words(state))"
  }

  private func lines(_ authenticator: StatusDocument.Authenticator, of document: StatusDocument) -> [String] {
    var lines = [line(authenticator)]
    let isInUse = authenticator.isHeld
    if let said = said(of: authenticator, in: document) { lines.append("  " + words(said)) }
    if isInUse, let local = authenticator.local { lines.append("  " + words(.here(local))) }
    if isInUse, let remote = authenticator.remote { lines.append("  " + words(.overNetwork(remote))) }
    if isInUse, let others = authenticator.otherUser { lines.append("  " + words(.byOthers(others))) }
    if let obstacle = Self.obstacle(to: authenticator) { lines.append("  " + told(obstacle, of: authenticator)) }
    if authenticator.lockOptionsWait { lines.append("  " + waiting) }
    return lines
  }

  /// The server's refusal of the keys, with the remedy; nil if it refused nothing.
  private func said(of authenticator: StatusDocument.Authenticator, in document: StatusDocument) -> StatusText? {
    let codes = document.codeUse(isRoot: isRoot)
    let isBesideAnother = document.authenticators.contains {
      $0 != authenticator && $0.state == AuthenticatorState.available && $0.atServer == nil
    }
    return switch authenticator.atServer {
    case "revoked": .revokedAtServer(codes)
    case "unknown":
      isBesideAnother
        ? .unknownBesideAnother(type: ShownText.line(authenticator.type), codes) : .unknownAtServer(codes)
    case "ahead": .aheadAtServer(codes)
    // A state that the server has signed has its own line.
    case "forbidden": document.serverState?.isBlocked == true ? nil : .forbiddenAtServer
    default: nil
    }
  }

  /// What prevents the use of a sensor; nil if nothing does.
  static func obstacle(to authenticator: StatusDocument.Authenticator) -> FidoResult? {
    // A key that is not bound to what is enrolled can be used.
    let usable: [FidoResult] = [.biometryNotChanged, .biometryStateNotSupported]
    guard let code = authenticator.biometry else { return nil }
    return FidoResult.allListed.first { $0.code == code && !usable.contains($0) }
  }

  /// Why a sensor cannot be used, and what to do.
  ///
  /// A face is not accepted again by entering the passcode.
  static func words(
    about obstacle: FidoResult, of type: String, in language: Language
  ) -> (what: String, nextStep: String?) {
    let text = obstacle == .biometryChanged && type == "face" ? PromptText.faceChanged : nil
    return (
      text?.text(in: language) ?? obstacle.text(in: language), text == nil ? obstacle.nextStep(in: language) : nil
    )
  }

  private func told(_ obstacle: FidoResult, of authenticator: StatusDocument.Authenticator) -> String {
    let (what, nextStep) = Self.words(about: obstacle, of: authenticator.type, in: language)
    return [what, nextStep].compactMap(\.self).joined(separator: " ") + " [\(obstacle.code)]"
  }

  /// The text of 3015, and what to do.
  private var waiting: String { told(.lockOptionsIgnored) }

  /// The text of a result, and what to do.
  private func told(_ result: FidoResult) -> String {
    let words = [result.text(in: language), result.nextStep(in: language)].compactMap(\.self)
    return words.joined(separator: " ") + " [\(result.code)]"
  }

  private func words(_ text: StatusText) -> String { text.text(in: language) }
}

/// The document of *status*, as the core writes it.
package struct StatusDocument: Equatable {
  /// One authenticator of the account.
  package struct Authenticator: Equatable {
    package let type: String
    /// Nil for a type that this version of the core cannot verify; such a type has no counters.
    package let aaid: String?
    /// 3005 to 3008.
    package let state: Int64
    /// What the server last said about its keys if they cannot be used: `revoked`, `unknown`, `ahead` if it has seen more
    /// signatures than this machine has made, or `forbidden` if it does not allow the account's requests.
    package let atServer: String?
    package let local: Counter?
    /// The counter of attempts over the network.
    package let remote: Counter?
    /// The counter of attempts by other accounts of this machine; nil if nothing was counted.
    package let otherUser: Counter?
    /// Whether changed lock options have no effect yet, because wrong entries are counted (3015).
    package let lockOptionsWait: Bool
    /// Whether only this machine counts its wrong entries, although a chip holds the machine's device key.
    package let isCountedByMachine: Bool
    /// The state of a fingerprint or a face, as a result of the core; nil for a passcode or pattern.
    package let biometry: UInt32?
    /// `kept` or `declined`, what was decided about the password of the person's keyring; nil if nothing was.
    package let keyring: String?

    /// Whether the account has it on this machine, whatever the server says about its keys.
    package var isHeld: Bool {
      [AuthenticatorState.available, AuthenticatorState.locked].contains(state) || isRefused
    }

    /// Whether one of its locks is permanent.
    var isLockedForGood: Bool { [local, remote, otherUser].contains { $0?.isPermanent == true } }

    /// Whether it is on this machine, but no login can use it because the server refuses its keys.
    package var isRefused: Bool { state == AuthenticatorState.notRegistered && atServer != nil }

    /// Whether `name` is its type or its AAID.
    package func isCalled(_ name: String) -> Bool { name == type || name == aaid }
  }

  /// A lock counter.
  package struct Counter: Equatable {
    package let isPermanent: Bool
    package let remainingTries: Int64
    package let remainingLockSeconds: Int64
  }

  /// The core's version; nil if the core does not say.
  package let version: String?
  package let accountName: String?
  package let serverUserName: String?
  package let authenticators: [Authenticator]
  /// The server's last report about the account; nil if the server was never asked, or if the core does not say.
  package let serverState: ServerState?
  /// Whether the server has given this machine the secret that `account_check` needs; nil if the core does not say.
  package let hasMachineSecret: Bool?
  /// Whether a code that a person enters can set a passcode or pattern for an account in use; nil if the core does not say.
  package let codesSetValues: Bool?
  /// Whether the server takes enrolment codes.
  package let takesCodes: Bool
  /// Nil if root lets the server decide nothing.
  package let policy: FollowedPolicyState?
  /// The keys and authorities that the server has announced to this machine.
  let announced: AnnouncedTrust
  /// Since when the server that this machine has joined says that it does not know the machine, in seconds since 1970; nil if
  /// it knows it.
  package let serverUnknownSince: Int64?
  /// Whether logins open keyrings on this machine.
  package let unlocksKeyring: Bool

  /// Reads the document; unknown members are ignored, so that a newer core may add some.
  ///
  /// Nil if it is no such document.
  package init?(parsing text: String) {
    guard case .object(let document)? = try? JSONValue(parsing: Array(text.utf8)),
      case .array(let list)? = document["authenticators"]
    else { return nil }
    version = document.text("version")
    var account: JSONObject?
    if case .object(let object)? = document["account"] { account = object }
    accountName = account?.text("name")
    serverUserName = account?.text("serverUserName")
    var authenticators: [Authenticator] = []
    for element in list {
      guard let authenticator = Self.authenticator(element) else { return nil }
      authenticators.append(authenticator)
    }
    self.authenticators = authenticators
    serverState = ServerState(document["serverState"])
    hasMachineSecret = if case .bool(let isThere)? = document["hasMachineSecret"] { isThere } else { nil }
    codesSetValues = if case .bool(let doThey)? = document["codesSetValues"] { doThey } else { nil }
    takesCodes = document["takesCodes"] != .bool(false)
    policy = FollowedPolicyState(document["policy"])
    announced = AnnouncedTrust(document["announced"], hasJoined: document["joined"] == .bool(true))
    serverUnknownSince = document.number("serverUnknownSince")
    unlocksKeyring = document["unlocksKeyring"] == .bool(true)
  }

  /// Who can set a new passcode or pattern for the account with a code.
  ///
  /// - Parameter isRoot: whether root reads it.
  package func codeUse(isRoot: Bool) -> CodeUse {
    guard takesCodes else { return .noCodes(root: isRoot ? accountName : nil) }
    if isRoot, let accountName { return .root(of: accountName) }
    return codesSetValues == false ? .roots : .persons
  }

  /// Whether anything is registered.
  package var isRegistered: Bool {
    authenticators.contains(where: \.isHeld)
  }

  /// Whether a login with a registered authenticator is possible now or after a lock, as far as this machine knows.
  package var mayLogIn: Bool {
    serverState?.standing != .disabled && authenticators.contains { $0.isHeld && !$0.isRefused }
  }

  private static func authenticator(_ value: JSONValue) -> Authenticator? {
    guard case .object(let object) = value, let type = object.text("type"), let state = object.number("state") else {
      return nil
    }
    let (aaid, local) = (object.text("aaid"), counter(object))
    guard aaid != nil && local != nil || state == AuthenticatorState.notSupported else { return nil }
    func member(_ name: String) -> Counter? {
      if case .object(let object)? = object[name] { counter(object) } else { nil }
    }
    let isWaiting = if case .bool(true)? = object["lockOptionsWait"] { true } else { false }
    return Authenticator(
      type: type, aaid: aaid, state: state, atServer: object.text("atServer"), local: local, remote: member("remote"),
      otherUser: member("otherUser"), lockOptionsWait: isWaiting,
      isCountedByMachine: object.text("countedBy") == "machine",
      biometry: object.number("biometry").flatMap { UInt32(exactly: $0) }, keyring: object.text("keyring"))
  }

  private static func counter(_ object: JSONObject) -> Counter? {
    guard case .bool(let permanent)? = object["permanent"], let tries = object.number("remainingTries"),
      let seconds = object.number("remainingLockSeconds")
    else { return nil }
    return Counter(isPermanent: permanent, remainingTries: tries, remainingLockSeconds: seconds)
  }
}

extension JSONObject {
  fileprivate func number(_ name: String) -> Int64? {
    if case .integer(let number)? = self[name] { number } else { nil }
  }
}

/// The core's answer to *status* for an account.
package enum StatusAnswer: Equatable {
  /// Its state.
  case standing(StatusDocument)
  /// Why its state cannot be used, with the core's text.
  case refused(String)
}

/// Why the core could not be asked for an account's state, with the text of the program that asked.
package struct StatusFailure: Error, FindingCatalogue, Equatable {
  package let english: FindingText
  package let korean: FindingText
  /// Whether there is no core that this caller could ask; the check of the socket reports that already.
  package let isAbsence: Bool
  /// Whether the core answered that the state of this account cannot be used.
  package let isOfAccount: Bool

  package init(_ text: some Catalogued<FindingText>, isAbsence: Bool = false) {
    english = text.english
    korean = text.korean
    self.isAbsence = isAbsence
    isOfAccount = false
  }

  /// The state of this account cannot be used.
  ///
  /// - Parameters:
  ///   - text: why, in the core's words and in the language that it was asked in.
  ///   - nextStep: what can be done; nil if `text` says it.
  package init(ofAccount text: String, nextStep: String?) {
    english = FindingText(text, do: nextStep)
    korean = english
    isAbsence = false
    isOfAccount = true
  }
}

/// The part of the core that reports the state of accounts.
///
/// The program that talks to the core implements this.
package protocol StatusSource {
  /// The state of the caller's own account.
  ///
  /// - Throws: ``StatusFailure`` if the core cannot be asked, or refuses.
  func own() throws(StatusFailure) -> StatusDocument

  /// The state of a different account.
  ///
  /// - Parameter account: its name.
  /// - Throws: ``StatusFailure`` if the core cannot be asked, or cannot answer about any account.
  func status(of account: String) throws(StatusFailure) -> StatusAnswer
}

/// The state of an account's authenticator: results 3005 to 3008 of the core.
package enum AuthenticatorState {
  /// Enabled, but this version cannot verify it.
  package static let notSupported: Int64 = 3005
  /// Registered and usable.
  package static let available: Int64 = 3006
  /// Enabled, but without a key here.
  package static let notRegistered: Int64 = 3007
  /// Registered, and locked for a time or permanently.
  package static let locked: Int64 = 3008
}

/// An account's state as the server last reported it, from the core's *status*.
package struct ServerState: Equatable {
  package enum Standing: String {
    case active
    case disabled
    case locked
    /// The server's report cannot be read.
    case unreadable
  }

  package let standing: Standing
  /// When the server was asked, in seconds since 1970; nil if that is not known.
  package let asked: Int64?
  /// When a lock ends.
  package let until: Int64?

  /// Whether the account could not log in with any authenticator.
  ///
  /// A lock may have ended in the meantime.
  var isBlocked: Bool { standing == .disabled || standing == .locked }

  /// Nil for anything that is not such an object, and for a state that a newer core may know.
  init?(_ value: JSONValue?) {
    guard case .object(let object)? = value, case .string(let name)? = object["state"],
      let standing = Standing(rawValue: name)
    else { return nil }
    self.standing = standing
    asked = Self.number(object["asked"])
    until = Self.number(object["until"])
  }

  private static func number(_ value: JSONValue?) -> Int64? {
    if case .integer(let number)? = value { number } else { nil }
  }
}

/// The state of the server's policy for this machine, from the core's *status*.
package struct FollowedPolicyState: Equatable {
  /// The sections that root lets the server decide.
  let followed: [String]
  /// False only if the core says that this machine has joined no server.
  let hasJoined: Bool
  /// The version that is in force; nil for none.
  package let version: Int64?
  /// When it was signed, and until when it is valid, in seconds since 1970; nil if the core does not say.
  let issued: Int64?
  let expires: Int64?
  /// Its text, in TOML; nil if the core does not say.
  package let text: [UInt8]?
  /// A note that it has expired or, without a version, why the stored one is not in force.
  let note: String?
  /// The keys of the configuration that the policy sets, each once.
  let keys: [String]

  /// Reads the member `policy`; nil if it is not one.
  init?(_ value: JSONValue?) {
    guard case .object(let object)? = value, case .array(let list)? = object["follow"] else { return nil }
    func text(_ value: JSONValue?) -> String? { if case .string(let text)? = value { text } else { nil } }
    func number(_ name: String) -> Int64? { if case .integer(let number)? = object[name] { number } else { nil } }
    followed = list.compactMap { text($0) }
    hasJoined = if case .bool(false)? = object["joined"] { false } else { true }
    version = number("version")
    issued = number("issued")
    expires = number("expires")
    note = text(object["note"])
    self.text = text(object["toml"]).flatMap { try? Base64URL.decode($0, maximumCount: LentSettings.maximumSize) }
    var keys: [String] = []
    if let version = version, case .array(let values)? = object["values"] {
      for case .object(let setting) in values where text(setting["from"]) == "policy \(version)" {
        if let key = text(setting["key"]), !keys.contains(key) { keys.append(key) }
      }
    }
    self.keys = keys
  }
}

/// The keys and authorities that a server has announced to a machine that has joined it, as the core reports them.
struct AnnouncedTrust: Equatable {
  /// The ids of verdict keys that are accepted in addition to root's.
  var verdictKeys: [String] = []
  /// The ids of verdict keys that are not accepted any more, even if they are root's.
  var endedKeys: [String] = []
  /// The certificates of authorities that are accepted in addition to root's, PEM; nil if there are none.
  var authorities: String?
  /// Whether the machine has joined the configured server, and so learns its keys and authorities by check-in.
  var hasJoined = false

  /// Nothing is announced.
  init() {}

  /// Reads the member `announced`; what is not of its form is ignored.
  init(_ value: JSONValue?, hasJoined: Bool) {
    self.hasJoined = hasJoined
    guard case .object(let object)? = value else { return }
    func texts(_ name: String) -> [String] {
      guard case .array(let values)? = object[name] else { return [] }
      return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
    (verdictKeys, endedKeys) = (texts("verdictKeys"), texts("endedKeys"))
    if case .string(let text)? = object["authorities"] { authorities = text }
  }
}

/// A time as people read it.
package enum ShownTime {
  /// The time in UTC, to the minute: `2027-01-15 08:00 UTC`.
  ///
  /// - Parameter seconds: since 1970.
  package static func utc(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    // SAFETY: both values live for the calls; the buffer's length is passed, and strftime returns how much it wrote.
    var parts = unsafe tm()
    guard unsafe gmtime_r(&time, &parts) != nil else { return "\(seconds) s" }
    var text = [CChar](repeating: 0, count: 64)
    let count = unsafe strftime(&text, text.count, "%Y-%m-%d %H:%M UTC", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
