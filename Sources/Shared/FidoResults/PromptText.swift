/// What the helper says in a conversation, other than results and rules.
///
/// Names and texts that come from outside are cleaned and capped here, so that no caller can forget to.
public enum PromptText: Hashable, Sendable {
  /// Asks for the secret. Only this text names the service, or the purpose of the login, and the length of a PIN.
  case value(ValueKind, user: String, service: String?, digits: Int? = nil)
  /// Asks for the current secret, before a change.
  case currentValue(ValueKind, user: String, digits: Int? = nil)
  /// Asks for a secret to set.
  case newValue(ValueKind, user: String, digits: Int? = nil)
  /// Asks for it once more.
  case newValueAgain(ValueKind, digits: Int? = nil)
  /// Two different entries; not an attempt.
  case valuesDiffer
  /// The new secret is the old one.
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
  /// That entry was chosen (980): a code is asked for, and the call will not be a login.
  case registerAgainChosen
  /// The entry was not a number of the list.
  case noSuchChoice(Int)
  /// An empty line leads back to the list.
  case emptyLineBack
  /// The secret was correct, but today's rules would refuse it.
  case valueIsStale(ValueKind)
  /// The same, if no change can be asked for here: the person has to change it later.
  case valueIsStaleHere(ValueKind)
  /// The server could not be reached, and the login was accepted without it.
  case acceptedOffline
  /// The secret that was entered meets the rules: another one has to be changed.
  case valueMeetsRules(ValueKind, other: ValueKind)
  /// Asks for an enrolment code.
  case enrolmentCode
  /// Asks for the line of a machine payload.
  case machinePayload
  /// Asks for the one line of an unlock, as its file has it.
  case unlockLine
  /// Asks for the characters of an unlock code.
  case unlockCode
  /// Asks for the words of the recovery key.
  case recoveryKey
  /// Asks for a code that may be for something else.
  case oneTimeCode
  /// No entry could be set as a first secret, or in place of a forgotten one.
  case valueNotSet(ValueKind)
  /// A wrong secret; nil if states are hidden.
  case wrong(ValueKind, triesLeft: Int?)
  /// An entry of an earlier call was wrong.
  case wrongBefore(triesLeft: Int)
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
  /// The server has the key of one authenticator no more, and another one can prove who registers it again.
  case keyGone(ValueKind)
  /// The server asks for other keys of the account: it has no more of this one, or does not accept it.
  case notAskedFor(ValueKind)
  /// The server does not allow the request, now or later (1403).
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
  /// The server has seen signatures that this machine's state does not know.
  case stateIsOlder
  /// The person cancelled.
  case cancelled
  /// The text that the next entry confirms, already prepared for showing.
  case confirm(ValueKind, String)
  /// The first question can be asked; at a terminal the person says when.
  case ready
  /// The waiting text was denied.
  case denied
  /// The code of an approval can no longer be used.
  case approvalIsOver
  /// So many characters of the text to confirm are not shown.
  case partOfText(left: Int)
  /// The text to confirm has more than so many characters.
  case textTooLong(Int)
  /// The same of a text that a caller of uafctl wrote.
  case ownTextTooLong(Int)
  /// sudo was given a list of variables: it has written over its command line, which cannot be relied on.
  case overwrittenByList
  /// The payload is for another account than this one, by its name at the server.
  case codeOfOtherAccount(than: String)
  /// The approval is asked of another account than this one, which has this name at the server.
  case approvalOfOtherAccount(than: String)
  /// The configuration is wrong; the log has file, line and key.
  case configurationError
  /// The person has as many conversations as are allowed.
  case tooManyConversations
  /// Registered.
  case registered(user: String)
  /// The server knew the account by keys that this machine had lost, and has forgotten them.
  case lostKeysForgotten
  /// The code sets a new secret for an authenticator that the account has already.
  case registeredBefore(ValueKind, user: String)
  /// A new secret took the place of one that was set; says what became of the old key at the server.
  case valueReplaced(ValueKind, user: String, oldKey: ReplacedKey)
  /// Deregistered here and at the server: these authenticators.
  case deregistered(user: String, of: [ValueKind] = [])
  /// Deregistered at the server alone, whose word removes nothing here.
  case deregisteredThere(user: String, of: [ValueKind])
  /// Deregistered only here: the server had already forgotten the key.
  case deregisteredHere(user: String, of: [ValueKind] = [])
  /// Deregistered, and the server has forgotten another authenticator's key as well, which is still here.
  case deregisteredMore(user: String, left: ValueKind)
  /// Nothing of the account is left on this machine.
  case forgotten(user: String)
  /// Another name of the account has taken its registration over; its name at the server stays.
  case renamed(user: String, from: String, server: String)
  /// Changed.
  case changed(ValueKind, user: String)
  /// Changed, and the server does not accept its key.
  case changedButRefused(ValueKind, user: String)
  /// Reset; says whether the server was told.
  case reset(ValueKind, user: String, serverKnows: Bool)
  /// A new key was registered under the value; says what became of the old one at the server.
  case repaired(ValueKind, user: String, oldKey: ReplacedKey)
  /// Left the server that the machine had joined; says whether the server was told.
  case left(serverKnows: Bool)
  /// Registered again: the new secret is the one to log in with.
  case registeredAgain(ValueKind)
  /// What was typed is not the unlock code of this account on this machine, which the server knows by these characters.
  case unlockCodeWrong(machine: String)
  /// Why a conversation ended, if its result says too little.
  case cause(EndCause)
  /// The sensor waits while the secret is asked for.
  case touchOrType
  /// The sensor waits, and nothing has to be typed.
  case touch
  /// The sensor waits, and Enter says that it was touched.
  case touchThenEnter
  /// What came of a touch.
  case touched(TouchText)
  /// Prints that had changed are accepted again.
  case printsAccepted
  /// How a pattern is drawn on a grid.
  case patternGrid

