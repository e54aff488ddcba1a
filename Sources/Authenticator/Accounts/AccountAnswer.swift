/// The server's last answer for an account, in the account's file, with the mark beside the file.
struct AccountAnswer {
  let records: AccountRecords
  /// Says that the server has refused, if the file could not be written; nil for a file in memory.
  let refusalMark: RefusalMark?

  /// Stores a refusal that could not be stored when it came.
  func settleRefusal(at now: BootTime) throws(StateError) {
    guard let refusalMark, refusalMark.isSet else { return }
    try records.write { () throws(StateError) in try changeRecord { $0.noteRefusal(at: now) } }
    refusalMark.clear()
  }

  /// How many of the server's answers were no success.
  func refusals() throws(StateError) -> UInt64 { try records.lastAnswer()?.refusals ?? 0 }

  /// Stores a success, unless a refusal came in between.
  ///
  /// - Parameter refusals: ``refusals()`` before the server was asked.
  func noteYes(_ yes: LastAnswer.Yes, since refusals: UInt64) throws(StateError) {
    try change { answer in
      guard refusalMark?.isSet != true else { return }
      answer.note(yes, since: refusals)
    }
  }

  /// Makes the last success invalid; if the file cannot be written, by the mark.
  ///
  /// - Parameter always: whether to store it even if no answer was ever stored.
  func noteRefusal(at now: BootTime, always: Bool) throws(StateError) {
    do throws(StateError) {
      try records.write { () throws(StateError) in
        let isKept = try records.lastAnswer() != nil
        guard isKept || always else { return }
        try changeRecord { $0.noteRefusal(at: now) }
      }
    } catch {
      guard case .database = error, let refusalMark, refusalMark.set() else { throw error }
    }
  }

  /// Decides whether the account may log in without the server; stores first that it was asked.
  func judgeOffline(
    at now: BootTime, maximumAge: Duration, opened: [AuthenticatorType], terms: [UInt8]
  ) throws(StateError) -> OfflineJudgement {
    guard try records.lastAnswer() != nil, refusalMark?.isSet != true else { return .refused(.noYes) }
    return try change { $0.judge(at: now, maximumAge: maximumAge, opened: opened, terms: terms) }
  }

  private func change<Result>(_ body: (inout LastAnswer) -> Result) throws(StateError) -> Result {
    try records.write { () throws(StateError) in try changeRecord(body) }
  }

  private func changeRecord<Result>(_ body: (inout LastAnswer) -> Result) throws(StateError) -> Result {
    // An account that was removed meanwhile is not restored.
    try records.requireIdentity()
    let before = try records.lastAnswer()
    var answer = before ?? LastAnswer()
    let result = body(&answer)
    if answer != before { try records.put(answer) }
    return result
  }
}
