import AuthenticatorTypes
import FidoResults
import SecretMemory
import ServiceNames
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFWire

/// Asks the person and shows texts, over the front end.
@safe final class Prompter {
  /// The text that the person confirms by entering the value; nil for a login without a text and for other operations.
  ///
  /// It comes from the caller, or from the server: for an approval, or if root lets the server add a text.
  private(set) var confirmed: TextToConfirm?

  private let call: Call
  private let policy: CallPolicy
  private let frontEnd: FrontEnd
  private let timeLimit: CallTimeLimit?
  private let prompts: PromptMaker
  private let makeKeypad: () throws(CryptoError) -> ShuffledKeypad

  /// How often a list is shown.
  private static let choiceRounds = 5

  /// - Parameters:
  ///   - timeLimit: when the front end stops waiting; nil if that is not known.
  ///   - keypad: makes the layout of a shuffled keypad.
  init(
    for call: Call, _ policy: CallPolicy, over frontEnd: FrontEnd, within timeLimit: CallTimeLimit? = nil,
    keypad: @escaping () throws(CryptoError) -> ShuffledKeypad
  ) {
    self.call = call
    self.policy = policy
    self.frontEnd = frontEnd
    self.timeLimit = timeLimit
    prompts = PromptMaker(for: call, policy)
    makeKeypad = keypad
  }

  // MARK: Showing

  /// Makes every later entry confirm this text; nil for a login without a text.
  func confirm(_ text: TextToConfirm?) { confirmed = text }

  /// Shows a text.
  ///
  /// - Throws: ``Ending``: the front end went away.
  func show(_ text: PromptText) throws(Ending) {
    try frontEnd.send(.info(text.text(in: policy.language, codes: policy.codeUse)))
  }

  /// Shows what was wrong, in the person's language.
  ///
  /// - Throws: ``Ending``: the front end went away.
  func showError(_ text: String) throws(Ending) { try frontEnd.send(.error(text)) }

  // MARK: Asking

  /// Does something while the person begins to type: when the next prompt has been sent, before waiting for its answer.
  func onceAsked(_ work: @escaping () -> Void) { frontEnd.onceAsked(work) }

  /// Does something once while the person types, after something else has arrived.
  func onceArrived(_ arrival: Arrival?) { frontEnd.onceArrived(arrival) }

  /// Does that work now, if the arrival has come and the work was not done.
  func takeArrived() { frontEnd.takeArrived() }

  /// Asks for a value.
  ///
  /// - Returns: nil if the person went back to the list.
  /// - Throws: ``Ending``: 999 if the person cancelled, 7009 if an empty line means a different way to log in.
  func askValue(_ question: Question) throws(Ending) -> Secret? {
    let keypad = try keypad(for: question.types)
    let value = try ask(prompts.prompt(for: question, confirming: confirmed?.text, on: keypad))
    guard question.step == .current, value.count == 0 else { return Self.meant(by: value, on: keypad) }
    if question.canGoBack { return nil }
    try leaveByEmptyLine()
    return value
  }

  /// Asks for a value while a sensor waits.
  ///
  /// - Returns: the entry, which may be empty. The entry is ignored if the watch says that a finger matched first.
  /// - Throws: ``Ending``: 999 if the person cancelled.
  func askValue(_ question: Question, beside watch: FingerWatch) throws(Ending) -> Secret {
    var question = question
    question.sensor = watch.sensor
    let keypad = try keypad(for: question.types)
    let prompt = try prompts.prompt(for: question, confirming: nil, on: keypad)
    guard let value = try frontEnd.ask(prompt, beside: watch) else { throw cancelled("cancelled by the person") }
    return Self.meant(by: value, on: keypad)
  }

  /// Waits until the person matched, or the sensor no longer waits.
  ///
  /// A host that shows no notices gets a prompt, which Enter answers once the sensor was used.
  ///
  /// - Throws: ``Ending``: 999 if the person cancelled; the front end went away.
  func awaitTouch(_ watch: FingerWatch) throws(Ending) {
    guard showsTouches else {
      guard try frontEnd.ask(prompts.touch(watch.sensor), beside: watch) != nil else {
        throw cancelled("cancelled by the person")
      }
      return
    }
    try awaitWithoutPrompt(watch)
  }

  /// Waits until the person matched, or the sensor no longer waits, without a prompt.
  ///
  /// Some hosts show the notices late or never; the person then sees only that the login continues.
  ///
  /// - Throws: ``Ending`` if the front end went away.
  func awaitWithoutPrompt(_ watch: FingerWatch) throws(Ending) {
    try show(.touch(watch.sensor))
    try frontEnd.awaitTouch(watch) { (touch) throws(Ending) in
      try show(.touched(TouchText(touch), watch.sensor))
    }
  }

