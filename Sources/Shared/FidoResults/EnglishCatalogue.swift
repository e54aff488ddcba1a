// Purpose: every text in English.

enum EnglishCatalogue: Catalogue {
  static func ifForgotten(_ codes: CodeUse) -> String {
    if let next = withoutCodes(codes) { return "If you have forgotten it: \(next)" }
    let command = "'\(codes.setting())' with an enrolment code"
    return codes == .roots
      ? "If you have forgotten it: have root run \(command), which sets a new one."
      : "If you have forgotten it: \(command) sets a new one."
  }

  /// How a person who has forgotten a value gets a new one at a server that takes no codes, as the end of a sentence; nil at
  /// other servers.
  static func withoutCodes(_ codes: CodeUse) -> String? {
    guard !codes.takesCodes else { return nil }
    return codes.isRoot
      ? "run '\(codes.setting())'; then the person runs 'uafctl register'."
      : "have root run '\(codes.setting())', then run 'uafctl register' yourself."
  }

  /// How an account in use gets a new key.
  static func newCode(_ codes: CodeUse) -> String {
    // The value is known: only its key is new.
    guard codes.takesCodes else { return "Run '\(codes.repair)', which makes a new key." }
    return codes == .roots
      ? "Have root run '\(codes.setting())' with a new enrolment code."
      : "Ask the administrator for a new enrolment code, then run '\(codes.setting())'."
  }

  /// It names the type that is gone: otherwise, a remaining type would get the new value.
  private static func registersAgain(_ kinds: [ValueKind] = [], _ codes: CodeUse) -> String {
    guard codes.takesCodes else {
      return "'\(codes.command("register", kinds.count == 1 ? kinds[0].english : ""))' registers again."
    }
    // Nothing of the type is left, so that a person's code is enough.
    return "With an enrolment code '\((codes == .roots ? .persons : codes).setting(kinds))' registers again."
  }

  private static func told(_ key: ReplacedKey, is name: String) -> String {
    switch key {
    case .forgotten: " The server has forgotten \(name)."
    case .refusedBefore: ""
    case .unsaid(let keyIDs):
      " The server has not said that it deleted \(name): have its administrator revoke it with 'uaf-server "
        + "revoke --key': \(keyIDs.joined(separator: ", "))"
    case .stays: " The server still has \(name): remove it there, in the account's settings."
    }
  }

