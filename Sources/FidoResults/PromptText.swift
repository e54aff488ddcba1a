/// What the helper says in a conversation, other than results and rules.
///
/// Names and texts that come from outside are cleaned and capped here, so that no caller can forget to.
public enum PromptText: Hashable, Sendable {
  /// Asks for the passcode; the service is named here or not at all.
  case passcode(user: String, service: String?)
  /// Asks for the value in use, before a change.
  case currentValue(user: String)
  /// Asks for a value to set.
  case newValue(user: String)
  /// Asks for it once more.
  case newValueAgain
  /// Two different entries; not an attempt.
  case valuesDiffer
  /// What registering will do.
  case enrol(user: String)
  /// Asks for the code of the enrolment payload.
  case enrolmentCode
  /// A wrong value; nil where states are hidden.
  case wrong(triesLeft: Int?)
  /// Locked for that many seconds, shown as minutes from two minutes up.
  case locked(seconds: Int)
  /// Locked until an administrator unlocks.
  case lockedForGood
  /// The entry's format is wrong: that many digits are asked for. Not an attempt.
  case digitsExpected(Int)
  /// The server takes its time.
  case waitingForServer
  /// No answer from the server.
  case noAnswer(NetworkFailure)
  /// The server refused, with the text it gave.
  case refusedByServer(String?)
  /// The server answered with a UAF status that has no text of its own.
  case serverStatus(Int)
  /// The server answered with a number of its own.
  case serverNumber(UInt32)
  /// The person cancelled.
  case cancelled
  /// What is confirmed by the entry that follows; printable ASCII already.
  case confirm(String)
  /// What would have to be confirmed has more than so many characters.
  case textTooLong(Int)
  /// The configuration is wrong; the log has file, line and key.
  case configurationError
  /// Registered.
  case registered(user: String)
  /// Deregistered.
  case deregistered(user: String)
  /// How a pattern is drawn on a grid.
  case patternGrid

  /// The text; a prompt ends with a colon and a space, everything else with a full stop or the server's last character.
  public func text(in language: Language) -> String { language.catalogue.text(self) }

  /// A user or service name as it may be shown.
  static func shown(_ name: String) -> String { Text.cleaned(name, limit: nameLimit) }

  private static let nameLimit = 64
}
