import AuthenticatorTypes
import FidoResults
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

/// Makes the prompts of a call, in the person's language.
struct PromptMaker {
  private let call: Call
  private let policy: CallPolicy

  init(for call: Call, _ policy: CallPolicy) {
    self.call = call
    self.policy = policy
  }

  /// `PAM_SILENT`: the host shows no messages, so an error is written into the prompt itself.
  static let silent: UInt32 = 0x8000

  /// The prompt for a value.
  ///
  /// - Parameters:
  ///   - text: what the person confirms by the entry.
  ///   - keypad: the layout for the entry; nil for ordinary keys.
  /// - Throws: ``Ending``.
  func prompt(
    for question: Question, confirming text: TransactionText?, on keypad: ShuffledKeypad?
  ) throws(Ending) -> Prompt {
    var lines: [String] = []
    let confirmed = question.step == .current ? try confirmation(of: text, by: question.kind) : nil
    // The prompt contains the text even with PAM_SILENT: nobody can confirm a text that was not shown. sudo may replace
    // the prompt's text (-p), so for sudo, the text has a field of its own.
    if let confirmed, !call.caller.isSudo { lines.append(confirmed) }
    if let requirements = question.requirements { lines.append(requirements) }
    lines += legend(for: question.type)
    if let keypad { lines.append(keypad.layout(in: policy.language, accessible: policy.settings.prompt.accessible)) }
    if let sensor = question.sensor {
      lines.append(PromptText.touchOrType(sensor).text(in: policy.language))
    } else if question.step == .current {
      if question.canGoBack {
        lines.append("(\(PromptText.emptyLineBack.text(in: policy.language)))")
      } else if let way = policy.cancelText {
        lines.append("(\(way))")
      }
    }
    lines.append(self.text(of: question).text(in: policy.language))
    let check = Check(rawValue: question.type?.entry.check ?? TypedEntry.plainCheck)
    var prompt = Prompt(echo: false, check: check, step: question.step, text: lines.joined(separator: "\n"))
    prompt.remainingAttempts = question.tries.map { UInt32(clamping: $0) }
    if call.caller.isSudo { prompt.confirmed = confirmed }
    prompt.reason = reason(confirming: text)
    prompt.entryLength = entryLength(question)
    return showing(question.error, in: prompt)
  }

  /// The prompt for a number from a list.
  func choice(_ options: [String], error: String?, confirming text: TransactionText?) -> Prompt {
    var lines = [PromptText.choice(user: call.shownName).text(in: policy.language)]
    lines += options.enumerated().map { "  \($0.offset + 1). \($0.element)" }
    if let way = policy.cancelText { lines.append("  (\(way))") }
    lines.append(PromptText.choiceNumber(options.count).text(in: policy.language))
    // The entry is not shown: a person who overlooks the list enters the value here.
    var prompt = Prompt(echo: false, check: .choice, step: .current, text: lines.joined(separator: "\n"))
    prompt.options = options
    prompt.reason = reason(confirming: text)
    return showing(error, in: prompt)
  }

  /// The prompt for one of several options, which the host shows as a list under the text.
  func list(_ options: [String], confirming text: TransactionText?) -> Prompt {
    var prompt = Prompt(
      echo: false, check: .choice, step: .current,
      text: PromptText.choice(user: call.shownName).text(in: policy.language))
    prompt.options = options
    prompt.reason = reason(confirming: text)
    return prompt
  }

  /// The prompt for an enrolment code.
  ///
  /// The entry is shown: a code is valid once, and the server must read it.
  func code(confirming text: TransactionText?) -> Prompt {
    var prompt = Prompt(
      echo: true, check: .code, step: .current, text: PromptText.enrolmentCode.text(in: policy.language))
    prompt.reason = reason(confirming: text)
    return prompt
  }

  /// The prompt for the person's password at the server; the entry is not shown.
  ///
  /// - Parameter user: the account's name at the server.
  func serverPassword(of user: String) -> Prompt {
    Prompt(
      echo: false, check: .code, step: .current, text: PromptText.serverPassword(user: user).text(in: policy.language))
  }

  /// The prompt for the password of the person's keyring; the entry is not shown.
  ///
  /// - Parameter canDecline: whether an empty line means that none is to be kept.
  func keyringPassword(canDecline: Bool) -> Prompt {
    let text = PromptText.keyringPassword(user: call.shownName, canDecline: canDecline)
    return Prompt(echo: false, check: .keyring, step: .current, text: text.text(in: policy.language))
  }

