/// What the helper says in a conversation, other than results and rules.
///
/// Names and texts that come from outside are cleaned and capped here, so that no caller can forget to.
public enum PromptText: Hashable, Sendable {
  /// Asks for the value. Only this text names the service, or what the login is for, and the length of a PIN.
  case value(ValueKind, user: String, service: String?, digits: Int? = nil)
  /// Asks for the value in use, before a change.
  case currentValue(ValueKind, user: String, digits: Int? = nil)
  /// Asks for a value to set.
  case newValue(ValueKind, user: String, digits: Int? = nil)
  /// Asks for it once more.
  case newValueAgain(ValueKind, digits: Int? = nil)
  /// Two different entries; not an attempt.
  case valuesDiffer
  /// The new value is the old one.
  case valueUnchanged(ValueKind)
  /// What registering will do.
  case enrol(ValueKind, user: String)
  /// How a pattern is typed.
  case patternKeys
  /// Asks which authenticator to use; the numbered list follows.
  case choice(user: String)
  /// Asks for a number of the list.
  case choiceNumber(Int)
  /// One entry of the list: what is to be entered, in turn.
  case choiceOption([ValueKind])
  /// The entry of the list that leads to a new registration.
  case registerAgain
  /// Something but a number of the list was entered.
  case noSuchChoice(Int)
  /// An empty line leads back to the list.
  case emptyLineBack
  /// The value was right, but today's rules would refuse it.
  case valueIsStale(ValueKind)
  /// The same, where no change can be asked for here: the person has to change it later.
  case valueIsStaleHere(ValueKind)
  /// The server could not be reached, and the login was accepted without it.
  case acceptedOffline
  /// The value that was entered meets the rules: another one has to be changed.
  case valueMeetsRules(ValueKind, other: ValueKind)
  /// Asks for an enrolment code.
  case enrolmentCode
  /// Asks for a code that may be for something else.
  case oneTimeCode
  /// Nothing that was entered could be set as a first value, or in place of a forgotten one.
  case valueNotSet(ValueKind)
  /// A wrong value; nil where states are hidden.
  case wrong(ValueKind, triesLeft: Int?)
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
  /// The server has revoked the registration (1493), with the text it gave.
  case revoked(said: String?)
  /// The server does not allow what was asked for, and will not later (1403).
  case serverForbids
  /// The server has neither accepted nor refused (1202).
  case serverUndecided
  /// The server failed (1500, and HTTP's own statuses for it).
  case serverFailed
  /// The configuration gives the account another name at the server than the one it is registered under.
  case serverNameChanged
  /// The server answered with a UAF status that has no text of its own.
  case serverStatus(Int)
  /// The server answered with a number of its own.
  case serverNumber(UInt32)
  /// The server has seen what this machine's state knows nothing of.
  case stateIsOlder(user: String)
  /// The person cancelled.
  case cancelled
  /// What is confirmed by the entry that follows; made fit to be shown already.
  case confirm(ValueKind, String)
  /// The first question can be asked: at a terminal the person says when.
  case ready
  /// What waited to be approved was denied.
  case denied
  /// The code of an approval is good for nothing any more.
  case approvalIsOver
  /// So many characters of what is confirmed are not shown.
  case partOfText(left: Int)
  /// What would have to be confirmed has more than so many characters.
  case textTooLong(Int)
  /// The same of a text that a caller of uafctl wrote.
  case ownTextTooLong(Int)
  /// sudo was given a list of variables: it has written over its command line, which cannot be relied on.
  case overwrittenByList
  /// The configuration is wrong; the log has file, line and key.
  case configurationError
  /// So many conversations of one person's are under way that there is no place for another.
  case tooManyConversations
  /// Registered.
  case registered(user: String)
  /// Deregistered.
  case deregistered(user: String)
  /// Deregistered here alone: the server had forgotten the key before.
  case deregisteredHere(user: String)
  /// Deregistered, and the server has forgotten another authenticator's key as well, which is still here.
  case deregisteredMore(user: String, left: ValueKind)
  /// Changed.
  case changed(ValueKind, user: String)
  /// Reset, which the server was told or not.
  case reset(ValueKind, user: String, serverKnows: Bool)
  /// Registered again: the new value is the one to log in with.
  case registeredAgain(ValueKind)
  /// Why a conversation ended, where its result tells too little.
  case cause(EndCause)
  /// How a pattern is drawn on a grid.
  case patternGrid

  /// The text; a prompt ends with a colon and a space, everything else with a full stop or the server's last character.
  public func text(in language: Language) -> String { language.catalogue.text(self) }

  /// A user or service name as it may be shown.
  static func shown(_ name: String) -> String { Text.cleaned(name, limit: nameLimit) }

  /// What a server said, as a part of our own sentence; nothing where it said nothing.
  static func inBrackets(_ said: String?) -> String {
    let words = Text.cleaned(said ?? "")
    return words.isEmpty ? "" : " (\(words))"
  }

  private static let nameLimit = 64
}
