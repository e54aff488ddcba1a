import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFMessages

/// How an operation ended without success: the result, the text for the person, and the text for the log.
struct Ending: Error {
  /// The result.
  private(set) var result: FidoResult
  /// The text for the person, if it is not that of the result.
  let text: PromptText?
  /// The text for administrators (`uafctl` as root), which replaces the text for the person.
  let detail: RootText?
  /// What the log says in addition to the result: it never contains a secret, a key or a token.
  let log: String
  /// The authenticator types for which an entry was checked or refused.
  let types: [AuthenticatorType]
  /// What the server contributed to the ending.
  private(set) var server: ServerPart
  /// The special circumstance; nil for most endings.
  private(set) var circumstance: Circumstance?
  /// Whether the person has entered a correct secret.
  ///
  /// Only then may a PAM stack fall back to another module because the server is unreachable.
  private(set) var hasProved = false

  /// Makes an ending.
  init(
    _ result: FidoResult, text: PromptText? = nil, detail: RootText? = nil, log: String,
    types: [AuthenticatorType] = [], server: ServerPart = ServerPart(), _ circumstance: Circumstance? = nil
  ) {
    self.result = result
    self.text = text
    self.detail = detail
    self.log = log
    self.types = types
    self.server = server
    self.circumstance = circumstance
  }

  /// Makes an ending whose text for the person follows from its cause.
  init(_ result: FidoResult, because cause: EndCause, log: String, server: ServerPart = ServerPart()) {
    self.init(result, text: .cause(cause), log: log, server: server)
  }

  /// Root's configuration, or an argument of the module, cannot be used: 1001, PAM_SERVICE_ERR.
  ///
  /// - Parameter isRoots: false if the file could not be read, which people other than root can cause; the ending is then 1007,
  ///   PAM_SYSTEM_ERR.
  static func configuration(_ log: String, detail: RootText? = nil, isRoots: Bool = true) -> Ending {
    Ending(
      isRoots ? .invalidParameter : .cannotUse, text: .configurationError, detail: detail, log: log,
      isRoots ? .rootsFault : nil)
  }

  /// The front end is gone, so nobody waits for the result.
  static var frontEndGone: Ending {
    Ending(.applicationCancel, log: "the front end has ended: nothing more was signed or sent")
  }

  /// The front end was gone after the response had been sent; the server may have accepted it.
  static var answerUnused: Ending {
    Ending(
      .applicationCancel, log: "the front end has ended: the response was sent, but is of no use", .unusedAnswer)
  }

  /// A divided login got no request from the server before its first prompt.
  ///
  /// The result is 1100, whatever the reason.
  static func noRequest(_ refusal: Refusal?) -> Ending {
    Ending(
      .requestNotExist, because: .noRequest,
      log: "there is no request from the server, so the login is not ready: \(refusal?.detail ?? "none came")")
  }

  /// The server or another program sent something that the operation did not request.
  static func outOfTurn(in operation: String) -> Ending {
    Ending(.cannotUse, log: "something arrived that the \(operation) did not request")
  }

  /// The event that is logged in addition to the ending; nil for most endings.
  var incident: LogEvent? {
    switch circumstance {
    case .damage, .renamed: .damaged
    case .overreach: .peer
    default: text == .configurationError || text == .serverNameChanged ? .configuration : nil
    }
  }

  /// The text for root's uafctl, if the text for the person says too little.
  var forRoot: RootText? {
    switch circumstance {
    case .damage(let text), .renamed(let text), .serverNameChanged(let text), .serverNameTaken(let text): text
    default: nil
    }
  }

  /// Whether the ending reveals that the account is registered here.
  var showsRegistration: Bool {
    if case .renamed = circumstance { return true }
    return [.locked, .lockedForGood, .notRegistered, .wrongValue].contains(result)
  }

  /// The text for a person's uafctl.
  ///
  /// For a damaged file, it differs from the text for logins, because no unlock repairs such a file.
  var forTool: PromptText? {
    if case .damage = circumstance { .cause(.accountDamaged) } else { text }
  }

  // MARK: The same ending, with additions

  /// The same ending with a different text for the person and, if `log` is given, for the log.
  func saying(_ text: PromptText?, log: String? = nil) -> Ending {
    var ending = Ending(
      result, text: text, detail: detail, log: log ?? self.log, types: types, server: server, circumstance)
    ending.hasProved = hasProved
    return ending
  }

  /// The same ending with the result 7011, because the call has exceeded its time limit.
  func outOfTime(after limit: Duration) -> Ending {
    var ending = adding("the call took longer than its timeout of \(limit.components.seconds) s")
    ending.result = .systemCancel
    return ending
  }