  /// Whether the person sees a notice while the sensor waits.
  var showsTouches: Bool {
    showsNoticesAtOnce && call.begin.pamFlags & PromptMaker.silent == 0 && !policy.arguments.quiet
  }

  /// Asks for an enrolment code.
  ///
  /// - Returns: what was entered; nil for an empty line.
  /// - Throws: ``Ending`` if the person cancelled.
  func askCode() throws(Ending) -> String? {
    text(try ask(prompts.code(confirming: confirmed?.text)))
  }

  /// Asks for the person's password at the server.
  ///
  /// - Returns: what was entered; nil for an empty line.
  /// - Throws: ``Ending`` if the person cancelled.
  func askServerPassword(of user: String) throws(Ending) -> String? { text(try ask(prompts.serverPassword(of: user))) }

  /// Asks for the password of the person's keyring.
  ///
  /// - Parameter canDecline: whether an empty line means that none is to be kept.
  /// - Returns: nil if the person cancelled.
  /// - Throws: ``Ending`` if nobody can be asked, or the front end is gone.
  func askKeyringPassword(canDecline: Bool = false) throws(Ending) -> Secret? {
    try frontEnd.ask(prompts.keyringPassword(canDecline: canDecline))
  }

  /// Hands the password of the person's keyring to the host.
  ///
  /// - Throws: ``Ending`` if the front end is gone.
  func hand(_ password: borrowing Secret) throws(Ending) { try frontEnd.send(keyring: password) }