  static func results(_ codes: CodeUse) -> [UInt32: ResultText] {
    [
      0: ResultText("Success."),
      10: ResultText("Ready for verification."),
      980: ResultText(
        "Registering again was chosen.", newCode(codes)),
      999: ResultText("Cancelled."),
      1001: ResultText("A setting or a message is not valid.", "Ask the administrator; the log says which one."),
      1002: ResultText(
        "The server's certificate or the channel binding is wrong.",
        "Do not enter your passcode elsewhere; tell the administrator."),
      1005: ResultText(
        "A message from the server was not understood.",
        "Tell the administrator; the log says which one."),
      1006: ResultText("The login helper is missing or unusable, or it has died.", "Reinstall the libpam-uaf package."),
      1007: ResultText("FIDO cannot be used on this machine.", "Ask the administrator; the log says why."),
      1008: ResultText(
        "The server knows this account, but this machine has no key for it.",
        "Register again with '\(codes.registration)'."),
      1009: ResultText(
        "This account is not registered on this machine.", "Register with '\(codes.registration)'."),
      1011: ResultText(
        "The user name is not valid.", "Use a short name without spaces, control or non-ASCII characters."),
      1012: ResultText("There is no such authenticator type.", "Use passcode, pattern, fingerprint or face."),
      1100: ResultText("The request was used, has expired or does not exist.", "Try again."),
      2001: ResultText(
        "The server does not trust this client.",
        "Have the administrator list what uafctl facet shows."),
      2002: ResultText(
        "No authenticator on this machine fits the server's request.",
        "Ask the administrator; the log says what the server asks for."),
      2003: ResultText("The server uses a different version of UAF.", "Update pam-uaf or the server."),
      3005: ResultText("Not supported."),
      3006: ResultText("Registered and ready."),
      3007: ResultText("Not registered.", "Register with '\(codes.registration)'."),
      3008: ResultText("Locked.", "Wait, or ask the administrator."),
      3010: ResultText("The change failed.", "Ask the administrator; the log says why."),
      3011: ResultText("The reset failed.", "Ask the administrator; the log says why."),
      3012: ResultText("That is not the right value.", "Try again. \(ifForgotten(codes))"),
      3013: ResultText("Locked for a while after wrong entries.", "Wait, then try again."),
      3014: ResultText("Locked permanently after too many wrong entries.", "Ask the administrator to unlock."),
      3015: ResultText(
        "The lock options stay as they are until the count of wrong entries is cleared.",
        "Enter the right value once, or have the administrator unlock."),
      4001: ResultText("No answer from the server.", "Check the network, then try again."),
      7000: ResultText("The enrolled biometry has not changed."),
      7001: ResultText("The enrolled biometry has changed.", "Enter your passcode once."),
      7002: ResultText("The state of biometry cannot be determined on this machine.", "Use another authenticator."),
      7003: ResultText("The state of biometry could not be read.", "Tell the administrator; the log says why."),
      7004: ResultText("Biometry did not recognise you.", "Try again."),
      7005: ResultText("Biometry is locked.", "Use your passcode."),
      7006: ResultText("No biometry is enrolled.", "Enrol it in the system's settings."),
      7007: ResultText("Biometry needs a passcode first.", "Register a passcode."),
      7008: ResultText("This machine has no biometry.", "Use another authenticator."),
      7009: ResultText("The other way to log in was chosen.", "Continue with your password."),
      7010: ResultText("The program ended the conversation.", "Try again."),
      7011: ResultText("Ended by the system, or the time ran out.", "Try again."),
      7012: ResultText("Biometry cannot be asked for here.", "Use another authenticator."),
      7013: ResultText("Biometry cannot be used now.", "Use another authenticator."),
      7014: ResultText("No conversation is possible here.", "Use a terminal."),
      7015: ResultText("Biometry failed for an unknown reason.", "Try again."),
      7100: ResultText("The value was reset.", "Register again with '\(codes.registration)'."),
      7101: ResultText("The value was not reset.", "Ask the administrator; the log says why."),
      7102: ResultText("There is nothing to reset.", "Register with '\(codes.registration)'."),
      7103: ResultText("This authenticator has no value that could be reset."),
      7110: ResultText("The value was changed."),
      7111: ResultText("The value was not changed.", "Try again."),
      7112: ResultText("The change was cancelled."),
      7113: ResultText("This authenticator's value cannot be changed here.", "Use the system's settings."),
      9000: ResultText("The server is busy: try again later."),
      9999: ResultText("Unknown error.", "Tell the administrator; the log has details."),
      13_006: ResultText(
        "The server has no such registration.", newCode(codes)),
      15_007: ResultText("The server does not know the account that was to be deregistered."),
      19_019: ResultText("The user name is empty.", "Give a user name."),
    ]
  }

