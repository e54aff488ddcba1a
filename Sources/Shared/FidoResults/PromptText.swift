/// The texts of the core in a conversation, other than results and rules.
///
/// Names and texts that come from outside are cleaned and capped here, so that no caller can forget to.
public enum PromptText: Hashable, Sendable {
  /// Asks for the secret. Only this text names the service, or the purpose of the login, and the length of a PIN.
  case value(ValueKind, user: String, service: String?, digits: Int? = nil)
  /// Asks for the current secret, before a change.
  case currentValue(ValueKind, user: String, digits: Int? = nil)
  /// Asks for a secret to set.
  case newValue(ValueKind, user: String, digits: Int? = nil)
  /// Asks for the new secret again.
  case newValueAgain(ValueKind, digits: Int? = nil)
  /// Two entries differ; this is not an attempt.
  case valuesDiffer
  /// The new secret is the old one.
  case valueUnchanged(ValueKind)
  /// What registering will do.
  case enrol(ValueKind, user: String)
  /// How a pattern is typed.
  case patternKeys
  /// Asks which authenticator to use; the numbered list follows.
  case choice(user: String)
  /// Asks for a number from the list.
  case choiceNumber(Int)
  /// One entry of the list: the secrets to be entered, in order.
  case choiceOption([ValueKind])
  /// The entry of the list that leads to a new registration.
  case registerAgain
  /// That entry was chosen (980): a code is asked for, and the call will not be a login.
  case registerAgainChosen
  /// The entry was not a number of the list.
  case noSuchChoice(Int)
  /// The host's list was answered with none of its entries.
  case nothingPicked
  /// An empty line leads back to the list.
  case emptyLineBack
  /// The secret was correct, but the current rules would refuse it, so it has to be changed.
  case valueIsStale(ValueKind)
  /// The secret was correct, but the current rules would refuse it, and it cannot be changed here.
  case valueIsStaleHere(ValueKind)
  /// The server could not be reached, and the login was accepted without it.
  case acceptedOffline
  /// The secret that was entered meets the rules; it is the secret of another authenticator that must be changed.
  case valueMeetsRules(ValueKind, other: ValueKind)
  /// The server does not accept the enrolment code of an account that has this other name there.
  case codeRefused(serverUser: String)
  /// Asks for an enrolment code.
  case enrolmentCode
  /// Asks for the person's password at the server, with which a registration there begins.
  case serverPassword(user: String)
  /// Asks for the line of a machine payload.
  case machinePayload
  /// Asks for the line of an unlock, as in its file.
  case unlockLine
  /// Asks for the characters of an unlock code.
  case unlockCode
  /// Asks for the words of the recovery key.
  case recoveryKey
  /// Asks for the password of the person's keyring; with `canDecline`, an empty line keeps none.
  case keyringPassword(user: String, canDecline: Bool)
  /// Asks for a code without naming its purpose.
  case oneTimeCode
  /// No entry could be set as a first secret, or to replace a forgotten one.
  case valueNotSet(ValueKind)
  /// A wrong secret; nil if states are hidden.
  case wrong(ValueKind, triesLeft: Int?)
  /// An entry of an earlier call was wrong.
  case wrongBefore(triesLeft: Int)
  /// Locked for that many seconds, shown as minutes from two minutes up.
  case locked(seconds: Int)
  /// Locked until an administrator unlocks.
  case lockedForGood
  /// The entry's format is wrong: the prompt asks for this many digits. Not an attempt.
  case digitsExpected(Int)
  /// The server is taking a long time.
  case waitingForServer
  /// No answer from the server.
  case noAnswer(NetworkFailure)
  /// The server refused; the value is the server's text.
  case refusedByServer(String?)
  /// The server has revoked the registration (1493); the value is the server's text.
  case revoked(said: String?)
  /// The server no longer has the key of one authenticator, and a different authenticator can prove the person who registers it
  /// again.
  case keyGone(ValueKind)
  /// The server asks for other keys of the account: it no longer has this one, or does not accept it.
  case notAskedFor(ValueKind)
  /// The server does not allow the request, now or later (1403).
  case serverForbids
  /// The server has neither accepted nor refused (1202).
  case serverUndecided
  /// The server failed (1500, and HTTP's own statuses for it).
  case serverFailed
  /// For this account, the configuration has a server user name other than the registered one.
  case serverNameChanged
  /// The server answered with a UAF status that has no text of its own.
  case serverStatus(Int)
  /// The server answered with a number of its own.
  case serverNumber(UInt32)
  /// The server has seen signatures that this machine's state does not contain.
  case stateIsOlder
  /// The person cancelled.
  case cancelled
  /// The text that the next entry confirms, already prepared for showing.
  case confirm(ValueKind, String)
  /// The call is ready for its first prompt; at a terminal, it waits until the person presses Enter.
  case ready
  /// The waiting text was denied.
  case denied
  /// The code of an approval can no longer be used.
  case approvalIsOver
  /// This many characters of the text to confirm are not shown.
  case partOfText(left: Int)
  /// The text to confirm has more than this many characters.
  case textTooLong(Int)
  /// A text to confirm that a caller of uafctl wrote has more than this many characters.
  case ownTextTooLong(Int)
  /// sudo was given a list of variables: it has overwritten its command line, which cannot be relied on.
  case overwrittenByList
  /// The code has a typing error: in this group, where 1 is the first; nil if it does not show in which.
  case codeMistyped(inGroup: Int?)
  /// The payload is for an account other than this one, named by its server user name.
  case codeOfOtherAccount(than: String)
  /// The approval is for an account other than this one, named by its server user name.
  case approvalOfOtherAccount(than: String)
  /// The configuration is wrong; the log has file, line and key.
  case configurationError
  /// The person has as many conversations as are allowed.
  case tooManyConversations
  /// Registered.
  case registered(user: String)
  /// The server had keys of the account that this machine had lost, and has now forgotten them.
  case lostKeysForgotten
  /// The code sets a new secret for an authenticator that the account already has.
  case registeredBefore(ValueKind, user: String)
  /// A new secret replaced an existing one; says what happened to the old key at the server.
  case valueReplaced(ValueKind, user: String, oldKey: ReplacedKey)
  /// Deregistered here and at the server: these authenticators.
  case deregistered(user: String, of: [ValueKind] = [])
  /// Deregistered only at the server, whose answer is not trusted to remove anything here.
  case deregisteredThere(user: String, of: [ValueKind])
  /// Deregistered only here: the server had already forgotten the key.
  case deregisteredHere(user: String, of: [ValueKind] = [])
  /// Deregistered only here, because the server's protocol deregisters nothing: the server keeps its part.
  case deregisteredHereAlone(user: String, of: [ValueKind])
  /// Deregistered, and the server has also forgotten another authenticator's key, which is still here.
  case deregisteredMore(user: String, left: ValueKind)
  /// Nothing of the account is left on this machine.
  case forgotten(user: String)
  /// A different name of the account took over its registration; its name at the server stays.
  case renamed(user: String, from: String, server: String)
  /// Changed.
  case changed(ValueKind, user: String)
  /// Changed, but the server does not accept its key.
  case changedButRefused(ValueKind, user: String)
  /// Reset; says whether the server was told.
  case reset(ValueKind, user: String, serverKnows: Bool)
  /// The password of the keyring is kept.
  case keyringKept(ValueKind, user: String)
  /// The person wants no password of the keyring to be kept.
  case keyringDeclined
  /// The password of the keyring is no longer kept; says whether one was.
  case keyringForgotten(user: String, wasKept: Bool)
  /// The password of the keyring was removed together with these authenticators.
  case keyringDropped([ValueKind])
  /// A new key was registered under the existing secret; says what happened to the old one at the server.
  case repaired(ValueKind, user: String, oldKey: ReplacedKey)
  /// Left the server that the machine had joined; says whether the server was told.
  case left(serverKnows: Bool)
  /// Registered again: the new secret is the one to log in with.
  case registeredAgain(ValueKind)
  /// The typed text is not the unlock code of this account on this machine, which the server knows by these characters.
  case unlockCodeWrong(machine: String)
  /// Why a conversation ended, if its result says too little.
  case cause(EndCause)
  /// The sensor waits during the prompt for the secret.
  case touchOrType(SensorKind)
  /// The sensor waits, and nothing needs to be typed.
  case touch(SensorKind)
  /// The sensor waits, and Enter says that it was used.
  case touchThenEnter(SensorKind)
  /// The result of a touch, or of a look at the camera.
  case touched(TouchText, SensorKind)
  /// What the face service has stored is not what the face was registered with.
  case faceChanged
  /// Prints that had changed are accepted again.
  case printsAccepted
  /// How a pattern is drawn on a grid.
  case patternGrid

