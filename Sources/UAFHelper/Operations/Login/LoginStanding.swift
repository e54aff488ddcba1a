import FidoResults

/// What has happened in a login so far, as far as its end depends on it.
struct LoginStanding: Hashable {
  /// Whether the person was asked for anything.
  var wasAsked = false
  /// Whether a value was verified.
  var hasProved = false
  /// Whether the server, or something at its address, was reached.
  var isReached = false
  /// Whether a request of the server's was received.
  var hasRequest = false
  /// Whether the server has refused anything.
  var isRefused = false

  /// Results that say nothing of the server's answer.
  private static let personsOwn: Set<FidoResult> = [
    .wrongValue, .locked, .lockedForGood, .userCancel, .userFallback, .applicationCancel, .systemCancel,
    .notInteractive, .resetChosen, .noAnswer,
  ]

  /// Whether an end with this result means that the server answered, and the answer was no success.
  ///
  /// A request that was received and led to no success counts too, unless the person or the machine has ended the login.
  func isServersNo(_ result: FidoResult) -> Bool { isRefused || hasRequest && !Self.personsOwn.contains(result) }

  /// Adds to an ending what had happened by then.
  ///
  /// - Parameter hasProved: whether a value was verified. Without that, no stack goes on because the server is away.
  func marked(_ ending: Ending, hasProved: Bool) -> Ending {
    ending.after(
      isReached: isReached, isRefused: isServersNo(ending.result), hasProved: hasProved, wasAsked: wasAsked)
  }

  /// Adds what a refusal says of the server.
  mutating func hear(_ refusal: LoginRefusal) {
    isReached = isReached || refusal == .no || refusal == .brokenOff
    isRefused = isRefused || refusal == .no
  }
}