  /// The text; a prompt ends with a colon and a space, everything else with a full stop or the server's last character.
  ///
  /// - Parameter codes: who may set a new value by a code.
  public func text(in language: Language, codes: CodeUse = .persons) -> String { language.catalogue.text(self, codes) }

  /// What asks for a new secret once more, in the language of `question`, which has asked for it.
  ///
  /// A front end that shows both questions at once needs the second one before the core asks it, and does not know all that its
  /// words follow from: the configuration, and the policy of a server.
  ///
  /// - Parameters:
  ///   - question: a text that ``newValue(_:user:digits:)`` has, for any user.
  ///   - kinds: what may be asked for.
  ///   - length: how many digits a PIN may have.
  /// - Returns: nil where no language asks for a new secret in this way.
  public static func newValueAgain(after question: String, among kinds: [ValueKind], length: Int?) -> String? {
    for language in Language.allCases {
      for kind in kinds {
        // The digits first: without them they would pass for a part of the name.
        for digits in [length, nil] where isNewValue(question, kind, digits, in: language) {
          return newValueAgain(kind, digits: digits).text(in: language)
        }
      }
    }
    return nil
  }

  /// Whether `question` asks for such a new secret, whoever is asked.
  private static func isNewValue(_ question: String, _ kind: ValueKind, _ digits: Int?, in language: Language) -> Bool {
    let anybody = "@"
    let text = newValue(kind, user: anybody, digits: digits).text(in: language)
    let around = text.split(separator: anybody, maxSplits: 1, omittingEmptySubsequences: false)
    guard around.count == 2 else { return false }
    return question.hasPrefix(around[0]) && question.hasSuffix(around[1])
  }

  /// A user or service name as it may be shown.
  static func shown(_ name: String) -> String { Text.cleaned(name, limit: nameLimit) }

  /// The server's words, as a part of our own sentence; nothing if it said nothing.
  static func inBrackets(_ said: String?) -> String {
    let words = Text.cleaned(said ?? "")
    return words.isEmpty ? "" : " (\(words))"
  }

  /// The type as a command names it, after a space; nothing where there are several.
  static func named(_ kinds: [ValueKind]) -> String { kinds.count == 1 ? " \(kinds[0].english)" : "" }