  /// The text; a prompt ends with a colon and a space, everything else with a full stop or the server's last character.
  ///
  /// - Parameter codes: who may set a new value with a code.
  public func text(in language: Language, codes: CodeUse = .persons) -> String { language.catalogue.text(self, codes) }

  /// The text that asks for a new secret again, in the language of `question`, which asked for it first.
  ///
  /// A front end that shows both prompts at once needs the second text before the core sends it. The front end does not know
  /// everything that the text depends on, such as the configuration and the server's policy.
  ///
  /// - Parameters:
  ///   - question: a text that ``newValue(_:user:digits:)`` has, for any user.
  ///   - kinds: the kinds that may be asked for.
  ///   - length: the number of digits that a PIN may have.
  /// - Returns: nil if `question` is not such a text in any language.
  public static func newValueAgain(after question: String, among kinds: [ValueKind], length: Int?) -> String? {
    for language in Language.allCases {
      for kind in kinds {
        // The text with the number of digits is tried first: the text without it would also match, with the number in the
        // user's name.
        for digits in [length, nil] where isNewValue(question, kind, digits, in: language) {
          return newValueAgain(kind, digits: digits).text(in: language)
        }
      }
    }
    return nil
  }

  /// Whether `question` asks for such a new secret, whatever the user's name.
  private static func isNewValue(_ question: String, _ kind: ValueKind, _ digits: Int?, in language: Language) -> Bool {
    let anybody = "@"
    let text = newValue(kind, user: anybody, digits: digits).text(in: language)
    let around = text.split(separator: anybody, maxSplits: 1, omittingEmptySubsequences: false)
    guard around.count == 2 else { return false }
    return question.hasPrefix(around[0]) && question.hasSuffix(around[1])
  }

