import UAFWire

/// What a sensor that waits leads to, and nothing else.
///
/// A value without input or output, time, account or sensor. The rules:
///
/// - A touch that does not match is counted before the next one is compared.
/// - A match counts once, and only while the sensor waits. What comes after the end changes nothing.
/// - A message that does not fit ends it without a match.
struct FingerMachine: Hashable {
  /// What has happened.
  enum Event: Hashable {
    case touched(FingerTouch)
    /// The mismatch was counted.
    case counted(isLocked: Bool)
    case ended(FingerEnd.Cause)
    /// uaf-finger is gone, or does not keep to the protocol.
    case lost
    case timeIsUp
  }

  /// What is to be done next.
  enum Action: Hashable {
    /// Wait for the next message.
    case wait
    /// Say what came of the touch, and wait on.
    case tell(FingerTouch)
    /// Count a touch that did not match.
    case count
    /// Begin the next comparison.
    case compareAgain
    /// Take the match: read the prints while the sensor is claimed, then give it back.
    case take
    /// Give the sensor back.
    case stop
    /// Nothing is left to do: the sensor is not claimed any more.
    case rest
  }

  /// How it ended.
  enum Outcome: Hashable {
    case matched
    /// As many touches as are allowed did not match.
    case exhausted
    case timedOut
    /// The last touch caused a lock.
    case locked
    case failed(FingerEnd.Cause?)
  }

  /// How it ended; nil while the sensor waits.
  private(set) var outcome: Outcome?
  private var isCounting = false
  private var triesLeft: Int

  /// - Parameter tries: how many touches that do not match are allowed.
  init(tries: Int) { triesLeft = tries }

  /// Takes what happened, and says what to do next.
  mutating func received(_ event: Event) -> Action {
    guard outcome == nil else { return .rest }
    switch event {
    case .touched(.matched) where !isCounting:
      return end(.matched, .take)
    case .touched(.notMatched) where !isCounting:
      (isCounting, triesLeft) = (true, triesLeft - 1)
      return .count
    case .touched(let touch) where !isCounting && !touch.isCompared: return .tell(touch)
    case .counted(let isLocked) where isCounting:
      isCounting = false
      if isLocked { return end(.locked, .stop) }
      return triesLeft > 0 ? .compareAgain : end(.exhausted, .stop)
    case .ended(let cause): return end(.failed(cause), .rest)
    case .lost: return end(.failed(nil), .rest)
    case .timeIsUp where !isCounting: return end(.timedOut, .stop)
    case .touched, .counted, .timeIsUp: return end(.failed(nil), .stop)
    }
  }

  private mutating func end(_ outcome: Outcome, _ action: Action) -> Action {
    self.outcome = outcome
    return action
  }
}
