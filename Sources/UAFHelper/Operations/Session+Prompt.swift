import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFMessages
import UAFWire

extension Session {
  /// `PAM_SILENT`: courtesy text is not shown, so what must be said goes into the prompt itself.
  private static let silent: UInt32 = 0x8000

  /// Asks for a passcode.
  ///
  /// - Throws: ``Ending`` (999) if the person cancelled.
  func askValue(
    _ step: PromptStep, account: AccountFile?, error: String?, tries: Int?
  ) throws(Ending) -> Secret {
    let user = shownName(account)
    let text: PromptText =
      switch step {
      case .current: .passcode(user: user, service: caller.isTool ? nil : caller.service)
      case .new: .newValue(user: user)
      case .newAgain: .newValueAgain
      }
    var prompt = Prompt(echo: false, check: "passcode", step: step, text: text.text(in: language))
    prompt.remainingAttempts = tries.map { UInt32(clamping: $0) }
    prompt.reason = transaction?.shown ?? caller.service
    // In the prompt itself, whatever PAM_SILENT says: nobody confirms what was not shown.
    if step == .current, let transaction {
      prompt.text = "\(PromptText.confirm(transaction.shown).text(in: language))\n\(prompt.text)"
    }
    if let error {
      let isSilent = begin.pamFlags & Self.silent != 0
      if isSilent { prompt.text = "\(error)\n\(prompt.text)" } else { prompt.errorMessage = error }
    }
    guard let value = try frontEnd.ask(prompt) else {
      throw Ending(.userCancel, text: .cancelled, log: "cancelled by the person")
    }
    return value
  }

  /// Asks for a new passcode, twice, until both are equal and the policy has nothing against it.
  ///
  /// - Throws: ``Ending``: cancelled, or (1001) no acceptable value after three rounds. Nothing is counted.
  func askNewValue() throws(Ending) -> Secret {
    try frontEnd.send(.info(PromptText.enrol(user: shownName(nil)).text(in: language)))
    var error: String?
    for _ in 0..<3 {
      let value = try askValue(.new, account: nil, error: error, tries: nil)
      error = objections(to: value)
      if error != nil { continue }
      let again = try askValue(.newAgain, account: nil, error: nil, tries: nil)
      if value.isEqual(to: again) { return value }
      error = PromptText.valuesDiffer.text(in: language)
    }
    try frontEnd.send(.error(error ?? ""))
    throw Ending(.invalidParameter, log: "no acceptable new value was entered")
  }

  /// What the policy has against a new value, one line each; nil for nothing.
  private func objections(to value: borrowing Secret) -> String? {
    let policy = configuration.passcode.policy
    let problems = value.withBytes { policy.check($0) }
    return problems.isEmpty ? nil : problems.map { $0.message(in: language) }.joined(separator: "\n")
  }
}