  /// A user or service name made safe to show.
  static func shown(_ name: String) -> String { Text.cleaned(name, limit: nameLimit) }

  /// The server's words, as a part of our own sentence; empty if it sent none.
  static func inBrackets(_ said: String?) -> String {
    let words = Text.cleaned(said ?? "")
    return words.isEmpty ? "" : " (\(words))"
  }

  /// The type as a command names it, after a space; empty if there are several.
  static func named(_ kinds: [ValueKind]) -> String { kinds.count == 1 ? " \(kinds[0].english)" : "" }

  private static let nameLimit = 64
}

extension PromptText {
  /// What people can do after an ending with this text; nil if the text itself says so, or there is nothing to do.
  ///
  /// - Parameter codes: who may set a new value with a code.
  public func nextStep(in language: Language, codes: CodeUse = .persons) -> String? {
    switch self {
    case .cause(let cause): language.catalogue.told(cause, codes).nextStep
    case .wrong, .digitsExpected: FidoResult.wrongValue.nextStep(in: language, codes: codes)
    // The texts say how a lock ends. A person who has forgotten the value is locked again afterwards.
    case .locked, .lockedForGood: language.catalogue.ifForgotten(codes)
    case .noAnswer(.dns), .noAnswer(.refused), .noAnswer(.unreachable), .noAnswer(.timeOut), .noAnswer(.connectionLost):
      FidoResult.noAnswer.nextStep(in: language)
    case .noAnswer(.tls), .noAnswer(.proxy), .serverStatus, .serverNumber: FidoResult.unknown.nextStep(in: language)
    // A server's own words may contradict any advice next to them.
    case .refusedByServer: nil
    // These texts contain the advice themselves.
    case .noAnswer(.ownMeans), .codeRefused, .valueNotSet, .revoked, .keyGone, .notAskedFor, .serverForbids,
      .serverUndecided,
      .serverFailed, .serverNameChanged, .stateIsOlder, .codeMistyped, .codeOfOtherAccount, .approvalOfOtherAccount,
      .cancelled, .denied, .approvalIsOver,
      .textTooLong,
      .ownTextTooLong, .overwrittenByList, .configurationError,
      .tooManyConversations, .registeredAgain, .unlockCodeWrong, .faceChanged:
      nil
    // These texts do not end a conversation, or belong to a success.
    case .value, .currentValue, .newValue, .newValueAgain, .valuesDiffer, .valueUnchanged, .enrol, .patternKeys,
      .choice,
      .choiceNumber, .choiceOption, .registerAgain, .noSuchChoice, .nothingPicked, .emptyLineBack, .valueIsStale,
      .valueIsStaleHere,
      .acceptedOffline, .valueMeetsRules, .enrolmentCode, .serverPassword, .machinePayload, .unlockLine, .unlockCode,
      .recoveryKey, .oneTimeCode,
      .waitingForServer, .confirm, .wrongBefore, .registerAgainChosen,
      .ready,
      .partOfText,
      .registered, .lostKeysForgotten, .registeredBefore, .valueReplaced, .deregistered, .deregisteredThere,
      .deregisteredHere, .deregisteredHereAlone,
      .deregisteredMore, .forgotten, .renamed, .changed, .changedButRefused, .reset, .repaired, .left,
      .patternGrid, .keyringPassword, .keyringKept, .keyringDeclined, .keyringForgotten, .keyringDropped,
      .touchOrType, .touch, .touchThenEnter, .touched, .printsAccepted:
      nil
    }
  }
}