  /// The same ending with additional text for the log.
  func adding(_ log: String) -> Ending { saying(text, log: "\(self.log); \(log)") }

  /// The same ending, with the authenticators whose keys the server does not know.
  func forgetting(_ types: [AuthenticatorType]) -> Ending {
    var ending = self
    ending.server.forgottenTypes = types
    return ending
  }

  /// The same ending, with what had happened earlier in the operation.
  ///
  /// - Parameters:
  ///   - isReached: whether the server, or another host at its address, was reached.
  ///   - isRefused: whether the server answered with anything other than a success.
  ///   - hasProved: whether a secret was verified.
  ///   - wasAsked: whether a prompt was shown to the person.
  func after(isReached: Bool, isRefused: Bool, hasProved: Bool, wasAsked: Bool) -> Ending {
    var ending = self
    // A server that answered earlier in this call is not unreachable, even if a later request fails.
    ending.server.handshakeCompleted = server.handshakeCompleted || isReached
    ending.server.hasRefused = server.hasRefused || isRefused
    ending.hasProved = hasProved
    // Once a prompt was shown, no PAM stack may continue as if the account had nothing registered here.
    if wasAsked, circumstance == .neverRegistered || circumstance == .nothingToChange { ending.circumstance = nil }
    return ending
  }

  // MARK: Texts

  /// The text for the person, and the text about what to do next.
  ///
  /// The next step depends on the text, not on the result: one result has several texts.
  ///
  /// - Parameter codes: who may set a new secret with a code.
  func told(in language: Language, codes: CodeUse = .persons) -> (text: String, nextStep: String?) {
    // A text for administrators already says what to do.
    if let detail { return (detail.text(in: language), nil) }
    guard let text else { return (result.text(in: language), result.nextStep(in: language, codes: codes)) }
    return (text.text(in: language, codes: codes), text.nextStep(in: language, codes: codes))
  }

  /// Both texts as one text for the front end: uafctl shows the second line as a hint.
  ///
  /// A PAM host says "try again" by itself. So it gets the next step only if the text follows from a cause, or is that of the
  /// result.
  func told(in language: Language, toTool isTool: Bool, codes: CodeUse = .persons) -> String {
    let (told, nextStep) = (isTool ? saying(forTool) : self).told(in: language, codes: codes)
    guard let nextStep else { return told }
    if isTool { return "\(told)\n\(nextStep)" }
    if case .cause = text { return "\(told) \(nextStep)" }
    return text == nil ? "\(told) \(nextStep)" : told
  }
}

/// How an operation ended with success.
struct Success {
  /// The result.
  var result = FidoResult.success
  /// The text for the person; nil if there is none.
  var text: PromptText?
  /// The text for administrators, which replaces the text for the person.
  var detail: RootText?
  /// Whether the current rules would refuse the secret that was verified.
  var valueIsStale = false
  /// The types that the person verified.
  var types: [AuthenticatorType] = []
  /// The age of the server's last success, if this is a login without the server.
  var offlineAge: Duration?
  /// The server's token, which is secret.
  var token: String?
  /// The number of the server's latest notice for joined machines; nil if there is none.
  var machineNews: Int64?
  /// The JSON document of *status* or *check-in*.
  var document: String?
}

/// A special circumstance of an ending.
///
/// An ending has at most one.
enum Circumstance: Equatable {
  /// Root's configuration or module arguments are wrong.
  ///
  /// This is the only circumstance that leads to PAM_SERVICE_ERR.
  case rootsFault
  /// A file of the state is damaged, was edited, or belongs to a different account. The payload is the text for root.
  case damage(RootText)
  /// The account was registered under a different name. The payload is the text for root.
  case renamed(RootText)
  /// Root has changed the account's name at the server. The payload is the text for root.
  case serverNameChanged(RootText)
  /// A different account of this machine is registered under this account's server name. The payload is the text for root.
  case serverNameTaken(RootText)
  /// A peer requested an operation that it is not permitted to request. `name` is the name of the peer's account, or its uid in
  /// digits.
  case overreach(peer: UInt32, name: [UInt8])
  /// The response was sent when the front end was already gone: the server may have accepted it.
  case unusedAnswer
  /// The person denied the text of an approval.
  case denial
  /// Nothing was ever registered for the account here, and no day that root named with `nouserok=` is over.
  ///
  /// Only `nouserok` depends on it.
  case neverRegistered
  /// The account has nothing to change here, so the other modules of the PAM stack continue without this one.
  case nothingToChange
}

