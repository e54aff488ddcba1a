import Authenticator
import FidoResults
import UAFClient

/// How an operation ended without success: the result, the text for the person, and the text for the log.
struct Ending: Error {
  /// The result.
  private(set) var result: FidoResult
  /// The text for the person in place of the result's own.
  let text: PromptText?
  /// Plain text in place of both: for administrators only (configuration, `uafctl` as root).
  let detail: String?
  /// What the log says beside the result: never a value, a key or a token.
  let log: String
  /// What the entry was for, where one was checked or refused.
  let types: [AuthenticatorType]
  /// What the server contributed to it.
  private(set) var server: ServerPart
  /// What is special about it; nil for most.
  private(set) var circumstance: Circumstance?
  /// Whether the person has entered a correct value: without that, no stack goes on because the server is away.
  private(set) var hasProved = false

  /// An ending.
  init(
    _ result: FidoResult, text: PromptText? = nil, detail: String? = nil, log: String,
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

  /// An ending whose cause decides the text for the person.
  init(_ result: FidoResult, because cause: EndCause, log: String, server: ServerPart = ServerPart()) {
    self.init(result, text: .cause(cause), log: log, server: server)
  }

  /// Root's configuration, or an argument of the module, cannot be used: 1001, PAM_SERVICE_ERR.
  ///
  /// - Parameter isRoots: false where the machine could not read it, which others can cause: 1007, PAM_SYSTEM_ERR.
  static func configuration(_ log: String, detail: String? = nil, isRoots: Bool = true) -> Ending {
    Ending(
      isRoots ? .invalidParameter : .cannotUse, text: .configurationError, detail: detail, log: log,
      isRoots ? .rootsFault : nil)
  }

  /// The front end went away, and nobody waits for the result.
  static var frontEndGone: Ending {
    Ending(.applicationCancel, log: "the front end went away: nothing more was signed or sent")
  }

  /// The front end went away after an answer was sent, which the server may have accepted.
  static var answerUnused: Ending {
    Ending(
      .applicationCancel, log: "the front end went away: the answer was sent, and is of no use", .unusedAnswer)
  }

  /// A divided login without the server's request, before anybody was asked: 1100, whatever the reason.
  static func noRequest(_ refusal: Refusal?) -> Ending {
    Ending(
      .requestNotExist, because: .noRequest,
      log: "no request of the server's to be ready with: \(refusal?.detail ?? "none came")")
  }

  /// Something came that the operation did not ask for.
  static func outOfTurn(in operation: String) -> Ending {
    Ending(.cannotUse, log: "something came that the \(operation) did not ask for")
  }

  /// The event that the log has beside the ending; nil for most.
  var incident: LogEvent? {
    switch circumstance {
    case .damage, .renamed: .damaged
    case .overreach: .peer
    default: text == .configurationError || text == .serverNameChanged ? .configuration : nil
    }
  }

  /// The text for root's uafctl, where the other one says too little.
  var forRoot: String? {
    switch circumstance {
    case .damage(let text), .renamed(let text), .serverNameChanged(let text): text
    default: nil
    }
  }

  /// Whether it shows that the account is registered here.
  var showsRegistration: Bool {
    if case .renamed = circumstance { return true }
    return [.locked, .lockedForGood, .notRegistered, .wrongValue].contains(result)
  }

  /// The text for a person's uafctl, where the one for logins would mislead: no unlock mends a damaged file.
  var forTool: PromptText? {
    if case .damage = circumstance { .cause(.accountDamaged) } else { text }
  }

  // MARK: The same ending, with more known

  /// With another text for the person, and if need be for the log.
  func saying(_ text: PromptText?, log: String? = nil) -> Ending {
    var ending = Ending(
      result, text: text, detail: detail, log: log ?? self.log, types: types, server: server, circumstance)
    ending.hasProved = hasProved
    return ending
  }

  /// As 7011, because the time of the call is over.
  func outOfTime(after limit: Duration) -> Ending {
    var ending = adding("the call took longer than its timeout of \(limit.components.seconds) s")
    ending.result = .systemCancel
    return ending
  }

  /// With more for the log.
  func adding(_ log: String) -> Ending { saying(text, log: "\(self.log); \(log)") }

  /// With the authenticators whose keys the server does not know.
  func forgetting(_ types: [AuthenticatorType]) -> Ending {
    var ending = self
    ending.server.forgottenTypes = types
    return ending
  }

  /// With what had happened in the operation by then.
  ///
  /// - Parameters:
  ///   - isReached: whether the server, or something at its address, was reached.
  ///   - isRefused: whether the server answered with anything but a success.
  ///   - hasProved: whether a value was verified.
  ///   - wasAsked: whether the person was asked for anything.
  func after(isReached: Bool, isRefused: Bool, hasProved: Bool, wasAsked: Bool) -> Ending {
    var ending = self
    // A server that answered earlier in this call is not away, even if a later request fails.
    ending.server.handshakeCompleted = server.handshakeCompleted || isReached
    ending.server.hasRefused = server.hasRefused || isRefused
    ending.hasProved = hasProved
    // Once somebody was asked, no stack may go on as if there were nothing to ask for.
    if wasAsked, circumstance == .neverRegistered || circumstance == .nothingToChange { ending.circumstance = nil }
    return ending
  }

  // MARK: What is told

  /// The text for the person, and what to do next.
  ///
  /// The next step belongs to the text: one result has several texts.
  func told(in language: Language) -> (text: String, nextStep: String?) {
    // A detail for administrators says what to do.
    if let detail { return (detail, nil) }
    guard let text else { return (result.text(in: language), result.nextStep(in: language)) }
    return (text.text(in: language), text.nextStep(in: language))
  }

  /// The same as it goes to a front end: uafctl shows the second line as a hint.
  ///
  /// A PAM host says "try again" by itself, so it gets the next step only with a cause, or with the result's own text.
  func told(in language: Language, toTool isTool: Bool) -> String {
    let (told, nextStep) = (isTool ? saying(forTool) : self).told(in: language)
    guard let nextStep else { return told }
    if isTool { return "\(told)\n\(nextStep)" }
    if case .cause = text { return "\(told) \(nextStep)" }
    return text == nil ? "\(told) \(nextStep)" : told
  }
}
