import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

extension Session {
  /// `PAM_SILENT`: courtesy text is not shown, so what must be said goes into the prompt itself.
  private static let silent: UInt32 = 0x8000

  /// One question for a value.
  struct Question {
    var kind: ValueKind
    var step = PromptStep.current
    /// What was wrong with the last entry.
    var error: String?
    /// Tries left before a lock, where that is told.
    var tries: Int?
    /// The name in the prompt.
    var user: String
    /// Whether an empty line leads back to the list.
    var canGoBack = false
  }

  /// Asks for a value.
  ///
  /// - Returns: nil if the person went back to the list.
  /// - Throws: ``Ending``: 999 if the person cancelled, 7009 if an empty line means another way in.
  func askValue(_ question: Question) throws(Ending) -> Secret? {
    var lines: [String] = []
    let confirmed = question.step == .current ? try confirmed(by: question.kind) : nil
    // In the prompt itself, whatever PAM_SILENT says: nobody confirms what was not shown. sudo shows another prompt where
    // it is told to.
    if let confirmed, !caller.isSudo { lines.append(confirmed) }
    lines += grid(for: question.kind)
    let keypad = try keypad(for: question.kind)
    if let keypad { lines.append(keypad.layout(in: language, accessible: settings.prompt.accessible)) }
    if question.step == .current {
      if question.canGoBack {
        lines.append("(\(PromptText.emptyLineBack.text(in: language)))")
      } else if let way = cancelText {
        lines.append("(\(way))")
      }
    }
    lines.append(text(of: question).text(in: language))
    let check = question.kind == .pattern ? Check.pattern : .passcode
    var prompt = Prompt(echo: false, check: check, step: question.step, text: lines.joined(separator: "\n"))
    prompt.remainingAttempts = question.tries.map { UInt32(clamping: $0) }
    if caller.isSudo { prompt.confirmed = confirmed }
    prompt.reason = reason
    prompt.entryLength = entryLength(question)
    show(question.error, in: &prompt)
    let value = try ask(prompt)
    guard question.step == .current, value.count == 0 else { return meant(by: value, on: keypad) }
    if question.canGoBack { return nil }
    try leaveByEmptyLine()
    return value
  }

  /// What the entry confirms; what another program may have written, as a command of sudo's, as a screen has room for it.
  ///
  /// - Throws: ``Ending``.
  private func confirmed(by kind: ValueKind) throws(Ending) -> String? {
    guard let transaction else { return nil }
    guard caller.isSudo || begin.transaction != nil else {
      return PromptText.confirm(kind, transaction.shown).text(in: language)
    }
    let shown: (text: String, left: Int)
    do throws(CryptoError) {
      shown = try transaction.onScreen { bytes throws(CryptoError) in try SHA256.hash(bytes) }
    } catch {
      throw Ending(.cannotUse, log: "\(error)")
    }
    let text = PromptText.confirm(kind, shown.text).text(in: language)
    guard shown.left > 0 else { return text }
    return "\(text)\n(\(PromptText.partOfText(left: shown.left).text(in: language)))"
  }

  private func text(of question: Question) -> PromptText {
    let (kind, user, digits) = (question.kind, question.user, digitCount(question))
    return switch question.step {
    case .current where begin.operation == .change: .currentValue(kind, user: user, digits: digits)
    case .current:
      .value(kind, user: user, service: caller.isTool ? nil : rootsReason ?? caller.service, digits: digits)
    case .new: .newValue(kind, user: user, digits: digits)
    case .newAgain: .newValueAgain(kind, digits: digits)
    }
  }

  /// How many digits a PIN has; the configuration decides alone, so that it shows nothing of the account.
  private func digitCount(_ question: Question) -> Int? {
    question.kind == .passcode ? configuration.passcode.policy.uiType.digitCount : nil
  }

  /// The grid of a pattern, for programs that show a prompt as it is; uafctl draws its own.
  private func grid(for kind: ValueKind) -> [String] {
    guard kind == .pattern, !caller.isTool else { return [] }
    if settings.prompt.accessible { return [PromptText.patternKeys.text(in: language)] }
    return ["1 2 3", "4 5 6", "7 8 9"]
  }

  /// At how many characters an entry is complete, where root lets it be taken without Enter: those of a PIN, or the most that a
  /// new text may have.
  private func entryLength(_ question: Question) -> UInt32? {
    guard question.kind == .passcode, configuration.passcode.autoSubmit else { return nil }
    let policy = configuration.passcode.policy
    return UInt32(clamping: policy.uiType.digitCount ?? policy.maximumLength)
  }

  /// What this is for, in the prompt's own field: the text to be confirmed, root's words, or else the service with sudo's
  /// command or the host the person comes from.
  var reason: String? {
    if let text = transaction?.shown ?? rootsReason { return text }
    guard let service = caller.service else { return nil }
    if caller.isSudo, let command { return Text.cleaned(String(decoding: command, as: UTF8.self)) }
    guard begin.isRemote, let host = begin.remoteHost, !host.isEmpty else { return Text.cleaned(service) }
    return Text.cleaned("\(service) from \(String(decoding: host, as: UTF8.self))")
  }

  /// Root's words for what this is for, in the person's language.
  private var rootsReason: String? { settings.reason?.text(in: language) }

  /// What sudo is to do; nil where that is not known.
  private var command: [UInt8]? {
    guard let program = begin.program, let line = begin.commandLine else { return nil }
    return try? SudoCommandLine(program: program, commandLine: line, limit: WireLimit.commandLine).text
  }

  /// What root has people told of the other way in; only logins have one.
  var cancelText: String? {
    guard begin.operation == .authenticate else { return nil }
    return settings.prompt.cancelTexts[language]
  }

  /// An empty line where another way in was offered is the choice of that way, and never a success.
  ///
  /// - Throws: ``Ending`` (7009).
  func leaveByEmptyLine() throws(Ending) {
    guard cancelText != nil else { return }
    throw Ending(.userFallback, log: "the person chose the other way in")
  }

  /// Puts what was wrong with the last entry where it will be seen.
  func show(_ error: String?, in prompt: inout Prompt) {
    guard let error else { return }
    let isSilent = begin.pamFlags & Self.silent != 0
    if isSilent { prompt.text = "\(error)\n\(prompt.text)" } else { prompt.errorMessage = error }
  }

  /// Asks.
  ///
  /// - Throws: ``Ending`` (999, for a change 7112) if the person cancelled.
  func ask(_ prompt: Prompt) throws(Ending) -> Secret {
    guard let value = try frontEnd.ask(prompt) else { throw cancelled("cancelled by the person") }
    return value
  }

  /// The end that the person chose.
  func cancelled(_ log: String) -> Ending {
    Ending(begin.operation == .change ? .changeUserCancel : .userCancel, text: .cancelled, log: log)
  }
}