  /// An entry that becomes part of a request; nil if it is empty.
  private func text(_ entry: borrowing Secret) -> String? {
    guard entry.count > 0 else { return nil }
    return entry.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  /// Asks for the words of the recovery key; an empty line means none.
  ///
  /// - Throws: ``Ending`` if the person cancelled.
  func askRecoveryKey() throws(Ending) -> Secret { try ask(prompts.recoveryKey()) }

  /// Shows the list and reads a number from it.
  ///
  /// If the host shows lists, the person picks in one, and a different way to log in is its last entry.
  ///
  /// - Throws: ``Ending``: cancelled; a different way to log in (7009); nothing in the list was chosen (2002).
  func choose(
    among ways: [[AuthenticatorType]], orRegisterAgain offersMore: Bool = false
  ) throws(Ending) -> Choice {
    var options = ways.map { PromptText.choiceOption($0.map(\.kind)).text(in: policy.language) }
    if offersMore { options.append(PromptText.registerAgain.text(in: policy.language)) }
    if policy.showsLists { return try pick(among: ways, options) }
    var error: String?
    for _ in 0..<Self.choiceRounds {
      let entry = try ask(prompts.choice(options, error: error, confirming: confirmed?.text))
      if entry.count == 0 { try leaveByEmptyLine() }
      if let number = entry.withBytes({ Self.number($0) }), options.indices.contains(number - 1) {
        return number <= ways.count ? .way(ways[number - 1]) : .registerAgain
      }
      error = PromptText.noSuchChoice(options.count).text(in: policy.language)
    }
    throw Ending(.noSuitableAuthenticator, because: .nothingChosen, log: "nothing in the list was chosen")
  }

  /// Shows the options as a list.
  private func pick(among ways: [[AuthenticatorType]], _ options: [String]) throws(Ending) -> Choice {
    let shown = options + (policy.cancelText.map { [$0] } ?? [])
    let entry = try ask(prompts.list(shown, confirming: confirmed?.text))
    guard let number = entry.withBytes({ Self.number($0) }), shown.indices.contains(number - 1) else {
      try showError(PromptText.nothingPicked.text(in: policy.language))
      return .nothing
    }
    if number <= ways.count { return .way(ways[number - 1]) }
    if number <= options.count { return .registerAgain }
    throw Ending(.userFallback, log: "the person chose the other way to log in")
  }

  /// Lets the person choose one type from a list.
  ///
  /// - Throws: ``Ending``, as ``choose(among:orRegisterAgain:)``.
  func chooseType(among types: [AuthenticatorType]) throws(Ending) -> AuthenticatorType? {
    guard case .way(let way) = try choose(among: types.map { [$0] }) else { return nil }
    return way.first
  }

  private func ask(_ prompt: Prompt) throws(Ending) -> Secret {
    guard let value = try frontEnd.ask(prompt) else { throw cancelled("cancelled by the person") }
    return value
  }

  /// Ends the login if a different way to log in was offered: an empty line chooses that way, and is never a success.
  private func leaveByEmptyLine() throws(Ending) {
    guard policy.cancelText != nil else { return }
    throw Ending(.userFallback, log: "the person chose the other way to log in")
  }

  /// A number of one or two digits; a choice is not a secret.
  private static func number(_ entry: Span<UInt8>) -> Int? {
    guard (1...2).contains(entry.count) else { return nil }
    var number = 0
    for index in entry.indices {
      guard (0x30...0x39).contains(entry[index]) else { return nil }
      number = number * 10 + Int(entry[index] - 0x30)
    }
    return number
  }

  // MARK: Shuffled keys

  /// A new layout for one entry, if root's configuration has digits entered with shuffled keys.
  ///
  /// Nil for programs that answer each prompt with the only string that they have: nobody would see the layout. If a
  /// prompt must not show which type the account has, every type is entered with a layout.
  private func keypad(for types: [AuthenticatorType]) throws(Ending) -> ShuffledKeypad? {
    guard policy.isInteractive, types.contains(where: { policy.configuration.rules(for: $0).usesShuffledKeypad }) else {
      return nil
    }
    do throws(CryptoError) { return try makeKeypad() } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// The digits that the pressed keys mean.
  ///
  /// An entry with characters other than digits is used unchanged: a value that was set under an older policy may be text.
  private static func meant(by entry: consuming Secret, on keypad: ShuffledKeypad?) -> Secret {
    guard let keypad, let digits = keypad.decode(entry) else { return entry }
    return digits
  }

  // MARK: The other end

  /// Tells the front end that everything is ready, and waits for it to continue.
  ///
  /// - Parameter log: what the log says if the front end cancels instead.
  /// - Throws: ``Ending``: cancelled, or the front end went away.
  func awaitResume(orLog log: String) throws(Ending) {
    guard try frontEnd.awaitResume() else { throw cancelled(log) }
    // Each stage of a change gets the whole time; in a login, the module's time keeps running.
    if call.begin.operation == .change { timeLimit?.restart() }
  }

  /// Requires that the front end is still connected, before anything is signed or sent for it.
  ///
  /// - Throws: ``Ending``: nobody waits for what the person confirmed.
  func requireFrontEnd() throws(Ending) {
    if frontEnd.isGone { throw .frontEndGone }
  }

  /// Whether the front end has gone away: nobody waits for what the person confirmed.
  var isFrontEndGone: Bool { frontEnd.isGone }

  /// The ending of a call that the person cancelled.
  func cancelled(_ log: String) -> Ending {
    Ending(call.begin.operation == .change ? .changeUserCancel : .userCancel, text: .cancelled, log: log)
  }

  /// The waiter for the server.
  ///
  /// It tells the front end about a long wait; otherwise it would give up on the core.
  ///
  /// - Parameter isForLogin: whether the wait ends when the front end goes away.
  func waiter(isForLogin: Bool) -> ExchangeWaiter {
    ExchangeWaiter(
      firstNoticeMilliseconds: showsNoticesAtOnce ? ExchangePatience.firstNotice : nil,
      waiting: { [frontEnd, policy] in
        // If the front end is gone, the next prompt or result fails.
        try? frontEnd.send(.info(PromptText.waitingForServer.text(in: policy.language)))
      }, frontEnd: isForLogin ? frontEnd : nil)
  }

  /// Whether the host shows a notice on the person's terminal immediately.
  ///
  /// sshd keeps notices back until the next prompt or the end. Lockers and display managers show them over other content.
  /// In both cases, a notice would come too late, or hide something.
  private var showsNoticesAtOnce: Bool {
    if call.caller.isTool { return true }
    guard call.caller.isRoot, let service = call.caller.service else { return false }
    return Self.terminalPrograms.contains(ServiceFamily.of(service)?.main ?? service)
  }

  private static let terminalPrograms: Set<String> = ["sudo", "su", "login"]
}

/// One question for a value.
struct Question {
  /// The types of value that are asked for: several if the prompt must not show which of them the account has.
  var types: [AuthenticatorType]
  var step = PromptStep.current
  /// The requirements for a new value; nil if the prompt does not name them.
  var requirements: String?
  /// What was wrong with the last entry.
  var error: String?
  /// Tries left before a lock; nil if the prompt does not name them.
  var tries: Int?
  /// The name in the prompt.
  var user: String
  /// Whether an empty line leads back to the list.
  var canGoBack = false
  /// The sensor that waits at the same time; nil if none does.
  var sensor: SensorKind?

  /// How texts name what is asked for.
  var kind: ValueKind { .oneOf(types.map(\.kind)) }
  /// The one type that is asked for; nil for several.
  var type: AuthenticatorType? { types.count == 1 ? types[0] : nil }
}

/// What was chosen from a list.
enum Choice: Equatable {
  /// Authenticators to be used together.
  case way([AuthenticatorType])
  /// The person wants to register anew.
  case registerAgain
  /// The host showed a list, and answered with none of its entries.
  case nothing
}