/// What the server contributed to an ending.
struct ServerPart {
  /// Whether the server must not be reported as unreachable, see ``Refusal/handshakeCompleted``.
  ///
  /// Only the PAM code for result 4001 depends on it.
  var handshakeCompleted = true
  /// Whether the ending passes on what the server said.
  var hasSpoken = false
  /// Whether the server answered with anything other than a success.
  ///
  /// If so, logins without the server are refused from then on.
  var hasRefused = false
  /// The authenticators whose keys the server does not know.
  var forgottenTypes: [AuthenticatorType] = []
  /// Whether the server does not accept the authenticator that signed, or asks for none that is here (1492).
  var refusesAuthenticator = false
}

extension Ending {
  /// The ending for a refusal in a flow with the server.
  init(_ refusal: Refusal) { self.init(refusal, refusal.result, text: Self.text(of: refusal)) }

  /// The ending for a refusal in an exchange in which the server had to check an enrolment code.
  ///
  /// - Parameters:
  ///   - result: the result if the server refused; nil to use the refusal's own result. If the server forbids the request
  ///     (1403), the result is the same in every operation.
  ///   - serverUser: the account's name at the server, if it differs from the name here: the code may be for the name here.
  init(judgingCode refusal: Refusal, serversNo result: FidoResult? = nil, named serverUser: String? = nil) {
    let isCodeRefused =
      refusal.result == .serverNoRegistration || refusal.serverStatus == UAFStatusCode.unauthorized.rawValue
    let own = isCodeRefused ? FidoResult.serverNoRegistration : refusal.result
    self.init(
      refusal, refusal.spokenByServer && !refusal.isForbidden ? result ?? own : own,
      text: isCodeRefused
        ? serverUser.map { .codeRefused(serverUser: $0) } ?? .cause(.codeRefused) : Self.text(of: refusal))
  }

  private init(_ refusal: Refusal, _ result: FidoResult, text: PromptText?) {
    let server = ServerPart(
      handshakeCompleted: refusal.handshakeCompleted, hasSpoken: refusal.spokenByServer,
      hasRefused: refusal.isServersNo,
      forgottenTypes: AuthenticatorType.all(named: refusal.leftOut),
      refusesAuthenticator: refusal.serverStatus == UAFStatusCode.unacceptableAuthenticator.rawValue)
    self.init(result, text: text, log: refusal.detail, server: server)
  }

  /// The text for the person about a refusal; nil if that of the result is enough.
  private static func text(of refusal: Refusal) -> PromptText? {
    if let failure = refusal.networkFailure { return .noAnswer(failure) }
    let status = refusal.serverStatus.map(UAFStatusCode.init(rawValue:))
    if status == .revokedAuthenticator { return .revoked(said: refusal.serverText) }
    if refusal.spokenByServer, refusal.serverText != nil || refusal.saysPlainNo {
      return .refusedByServer(refusal.serverText)
    }
    if let cause = refusal.cause { return .cause(cause) }
    if refusal.spokenByServer, refusal.result == .invalidParameter {
      return .cause(refusal.serverStatus == nil ? .messageNotValid : .messageNotAccepted)
    }
    switch status {
    case .forbidden: return .serverForbids
    case .accepted: return .serverUndecided
    case .internalServerError: return .serverFailed
    case .some(let status) where refusal.result == .unknown: return .serverStatus(Int(status.rawValue))
    default: break
    }
    // 429 and a gateway's statuses (502 to 504) mean that the server is temporarily busy or unavailable, so they do not count
    // as a failure of the server.
    guard let http = refusal.httpStatus, (500...599).contains(http), ![502, 503, 504].contains(http) else { return nil }
    return .serverFailed
  }
}

extension Ending {
  /// The ending for a failure of the state.
  ///
  /// If somebody may have changed a file, the account counts as locked.
  init(_ error: StateError) {
    if case .serverNameChanged = error {
      // Root must correct this. But the circumstance is not `rootsFault`, because no PAM stack may let a registered person
      // continue to the password.
      self.init(.invalidParameter, text: .serverNameChanged, log: "\(error)", .serverNameChanged(RootText(error)))
    } else if error == .identityMismatch {
      // An unlock would not help. For the same reason as above, the circumstance is not `rootsFault` either.
      self.init(.invalidParameter, text: .cause(.accountRenamed), log: "\(error)", .renamed(RootText(error)))
    } else if error.meansLocked {
      self.init(.lockedForGood, text: .lockedForGood, log: "\(error)", .damage(RootText(error)))
    } else {
      self.init(.cannotUse, log: "\(error)")
    }
  }
}

extension AuthenticatorType {
  /// The types whose AAID is one of these.
  static func all(named aaids: [AAID]) -> [AuthenticatorType] {
    allCases.filter { type in aaids.contains { $0.text == type.aaid } }
  }
}