  static func text(_ prompt: PromptText, _ codes: CodeUse) -> String {
    switch prompt {
    case .value(let kind, let user, let service, let digits):
      return "\(kind.englishCapitalised) for \(PromptText.shown(user))\(brackets(service, digits)): "
    case .currentValue(let kind, let user, let digits):
      return "Current \(kind.english) for \(PromptText.shown(user))\(brackets(nil, digits)): "
    case .newValue(let kind, let user, let digits):
      return "New \(kind.english) for \(PromptText.shown(user))\(brackets(nil, digits)): "
    case .newValueAgain(let kind, let digits): return "New \(kind.english) again\(brackets(nil, digits)): "
    case .valuesDiffer: return "The two entries do not match; this was not counted."
    case .valueUnchanged(let kind): return "That is the \(kind.english) you have already: choose another."
    case .enrol(let kind, let user):
      return "Registering \(PromptText.shown(user)): choose a \(kind.english) and enter it twice."
    case .patternKeys: return "The nodes of the pattern as digits: 1 top left, row by row, 9 bottom right."
    case .choice(let user): return "Authenticators of \(PromptText.shown(user)):"
    case .choiceNumber(let count): return "Which one (1-\(count)): "
    case .choiceOption(let kinds): return kinds.map(\.english).joined(separator: " and ")
    case .registerAgain: return "register again with a new enrolment code"
    case .registerAgainChosen: return "Registering again was chosen. This will not be a login. [980]"
    case .nothingPicked: return "Nothing in the list was chosen; this was not counted."
    case .noSuchChoice(let count): return "Enter a number from 1 to \(count); this was not counted."
    case .emptyLineBack: return "empty line: back to the list"
    case .valueIsStale(let kind):
      return "Your \(kind.english) no longer meets the rules: you must change it."
    case .valueIsStaleHere(let kind):
      return "Your \(kind.english) no longer meets the rules: change it with 'uafctl change'."
    case .acceptedOffline: return "The server could not be reached; you are logged in without it."
    case .valueMeetsRules(let kind, let other):
      return "Your \(kind.english) meets the rules: only the \(other.english) must be changed."
    case .codeRefused(let user):
      return
        "The server does not accept the enrolment code. This account's name there is \(PromptText.shown(user)): ask the "
        + "administrator for a new code for that name."
    case .enrolmentCode: return "Enrolment code: "
    case .serverPassword(let user): return "Password of \(user) at the server: "
    case .machinePayload: return "Machine payload: "
    case .unlockLine: return "Unlock line: "
    case .unlockCodeWrong(let machine):
      return "This is not the unlock code of this account on this machine, which the helpdesk knows as \(machine). "
        + "Compare all 24 characters, or use the file."
    case .unlockCode: return "Unlock code (24 characters): "
    case .recoveryKey: return "Recovery key (empty line: none): "
    case .keyringPassword(let user, canDecline: false): return "Password of the keyring of \(PromptText.shown(user)): "
    case .keyringPassword(_, canDecline: true):
      return "Your keyring can open at each login. Its password (empty line: do not keep it, and do not ask again): "
    case .keyringKept(let kind, let user):
      return "The keyring of \(PromptText.shown(user)) will open after a login with the \(kind.english)."
    case .keyringDeclined: return "The password is not kept. 'uafctl keyring set' keeps it later."
    case .keyringForgotten(let user, let wasKept):
      return wasKept
        ? "The password of the keyring of \(PromptText.shown(user)) is no longer kept. "
          + "'uafctl keyring set' keeps it again."
        : "No password of the keyring of \(PromptText.shown(user)) was kept."
    case .keyringDropped(let kinds):
      let named = kinds.map(\.english).joined(separator: " and ")
      return "The password of the keyring that was kept under the \(named) is removed. "
        + "'uafctl keyring set' keeps it again."
    case .oneTimeCode: return "Code: "
    case .valueNotSet(let kind): return "No \(kind.english) was set, because no entry could be used. Try again."
    case .wrong(let kind, let tries): return wrong(kind, tries)
    case .wrongBefore(let tries): return "An earlier entry was wrong: \(tries == 1 ? "1 try" : "\(tries) tries") left."
    case .locked(let seconds): return "Locked after wrong entries: try again in \(wait(seconds))."
    case .lockedForGood: return "Locked permanently after too many wrong entries: ask the administrator to unlock."
    case .digitsExpected(let count): return "Enter exactly \(count) digits; this was not counted."
    case .waitingForServer: return "Waiting for the server."
    case .noAnswer(let reason): return noAnswer(reason)
    case .refusedByServer(let said):
      let said = Text.cleaned(said ?? "")
      return said.isEmpty ? "Refused by the server." : "Refused by the server: \(said)"
    case .revoked(let said):
      let words = PromptText.inBrackets(said)
      guard codes.takesCodes else { return "Revoked by the server\(words): '\(codes.repair)' makes a new key." }
      return "Revoked by the server\(words): "
        + (codes == .roots
          ? "have root run '\(codes.setting())' with a new enrolment code."
          : "ask the administrator for an enrolment code, then run '\(codes.setting())'.")
    case .keyGone(let kind):
      return
        "The \(kind.english) is no longer registered at the server: '\(codes.command("register", kind.english))' "
        + "registers it again."
    case .notAskedFor(let kind):
      return
        "The server does not ask for the \(kind.english): it no longer has its key, or does not accept it. Use another "
        + "authenticator, or register it again: '\(codes.command("register", kind.english))'."
    case .serverForbids:
      return "The server does not allow this for this account, which may be disabled: ask its administrator."
    case .serverUndecided: return "The server has not decided yet: ask its administrator what it waits for."
    case .serverFailed: return "The server reported an internal error: tell its administrator."
    case .serverNameChanged:
      return
        "The configuration's server name for this account is not the name under which it is registered: tell the "
        + "administrator."
    case .serverStatus(let status): return "The server replied with status \(status)."
    case .serverNumber(let number): return "The server replied with result \(number)."
    case .stateIsOlder:
      return
        "The server has seen more signatures by this key than this machine has made: an older copy was restored, "
        + "or another machine has the key. "
        + (codes.takesCodes
          ? "Ask the administrator for an enrolment code, then run '\(codes.repair)'." : "Run '\(codes.repair)'.")
    case .cancelled: return "Cancelled."
    case .confirm(let kind, let text): return "Your \(kind.english) confirms: \(text)"
    case .ready: return "Ready. Enter continues, Ctrl-C cancels. "
    case .denied: return "Denied: it can no longer be approved."
    case .approvalIsOver: return "There is no pending approval for this code."
    case .partOfText(let left):
      return
        "Not shown: \(left == 1 ? "1 character" : "\(left) characters"), where \\.. is. After \\# come the "
        + "length of the whole text and its SHA-256."
    case .textTooLong(let count):
      return "The command has more than \(count) characters, which is the most that can be confirmed: put it into "
        + "a script."
    case .ownTextTooLong(let count):
      return "The text has more than \(count) characters, which is the most that can be confirmed: shorten it."
    case .overwrittenByList:
      return "A command with --preserve-env=LIST cannot be confirmed: write NAME=VALUE before the command instead."
    case .codeMistyped(let group):
      let place = group.map { " in group \($0) of 4" } ?? ""
      return "The enrolment code has a typing error\(place): compare it with the code that you were given."
    case .codeOfOtherAccount(let name):
      return
        "The enrolment code is for a different account. Ask the administrator for a code for "
        + "\(PromptText.shown(name)), which is this account's name at the server."
    case .approvalOfOtherAccount(let name):
      return
        "The approval is requested from a different account. This account's name at the server is "
        + "\(PromptText.shown(name)): only the requested account can approve."
    case .configurationError: return "The configuration of this machine is wrong: tell the administrator."
    case .tooManyConversations:
      return "You have too many logins at the same time or in a short time: wait a moment, or end one, and try again."
    case .registered(let user): return "\(PromptText.shown(user)) is registered."
    case .lostKeysForgotten:
      return "The server had a key for this account that this machine has lost, and has deleted that key. [1008]"
    case .registeredBefore(let kind, let user):
      return "\(PromptText.shown(user)) has a \(kind.english) on this machine already: the code sets a new one. "
        + "The old one stays until the server has accepted the new one."
    case .valueReplaced(let kind, let user, let oldKey):
      return "\(PromptText.shown(user)) has a new \(kind.english). The old one is removed from this machine."
        + told(oldKey, is: "its key")
    case .deregistered(let user, let kinds):
      return
        "\(PromptText.shown(user)) is deregistered\(colon(kinds)), at the server and on this machine. \(registersAgain(kinds, codes))"
    case .deregisteredThere(let user, let kinds):
      return
        "\(PromptText.shown(user)) is deregistered\(colon(kinds)), only at the server. It stays on this machine, "
        + "because the server's success is not signed (server.require_signed_verdict); it no longer logs anybody "
        + "in. For a new value, have "
        + (codes.takesCodes
          ? "root run 'uafctl register USER\(PromptText.named(kinds)) --code FILE' with a new enrolment code, or have it reset."
          : "root run 'uafctl reset USER\(PromptText.named(kinds))', then run 'uafctl register' yourself.")
    case .deregisteredHere(let user, let kinds):
      return
        "\(PromptText.shown(user)) is deregistered\(colon(kinds)). The server no longer had this key, and now this machine "
        + "does not have it either."
    case .deregisteredHereAlone(let user, let kinds):
      return
        "\(PromptText.shown(user)) is deregistered\(colon(kinds)), on this machine alone. The server still lists the key, which "
        + "now nobody has: remove it there, in the account's settings."
    case .deregisteredMore(let user, let left):
      return
        "\(PromptText.shown(user)) is deregistered. The server has forgotten the \(left.english) as well, which is still on this "
        + "machine: \(codes.command("deregister", left.english))"
    case .forgotten(let user):
      return
        "\(PromptText.shown(user)) is forgotten on this machine; the server still knows the keys. \(registersAgain([], codes))"
    case .renamed(let user, let from, let server):
      return "\(PromptText.shown(user)) now has what was registered as \(PromptText.shown(from)). "
        + "At the server the account stays \(PromptText.shown(server))."
    case .changed(let kind, let user): return "The \(kind.english) of \(PromptText.shown(user)) is changed."
    case .changedButRefused(let kind, let user):
      let done =
        "The \(kind.english) of \(PromptText.shown(user)) is changed. The server still does not accept its key: "
      guard codes.takesCodes else { return done + "'\(codes.command("repair", kind.english))' makes a new one." }
      return done
        + (codes == .roots ? "have root run " : "") + "'\(codes.setting())' with an enrolment code"
        + (codes == .roots ? ", which makes a new key." : " makes a new one.")
    case .reset(let kind, let user, let serverKnows):
      let done = "The \(kind.english) of \(PromptText.shown(user)) is reset."
      let next = " " + registersAgain([kind], codes)
      return serverKnows
        ? done + " The server still knows its keys; they no longer open anything here." + next : done + next
    case .repaired(let kind, let user, let oldKey):
      return "The \(kind.english) of \(PromptText.shown(user)) has a new key." + told(oldKey, is: "the old one")
    case .left(let serverKnows):
      return serverKnows
        ? "Left the server." : "Left. The server was not told: have its administrator revoke this machine."
    case .registeredAgain(let kind): return "Registered again: log in with the new \(kind.english)."
    case .cause(let cause): return told(cause, codes).text
    case .touchOrType(.finger): return "Touch the fingerprint sensor and press Enter, or enter:"
    case .touchOrType(.camera): return "Look at the camera and press Enter, or enter:"
    case .touch(.finger): return "Touch the fingerprint sensor."
    case .touch(.camera): return "Look at the camera."
    case .touchThenEnter(.finger): return "Touch the fingerprint sensor, then press Enter: "
    case .touchThenEnter(.camera): return "Look at the camera, then press Enter: "
    case .touched(let touch, .finger): return text(touch)
    case .touched(let touch, .camera): return text(ofLook: touch)
    case .faceChanged:
      return
        "The enrolled face has changed: remove the old one with 'uafctl deregister face', and register it again with "
        + "'uafctl register face'."
    case .printsAccepted: return "From now on your enrolled fingers are accepted."
    case .patternGrid:
      return "Draw with the mouse, the digits 1-9, or arrows and space. Enter: done. Backspace: one node back."
    }
  }

