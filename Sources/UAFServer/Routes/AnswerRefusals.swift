import NIOCore
import UAFService

/// Counts answers that are wrong, and sees to it that the audit has them: each by itself, or one row for many.
///
/// An answer of a known machine, or of somebody with authority for the account, has a row within its budget, which is stored with
/// the count. Strangers write nothing in the store: their answers, and those beyond ``mostRows``, are counted in memory.
struct AnswerRefusals: Sendable {
  /// Rows for refusals in a minute, of all accounts together; twice as many at once.
  static let mostRows: Int64 = 600

  private let admission: Admission
  private let wrongAnswers: WrongAnswerLimit
  private let counted: RefusalCount
  /// Wrong answers of strangers for an account, at this instance.
  private let wrongOfStrangers: RateLimiter?
  private let rows = RateLimiter(.init(perMinute: mostRows))
  private let now: @Sendable () -> Int64

  init(environment: ServiceEnvironment, admission: Admission, count: RefusalCount) {
    self.admission = admission
    counted = count
    now = environment.now
    let rate = admission.accountRate
    wrongOfStrangers = rate > 0 ? RateLimiter(.init(perMinute: rate)) : nil
    wrongAnswers = WrongAnswerLimit(
      store: environment.store, keys: environment.keys, perMinute: rate, now: environment.now)
  }

  /// An address as the audit has it; empty for a Unix socket.
  static func text(_ address: SocketAddress?) -> String { address?.ipAddress ?? "" }

  /// Counts a refusal that has no row of its own.
  func count(_ reason: String, _ address: SocketAddress?) { counted.add(reason, from: Self.text(address)) }

  /// The row for a refused answer; nil if it is only counted.
  func event(
    _ answer: ResponseService.Answer, _ refusal: ServiceRefusal, _ machine: KnownMachine?, _ address: SocketAddress?
  ) -> AuditEntry? {
    let now = now()
    let isKnown = machine.map { Self.isOf($0, answer.username) } ?? false
    guard isKnown || answer.isAuthorised(refused: refusal) else { return nil }
    guard admission.accountRate > 0, rows.admits("", now: now) else { return nil }
    return answer.event(refused: refusal, from: Self.text(address), now: now)
  }

  /// Whether a machine has proved that it sends an answer for the account.
  private static func isOf(_ machine: KnownMachine, _ account: String?) -> Bool {
    machine.claim.isAnswer && account.map(machine.claim.username.isIdentical(to:)) ?? true
  }

  /// Counts a wrong answer, and stores its row if it is within the budget.
  ///
  /// - Parameters:
  ///   - account: that of the answer's request; nil if there is no request.
  ///   - event: its row; nil for an answer of a stranger, which is counted in memory.
  /// - Returns: the limit that it is beyond; nil for none.
  func limit(
    _ machine: KnownMachine?, _ address: SocketAddress?, account: String?, _ event: AuditEntry?
  ) async throws -> Limit? {
    if let machine, Self.isOf(machine, account),
      try await wrongAnswers.admits("machine \(Admission.name(of: machine))", event: event)
    {
      return nil
    }
    guard admission.admits(wrongFrom: address, now: now()) else { return .address }
    guard let account else { return nil }
    guard let event else { return wrongOfStrangers?.admits(account, now: now()) ?? true ? nil : .account }
    return try await wrongAnswers.admits("account \(account)", event: event) ? nil : .account
  }
}