/// What texts call the secret that a person is asked to enter: that of one authenticator type, or of one of several.
///
/// An authenticator type brings its own words, so that the texts around them need no change for a new type.
public struct ValueKind: Hashable, Sendable {
  /// The noun as it appears inside an English sentence.
  let english: String
  /// The noun as it appears inside a Korean sentence, without a particle.
  let korean: String

  /// The words of one type; each is a noun that begins with a small letter.
  public init(english: String, korean: String) {
    self.english = english
    self.korean = korean
  }

  /// The name for one of several kinds, if the text must not show which of them the account has.
  ///
  /// - Parameter kinds: at least one; a single one is returned unchanged.
  public static func oneOf(_ kinds: [ValueKind]) -> ValueKind {
    ValueKind(
      english: listed(kinds.map(\.english), last: " or "), korean: listed(kinds.map(\.korean), last: " 또는 "))
  }

  private static func listed(_ words: [String], last: String) -> String {
    [words.dropLast().joined(separator: ", "), words.last ?? ""].filter { !$0.isEmpty }.joined(separator: last)
  }

  /// The English noun at the beginning of a sentence.
  var englishCapitalised: String { english.prefix(1).uppercased() + english.dropFirst() }

  /// The Korean noun with the particle of an object.
  var koreanObject: String { korean + (endsWithConsonant ? "을" : "를") }

  /// The Korean noun with the particle of a subject.
  var koreanSubject: String { korean + (endsWithConsonant ? "이" : "가") }

  /// Whether the last Hangul syllable has a final consonant, which decides between the two forms of a particle.
  private var endsWithConsonant: Bool {
    // The syllables are in blocks of 28 from U+AC00; the first of each block has no final consonant.
    guard let last = korean.unicodeScalars.last?.value, (0xAC00...0xD7A3).contains(last) else { return false }
    return (last - 0xAC00) % 28 != 0
  }
}

/// The state at the server of a key that a new one has replaced.
public enum ReplacedKey: Hashable, Sendable {
  /// The server confirmed that it forgot the key.
  case forgotten
  /// The server had revoked the key, or no longer had it: nothing is left to do.
  case refusedBefore
  /// The server did not say that it forgot the keys, and may still accept them. With their KeyIDs, in the form that the server's
  /// commands expect.
  case unsaid([String])
  /// The server keeps the keys, because its protocol lets nobody remove them from here.
  case stays
}