  private static let nameLimit = 64
}

extension PromptText {
  /// What can be done about an ending with this text; nil if the text says so itself, or there is nothing to do.
  ///
  /// - Parameter codes: who may set a new value by a code.
  public func nextStep(in language: Language, codes: CodeUse = .persons) -> String? {
    switch self {
    case .cause(let cause): language.catalogue.told(cause, codes).nextStep
    case .wrong, .digitsExpected: FidoResult.wrongValue.nextStep(in: language, codes: codes)
    // The texts say how a lock ends. Whoever has forgotten the value is locked again after that.
    case .locked, .lockedForGood: language.catalogue.ifForgotten(codes)
    case .noAnswer(.dns), .noAnswer(.refused), .noAnswer(.unreachable), .noAnswer(.timeOut), .noAnswer(.connectionLost):
      FidoResult.noAnswer.nextStep(in: language)
    case .noAnswer(.tls), .noAnswer(.proxy), .serverStatus, .serverNumber: FidoResult.unknown.nextStep(in: language)
    // A server's own words may contradict any advice beside them.
    case .refusedByServer: nil
    // These texts say it themselves.
    case .noAnswer(.ownMeans), .valueNotSet, .revoked, .keyGone, .notAskedFor, .serverForbids, .serverUndecided,
      .serverFailed, .serverNameChanged, .stateIsOlder, .codeOfOtherAccount, .approvalOfOtherAccount, .cancelled,
      .denied, .approvalIsOver,
      .textTooLong,
      .ownTextTooLong, .overwrittenByList, .configurationError,
      .tooManyConversations, .registeredAgain, .unlockCodeWrong:
      nil
    // These texts end nothing, or belong to a success.
    case .value, .currentValue, .newValue, .newValueAgain, .valuesDiffer, .valueUnchanged, .enrol, .patternKeys,
      .choice,
      .choiceNumber, .choiceOption, .registerAgain, .noSuchChoice, .emptyLineBack, .valueIsStale, .valueIsStaleHere,
      .acceptedOffline, .valueMeetsRules, .enrolmentCode, .machinePayload, .unlockLine, .unlockCode,
      .recoveryKey, .oneTimeCode,
      .waitingForServer, .confirm, .wrongBefore, .registerAgainChosen,
      .ready,
      .partOfText,
      .registered, .lostKeysForgotten, .registeredBefore, .valueReplaced, .deregistered, .deregisteredThere,
      .deregisteredHere,
      .deregisteredMore, .forgotten, .renamed, .changed, .changedButRefused, .reset, .repaired, .left,
      .patternGrid,
      .touchOrType, .touch, .touchThenEnter, .touched, .printsAccepted:
      nil
    }
  }
}

/// What a person is asked to enter, as texts name it: the secret of one authenticator type, or of one of several.
///
/// An authenticator type brings its own words, so that the texts around them need no change for a new type.
public struct ValueKind: Hashable, Sendable {
  /// The noun as it stands inside an English sentence.
  let english: String
  /// The noun as it stands inside a Korean sentence, without a particle.
  let korean: String

  /// The words of one type; each is a noun that begins with a small letter.
  public init(english: String, korean: String) {
    self.english = english
    self.korean = korean
  }

  /// One of several, if the text must not show which of them the account has.
  ///
  /// - Parameter kinds: at least one; one alone is returned as it is.
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
    // The syllables stand in blocks of 28 from U+AC00; the first of each block has no final consonant.
    guard let last = korean.unicodeScalars.last?.value, (0xAC00...0xD7A3).contains(last) else { return false }
    return (last - 0xAC00) % 28 != 0
  }
}

/// What the server thinks of a key that a new one has replaced.
public enum ReplacedKey: Hashable, Sendable {
  /// It has said that it forgot it.
  case forgotten
  /// It had revoked it, or did not have it any more: there is nothing left to be done.
  case refusedBefore
  /// It has said nothing, and may accept it still; the KeyIDs, as the server's commands take them.
  case unsaid([String])
}