  /// The prompt for the recovery key, which root types from a sheet or uafctl has made.
  func recoveryKey() -> Prompt {
    Prompt(echo: true, check: .code, step: .current, text: PromptText.recoveryKey.text(in: policy.language))
  }

  /// The prompt of a sensor that waits, if nothing needs to be typed.
  func touch(_ sensor: SensorKind) -> Prompt {
    var prompt = Prompt(
      echo: false, check: Check(rawValue: TypedEntry.plainCheck), step: .current,
      text: PromptText.touchThenEnter(sensor).text(in: policy.language))
    prompt.reason = reason(confirming: nil)
    return prompt
  }

  /// The text that the entry confirms.
  ///
  /// A text that another program may have written, such as a command of sudo, is cut to the size of a screen.
  private func confirmation(of text: TransactionText?, by kind: ValueKind) throws(Ending) -> String? {
    guard let text else { return nil }
    guard call.caller.isSudo || call.begin.transaction != nil else {
      return PromptText.confirm(kind, text.shown).text(in: policy.language)
    }
    let shown: (text: String, left: Int)
    do throws(CryptoError) {
      shown = try text.onScreen { bytes throws(CryptoError) in try SHA256.hash(bytes) }
    } catch {
      throw Ending(.cannotUse, log: "\(error)")
    }
    let confirmation = PromptText.confirm(kind, shown.text).text(in: policy.language)
    guard shown.left > 0 else { return confirmation }
    return "\(confirmation)\n(\(PromptText.partOfText(left: shown.left).text(in: policy.language)))"
  }

  private func text(of question: Question) -> PromptText {
    let (kind, user, digits) = (question.kind, question.user, digitCount(question))
    let service = call.caller.isTool ? nil : policy.rootsReason ?? call.caller.service
    return switch question.step {
    case .current where call.begin.operation == .change: .currentValue(kind, user: user, digits: digits)
    case .current: .value(kind, user: user, service: service, digits: digits)
    case .new: .newValue(kind, user: user, digits: digits)
    case .newAgain: .newValueAgain(kind, digits: digits)
    }
  }

  /// How many digits a PIN has, from the configuration only, so that this reveals nothing about the account.
  private func digitCount(_ question: Question) -> Int? {
    question.type.flatMap { policy.configuration.rules(for: $0).digitCount }
  }

  /// The lines that explain an entry, for programs that show a prompt as it is; uafctl draws its own.
  private func legend(for type: AuthenticatorType?) -> [String] {
    guard let entry = type?.entry, !call.caller.isTool else { return [] }
    guard policy.settings.prompt.accessible else { return entry.legend }
    return entry.spokenLegend.map { [$0.text(in: policy.language)] } ?? []
  }

  /// The number of characters at which an entry is complete: the digits of a PIN, or the longest new passcode if root's
  /// configuration has it accepted without Enter.
  private func entryLength(_ question: Question) -> UInt32? {
    question.type.flatMap { policy.configuration.rules(for: $0).completeLength }.map { UInt32(clamping: $0) }
  }

  /// The reason for asking for the value: the text to be confirmed, root's text, or the service with sudo's command or the remote
  /// host.
  private func reason(confirming text: TransactionText?) -> String? {
    if let text = text?.shown ?? policy.rootsReason { return text }
    guard let service = call.caller.service else { return nil }
    if call.caller.isSudo, let command { return Text.cleaned(String(decoding: command, as: UTF8.self)) }
    guard call.begin.isRemote, let host = call.begin.remoteHost, !host.isEmpty else { return Text.cleaned(service) }
    return Text.cleaned("\(service) from \(String(decoding: host, as: UTF8.self))")
  }

  /// The command that sudo should run; nil if that is not known.
  private var command: [UInt8]? {
    guard let program = call.begin.program, let line = call.begin.commandLine else { return nil }
    return try? SudoCommandLine(program: program, commandLine: line, limit: WireLimit.commandLine).text
  }

  /// Adds to a prompt what was wrong with the last entry.
  private func showing(_ error: String?, in prompt: Prompt) -> Prompt {
    guard let error else { return prompt }
    var prompt = prompt
    let isSilent = call.begin.pamFlags & Self.silent != 0
    if isSilent { prompt.text = "\(error)\n\(prompt.text)" } else { prompt.errorMessage = error }
    return prompt
  }
}
