import NIOCore
import UAFService

/// Counts answers that are wrong, and sees to it that the audit has them: each by itself, or one row for many.
///
/// An answer that matched a request and is within its account's budget has a row, which is stored with the count. So strangers
/// fill the audit no faster than the limits allow. All others, and those beyond ``mostRows``, are counted in memory.
struct AnswerRefusals: Sendable {
  /// Rows for refusals in a minute, of all accounts together; twice as many at once.
  static let mostRows: Int64 = 600

  private let admission: Admission
  private let wrongAnswers: WrongAnswerLimit
  private let counted: RefusalCount
  private let rows = RateLimiter(.init(perMinute: mostRows))
  private let now: @Sendable () -> Int64

  init(environment: ServiceEnvironment, admission: Admission, count: RefusalCount) {
    self.admission = admission
    counted = count
    now = environment.now
    wrongAnswers = WrongAnswerLimit(
      store: environment.store, keys: environment.keys, perMinute: admission.accountRate, now: environment.now)
  }

  /// An address as the audit has it; empty for a Unix socket.
  static func text(_ address: SocketAddress?) -> String { address?.ipAddress ?? "" }

  /// Counts a refusal that has no row of its own.
  func count(_ reason: String, _ address: SocketAddress?) { counted.add(reason, from: Self.text(address)) }

  /// The row for a refused answer; nil if it is only counted.
  func event(_ answer: ResponseService.Answer, _ refusal: ServiceRefusal, _ address: SocketAddress?) -> AuditEntry? {
    let now = now()
    guard admission.accountRate > 0, rows.admits("", now: now) else { return nil }
    return answer.event(refused: refusal, from: Self.text(address), now: now)
  }

  /// Counts a wrong answer, and stores its row if it is within the budget.
  ///
  /// - Parameter account: that of the answer's request; nil if there is no request.
  /// - Returns: the limit that it is beyond; nil for none.
  func limit(
    _ machine: KnownMachine?, _ address: SocketAddress?, account: String?, _ event: AuditEntry?
  ) async throws -> Limit? {
    if let machine, machine.claim.isAnswer, account.map(machine.claim.username.isIdentical(to:)) ?? true,
      try await wrongAnswers.admits("machine \(Admission.name(of: machine))", event: event)
    {
      return nil
    }
    guard admission.admits(wrongFrom: address, now: now()) else { return .address }
    guard let account else { return nil }
    return try await wrongAnswers.admits("account \(account)", event: event) ? nil : .account
  }
}
