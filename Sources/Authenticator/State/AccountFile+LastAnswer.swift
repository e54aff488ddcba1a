extension AccountFile {
  /// Writes down a refusal that could not be written down when it came.
  ///
  /// - Throws: ``StateError``: it then counts as before.
  public func settleRefusal(at now: BootTime) throws(StateError) {
    guard let refusalMark, refusalMark.isSet else { return }
    try records.write { () throws(StateError) in try changeRecord { $0.noteRefusal(at: now) } }
    refusalMark.clear()
  }

  /// How many of the server's answers were no yes, to be told to ``noteYes(asked:with:under:since:)`` later.
  ///
  /// - Throws: ``StateError``.
  public func refusals() throws(StateError) -> UInt64 { try lastAnswer()?.refusals ?? 0 }

  /// Keeps that the server said yes.
  ///
  /// - Parameters:
  ///   - asked: when its answer was asked for; time that passed since counts.
  ///   - types: what the person had verified.
  ///   - terms: SHA-256 of what made the answer one of root's server.
  ///   - refusals: ``refusals()`` before the server was asked: a yes that crossed a refusal is not kept.
  /// - Throws: ``StateError``; nothing is kept then.
  public func noteYes(
    asked: BootTime, with types: [AuthenticatorType], under terms: [UInt8], since refusals: UInt64
  ) throws(StateError) {
    try changeLastAnswer { answer in
      guard refusalMark?.isSet != true else { return }
      answer.note(LastAnswer.Yes(asked: asked, types: types, terms: terms), since: refusals)
    }
  }

  /// Takes back what the server's last yes was good for; where the file cannot be written, by a mark beside it.
  ///
  /// - Parameter always: whether it is written down too where no answer was ever kept: a yes that is just on its way must
  ///   not be kept after it.
  /// - Throws: ``StateError``.
  public func noteRefusal(at now: BootTime, always: Bool) throws(StateError) {
    do throws(StateError) {
      try records.write { () throws(StateError) in
        let isKept = try lastAnswer() != nil
        guard isKept || always else { return }
        try changeRecord { $0.noteRefusal(at: now) }
      }
    } catch {
      guard case .database = error, let refusalMark, refusalMark.set() else { throw error }
    }
  }

  /// Judges whether the account may be let in without the server; that it was looked at is written down first.
  ///
  /// - Parameters:
  ///   - opened: what the person has verified just now.
  ///   - terms: as in ``noteYes(asked:with:under:since:)``.
  /// - Throws: ``StateError``: then it may not; `damaged` for a record that was edited.
  public func judgeOffline(
    at now: BootTime, maximumAge: Duration, opened: [AuthenticatorType], terms: [UInt8]
  ) throws(StateError) -> OfflineJudgement {
    guard try lastAnswer() != nil, refusalMark?.isSet != true else { return .refused(.noYes) }
    return try changeLastAnswer { answer in
      answer.judge(at: now, maximumAge: maximumAge, opened: opened, terms: terms)
    }
  }

  private func lastAnswer() throws(StateError) -> LastAnswer? {
    guard let body = try records.body(.lastAnswer, of: identity) else { return nil }
    return try LastAnswer(record: body)
  }

  private func changeLastAnswer<Result>(_ body: (inout LastAnswer) -> Result) throws(StateError) -> Result {
    try records.write { () throws(StateError) in try changeRecord(body) }
  }

  private func changeRecord<Result>(_ body: (inout LastAnswer) -> Result) throws(StateError) -> Result {
    // An account that was taken away meanwhile gets nothing back.
    try requireIdentity()
    let before = try lastAnswer()
    var answer = before ?? LastAnswer()
    let result = body(&answer)
    if answer != before { try records.put(.lastAnswer, body: answer.record, of: identity) }
    return result
  }
}