  static func text(_ rule: RuleText) -> String {
    switch rule {
    case .minimumLength(let count): "Use at least \(count) \(count == 1 ? "character" : "characters")."
    case .maximumLength(let count): "Use at most \(count) \(count == 1 ? "character" : "characters")."
    case .exactDigits(let count): "Use exactly \(count) \(count == 1 ? "digit" : "digits")."
    case .empty: "Nothing was entered."
    case .tooLong: "This is too long."
    case .unusableCharacters: "This has characters that cannot be used."
    case .digitsOnly: "Use digits only."
    case .equalCharacter: "Do not use only one character."
    case .ascendingDescending: "Do not use a run such as 123456 or fedcba."
    case .twoCharacterRepeat: "Do not use two characters in turn, such as 373737."
    case .twoEqualCharacterRepeat: "Do not use only pairs of equal characters, such as 335577."
    case .notNumberEnglish: "Use only English letters and digits."
    case .minimumNodes(let count): "Use at least \(count) \(count == 1 ? "node" : "nodes")."
    case .nodesOnly: "Use only the digits 1 to 9."
    case .nodeTwice: "Use each node once."
    case .regularExpression: "This does not have the required form."
    case .ignored: "This contains something that is not allowed."
    case .ownForm: "Use the form that your administrator requires."
    case .ownExclusions: "Do not use words that your administrator has excluded."
    }
  }

