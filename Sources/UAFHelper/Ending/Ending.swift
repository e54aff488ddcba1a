import Authenticator
import FidoResults

/// How an operation ended, other than well: the result, what the person is told, and what the log says.
struct Ending: Error {
  /// The result.
  var result: FidoResult
  /// What the person is told instead of the result's own text.
  var text: PromptText?
  /// Plain text in place of both: for administrators only (configuration, `uafctl` as root).
  var detail: String?
  /// What the log says beside the result: never a value, a key or a token.
  var log: String
  /// Whether the server must not be reported as away, see ``Refusal/handshakeCompleted``; decides 4001's code alone.
  var handshakeCompleted = true
  /// Whether the person had proved here to be who they say: without that, no stack goes on because the server is away.
  var hasProved = false
  /// Whether the server said so.
  var isServers = false
  /// The authenticators whose keys the server does not know.
  var forgottenTypes: [AuthenticatorType] = []
  /// Whether the server answered and that was no yes, whoever noticed: logins without it then end.
  var isServersNo = false
  /// What the entry was for, where one was checked or refused.
  var types: [AuthenticatorType] = []
  /// The peer that asked for what it may not ask for.
  var peer: UInt32?
  /// Its name, or its number in digits.
  var peerName: [UInt8]?
  /// What is wrong with a file of the state that is damaged, edited, or of another account, and what to do; nil if none is.
  var damage: String?
  /// What root's own uafctl hears in place of the text, where that says too little.
  var forRoot: String?
  /// Whether an answer was sent for a front end that was gone by then: the server may have accepted it.
  var isUnused = false
  /// Whether root's configuration or module arguments are wrong: the one thing that PAM_SERVICE_ERR tells.
  var isRootsFault = false
  /// Whether nothing was ever registered for the account here; decides `nouserok` alone.
  var neverHadRow = false

  /// Whether the person denied what was to be approved.
  var isDenial = false

  /// Whether a change concerns nothing of ours, so that the stack's other modules go on by themselves.
  var leavesToOthers = false

  /// What such an ending is a sign of, for the log.
  var incident: LogEvent? {
    if damage != nil { return .damaged }
    if peer != nil { return .peer }
    return text == .configurationError || text == .serverNameChanged ? .configuration : nil
  }

  /// Root's configuration, or an argument of the module, cannot be used: 1001, PAM_SERVICE_ERR.
  ///
  /// - Parameter isRoots: false where the machine could not read it now, which others may bring about: 1007, PAM_SYSTEM_ERR.
  static func configuration(_ log: String, detail: String? = nil, isRoots: Bool = true) -> Ending {
    var ending = Ending(isRoots ? .invalidParameter : .cannotUse, text: .configurationError, detail: detail, log: log)
    ending.isRootsFault = isRoots
    return ending
  }

  /// The front end went away, and nobody waits for the result.
  static var frontEndGone: Ending {
    Ending(.applicationCancel, log: "the front end went away: nothing more was signed or sent")
  }

  /// The front end went away after an answer was sent, which the server may have accepted.
  static var answerUnused: Ending {
    var ending = Ending(.applicationCancel, log: "the front end went away: the answer was sent, and is of no use")
    ending.isUnused = true
    return ending
  }

  /// An ending whose cause decides what the person is told.
  init(_ result: FidoResult, because cause: EndCause, log: String) {
    self.init(result, text: .cause(cause), log: log)
  }

  /// What the person is told, and what can be done about it, which belongs to the text and not to the result alone.
  func told(in language: Language) -> (text: String, nextStep: String?) {
    // Details tell administrators what to do themselves.
    if let detail { return (detail, nil) }
    guard let text else { return (result.text(in: language), result.nextStep(in: language)) }
    return (text.text(in: language), text.nextStep(in: language))
  }

  /// The same as it goes to a front end: uafctl shows the second line as a hint.
  ///
  /// A PAM host says "try again" by itself, and has a line of its own for each text: what a prompt's text leaves open is left
  /// open there.
  func told(in language: Language, toTool isTool: Bool) -> String {
    let (told, nextStep) = told(in: language)
    guard let nextStep else { return told }
    if isTool { return "\(told)\n\(nextStep)" }
    if case .cause = text { return "\(told) \(nextStep)" }
    return text == nil ? "\(told) \(nextStep)" : told
  }

  /// An ending.
  init(_ result: FidoResult, text: PromptText? = nil, detail: String? = nil, log: String) {
    self.result = result
    self.text = text
    self.detail = detail
    self.log = log
  }
}