  /// The text in brackets after the name in a prompt.
  private static func brackets(_ service: String?, _ digits: Int?) -> String {
    let parts = [service.map(PromptText.shown), digits.map { "\($0) digits" }].compactMap(\.self)
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }

  private static func colon(_ kinds: [ValueKind]) -> String {
    kinds.isEmpty ? "" : ": " + kinds.map(\.english).joined(separator: " and ")
  }

  private static func wrong(_ kind: ValueKind, _ triesLeft: Int?) -> String {
    switch triesLeft {
    case .some(1): "Wrong \(kind.english): 1 try left."
    case .some(let count): "Wrong \(kind.english): \(count) tries left."
    case nil: "Wrong \(kind.english)."
    }
  }

  private static func wait(_ seconds: Int) -> String {
    if seconds == 1 { return "1 second" }
    if seconds < 120 { return "\(seconds) seconds" }
    return "\(seconds / 60 + (seconds % 60 == 0 ? 0 : 1)) minutes"
  }

  private static func noAnswer(_ reason: NetworkFailure) -> String {
    switch reason {
    case .dns: "No answer from the server: its name was not found."
    case .refused: "No answer from the server: the connection was refused."
    case .unreachable: "No answer from the server: the network is unreachable."
    case .timeOut: "No answer from the server: it took too long."
    case .tls: "No answer from the server: no secure connection could be made."
    case .proxy: "No answer from the server: the proxy does not let the request through."
    case .connectionLost: "No answer from the server: the connection broke off."
    case .ownMeans:
      "The server could not be asked: this machine has no free process, memory, descriptor or port. Try again later."
    }
  }
}

extension EnglishCatalogue {
  /// The result of a touch.
  static func text(_ touch: TouchText) -> String {
    switch touch {
    case .notMatched: "That finger was not recognised: touch the sensor again."
    case .again: "The finger could not be read: touch the sensor again."
    case .tooShort: "The swipe was too short: try again."
    case .notCentred: "Put the finger in the middle of the sensor."
    case .liftFirst: "Lift the finger, then touch the sensor again."
    case .tooFast: "The finger was lifted too soon: touch the sensor again."
    case .waiting: "The fingerprint sensor is still waiting."
    }
  }

  /// The result of a look at the camera.
  static func text(ofLook touch: TouchText) -> String {
    switch touch {
    case .notMatched: "That face was not recognised: look at the camera again."
    case .again, .tooShort, .liftFirst, .tooFast: "The face could not be read: look at the camera again."
    case .notCentred: "Bring your face to the middle of the camera's picture."
    case .waiting: "The camera is still waiting."
    }
  }
}
