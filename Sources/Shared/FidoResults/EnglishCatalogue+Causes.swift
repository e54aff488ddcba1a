// Purpose: why a conversation ended, and what can be done about it, in English.

extension EnglishCatalogue {
  static func told(_ cause: EndCause, _ codes: CodeUse) -> ResultText {
    switch cause {
    // Codes
    case .codeMissing:
      ResultText(
        "An enrolment code is needed.", "Ask the administrator for one, then run '\(codes.registration)'.")
    case .repairCodeMissing:
      ResultText(
        "An enrolment code is needed.",
        "Ask the administrator for one, then run '\(codes.command("repair", "--code FILE"))'.")
    case .codeNotEntered:
      ResultText(
        "No enrolment code was entered.", "Register again with one: '\(codes.registration)'.")
    case .otherTypeInUse:
      ResultText(
        "This account uses an authenticator that is not enabled here.", "Have root run 'uafctl register USER'.")
    case .codeUnreadable:
      ResultText(
        "This is not a valid enrolment code.",
        "Check what you entered: either the whole line that the server printed, or just the 20 characters of the code.")
    case .enteredCodeUnreadable:
      ResultText("This is not a valid enrolment code.", "Check what you entered: just the 20 characters of the code.")
    case .codeExpired: ResultText("The enrolment code has expired.", "Ask the administrator for a new one.")
    case .codeRefused:
      ResultText("The server does not accept the enrolment code.", "Ask the administrator for a new one.")
    case .codeOfOtherOperation: ResultText("This code is for something else.", "'uafctl oob FILE' does what it is for.")
    case .codeOfOtherServer:
      ResultText(
        "The enrolment code is for another server than this machine's.",
        "Ask the administrator for one of this machine's server.")
    case .codeOfOtherAuthority:
      ResultText(
        "The enrolment code names another certificate authority than this machine's configuration.",
        "Tell the administrator; server.ca_file has to have it.")
    case .approvalOfOtherServer:
      ResultText(
        "The approval is asked for by another server than this machine's.",
        "Tell whoever asked for it: it cannot be given on this machine.")
    case .approvalOfOtherAuthority:
      ResultText(
        "The approval names another certificate authority than this machine's configuration.",
        "Tell the administrator; server.ca_file has to have it.")
    case .codesNotJudged:
      ResultText(
        "This server does not check enrolment codes.",
        "Register without one, on the word of a registered authenticator. If you have forgotten the value: "
          + "root's 'uafctl reset USER' removes it.")
    case .codesResetNothing:
      ResultText("This server does not check enrolment codes.", "Have root run 'uafctl reset USER'.")
    case .codesNotSigned:
      ResultText(
        "Without signed verdicts (server.require_signed_verdict), a code cannot set a new value for an account in use.",
        "If you know the value, 'uafctl repair --code FILE' makes a new key under it. If you have forgotten it, have root run "
          + "'uafctl register USER --code FILE'.")
    case .resetsNotSigned:
      ResultText(
        "Without signed verdicts (server.require_signed_verdict), a code cannot reset anything.",
        "For a new value, have root run 'uafctl register USER --code FILE'.")
    case .approvalExpired: ResultText("The time to confirm this is over.", "Have it asked for again.")
    case .approvalRefused:
      ResultText(
        "The server has nothing to confirm for this code: it was used, or its time is over.", "Have it asked for again."
      )
    case .approvalWithoutText:
      ResultText("The server sent no text that could be confirmed.", "Tell the administrator; the log says more.")
    case .keysLost:
      ResultText(
        "The server knows this account by a key that this machine has lost.",
        "Ask the administrator for a new enrolment code, then run '\(codes.registration)'.")
    // Joining
    case .joinUnreadable: ResultText("This is not a machine payload.", "Give the whole line, as the server printed it.")
    case .joinExpired: ResultText("The time of the machine payload is over.", "Ask the administrator for a new one.")
    case .joinRefused:
      ResultText(
        "The server does not accept the join code of the machine payload.", "Ask the administrator for a new one.")
    case .joinRevoked:
      ResultText(
        "The server has revoked this machine, which had joined with this machine payload.",
        "Ask the administrator for a new one.")
    case .joinTaken:
      ResultText(
        "A machine with this ID has already joined, and this machine could not prove that it is the same one.",
        "Ask the administrator to revoke that machine ('uaf-server machines' has its ID) and issue a new payload."
      )
    case .joinUsedUp:
      ResultText(
        "The machine limit of this payload is reached.", "Ask the administrator for a new one.")
    case .joinOfOtherServer:
      ResultText(
        "The machine payload is for another server than this machine's configuration.",
        "Correct server.request_url, or take a payload of that server.")
    case .joinNotSigned:
      ResultText(
        "The answer is not signed with the key that the machine payload names.",
        "Compare the fingerprint of the payload with the server's administrator.")
    case .joinNotOffered:
      ResultText("This server joins no machines.", "Name it in the configuration (server.request_url) instead.")
    case .joinUntold:
      ResultText(
        "A machine joins by its id, and server.send_device = false lets nothing be told.",
        "Set server.send_device = true, or name the server in the configuration instead.")
    case .notJoined: ResultText("This machine has joined no server.", "'uafctl join --payload FILE' joins one.")
    // Unlocking
    case .unlockUnreadable:
      ResultText(
        "This is not an unlock of this machine's server.",
        "Give the whole line, or all 24 characters, as the helpdesk gave them.")
    case .unlockNotSigned:
      ResultText(
        "Nothing here proves an unlock: server.require_signed_verdict and server.verdict_key are not set.",
        codes.isRoot
          ? "As root, '\(codes.command("unlock"))' unlocks without one." : "Have root run 'uafctl unlock USER'.")
    case .unlockOfOtherAccount:
      ResultText("This unlock is for another account.", "Ask the helpdesk for one for this account.")
    case .unlockOfOtherMachine:
      ResultText("This unlock is for another machine.", "Ask the helpdesk for one for this machine.")
    case .unlockExpired: ResultText("The time of this unlock is over.", "Ask the helpdesk for a new one.")
    case .unlockFromFuture:
      ResultText("By this machine's clock this unlock is from the future.", "Compare the clock with the server's.")
    case .unlockUsed:
      ResultText("This unlock was used already, or a later one was.", "Ask the helpdesk for a new one.")
    case .unlockOlderThanLock:
      ResultText("This unlock is older than the lock.", "Ask the helpdesk for a new one.")
    case .unlockNotNeeded: ResultText("This account is not locked here.", "Log in as usual.")
    case .unlockCodesHeld:
      ResultText(
        "Too many wrong unlock codes were typed.", "Use the file from the helpdesk, or wait and try again later.")
    case .unlockCodeTooSoon:
      ResultText(
        "Another unlock was used less than an hour before this code was issued.",
        "Use the file from the helpdesk, or a code that is issued later.")
    case .unlockCodeNotKnown:
      ResultText(
        "The server has given this machine no secret for the account, so no typed code can be checked.",
        "Use the file from the helpdesk, or have root run 'uafctl unlock USER'.")
    // The server's success
    case .verdictNotSigned:
      ResultText(
        "The server's success is not signed with the key that this machine trusts.",
        "Tell the administrator; server.verdict_key has to be the server's.")
    case .verdictOfOther:
      ResultText(
        "The server's signed success is for something else than what was done here.",
        "Tell the administrator; the log says what differs.")
    case .verdictStale:
      ResultText(
        "By this machine's clock, the server's signed success is too old or from the future.",
        "Have the administrator compare the clocks of this machine and the server.")
    case .noRequest: ResultText("The login could not be prepared.", "Try again.")
    // Authenticators
    case .registeredAlready:
      ResultText(
        "Every authenticator that the server accepts is registered already.",
        codes == .roots
          ? "Use one of them. For a new value, have root run '\(codes.setting())' with an enrolment code."
          : "Use one of them, or set a new value with an enrolment code: '\(codes.setting())'.")
    case .nothingLeftToRegister:
      ResultText(
        "Every authenticator of this machine is registered already.",
        "'\(codes.command("change"))' changes a value that you know. \(ifForgotten(codes))")
    case .typesNotAccepted:
      ResultText(
        "The server accepts none of the authenticators that are set up here.",
        "Ask the administrator which one it accepts.")
    case .keysNotHere:
      ResultText(
        "The server asks for keys that this machine does not have.", newCode(codes))
    case .noneEnabled:
      ResultText(
        "The configuration of this machine leaves no authenticator that could be used.",
        "Ask the administrator; the log says which one it names.")
    case .configuredNotAccepted:
      ResultText(
        "The server does not accept the authenticator that this machine's configuration names.",
        "Ask the administrator; the log says which one.")
    case .namedNotAccepted:
      ResultText("The server does not accept the authenticator that was named.", "Name another one, or none.")
    case .namedNotEnabled:
      ResultText("The authenticator that was named is not enabled on this machine.", "Name another one, or none.")
    case .namedNotRegistered:
      ResultText(
        "This account has another authenticator on this machine, and not the one that was named.",
        "Use the other one, or register this one with \(codes.command("register")).")
    case .severalFit:
      ResultText(
        "Several authenticators fit, and this program can ask for one only.",
        "Have the administrator name one (authenticator).")
    case .nothingStale: ResultText("Your value meets the rules: nothing has to be changed.")
    case .severalToName: ResultText("Several authenticators fit.", "Name one of them.")
    case .severalTogether:
      ResultText(
        "The server asks for several authenticators together, and this program can ask for one only.",
        "Use another program.")
    case .nothingChosen: ResultText("Nothing of the list was chosen.", "Try again.")
    // Accounts, names and who asks
    case .otherHere:
      ResultText(
        "This account has another authenticator on this machine, and not the one that was named.",
        "'\(codes.command("status"))' shows which.")
    case .nothingHere: ResultText("This account is not registered on this machine.")
    case .nameNotMapped:
      ResultText(
        "This machine's configuration gives the account no name at the server.",
        "Ask the administrator; server.username decides.")
    case .nameNotFound:
      ResultText("This machine knows no name for this account.", "Have root run 'uafctl register USER'.")
    case .nameOfOther: ResultText("This account has the name of another account.", "Ask the administrator.")
    case .serverNameOfOther:
      ResultText(
        "Another account of this machine is registered under this account's name at the server.",
        "Ask the administrator; the log says which.")
    case .namesSilent:
      ResultText(
        "This machine's directory of accounts does not answer.",
        "Try again later, or have root run 'uafctl register USER'.")
    case .accountDamaged:
      ResultText(
        "What this machine has stored of this account is damaged or was changed.",
        "Ask the administrator: root's 'uafctl forget USER' removes it, for a new registration.")
    case .accountRenamed:
      ResultText(
        "This account's name has changed on this machine.",
        "Ask the administrator: root's 'uafctl status USER' says what helps.")
    case .accountDisabled: ResultText("This account is disabled.", "Ask the administrator.")
    case .accountLocked:
      ResultText("This account is locked for a time.", "Ask the administrator, or come again later.")
    case .accountForbidden:
      ResultText(
        "The server did not let this account in when this machine asked last: it may be disabled or locked.",
        "Ask the administrator. If it is active again, log in once, or set a new value with a new enrolment code: "
          + "'\(codes.setting())'.")
    case .accountNotKnown:
      ResultText(
        "The server could not be asked whether this account is active.", "Try again later, or ask the administrator.")
    // The chip that holds the device key
    case .chipAbsent:
      ResultText(
        "The chip (TPM) that holds this machine's key is not there.",
        "Ask the administrator: with a new mainboard, root's 'uafctl recover' helps.")
    case .chipForbidden:
      ResultText(
        "The chip (TPM) that holds this machine's key may not be opened.", "Ask the administrator; see the log.")
    case .chipBusy: ResultText("The chip (TPM) that holds this machine's key is busy.", "Try again in a moment.")
    case .chipLockedOut:
      ResultText(
        "Another program has locked the chip (TPM) that holds this machine's key.",
        "Wait until the chip unlocks itself, or ask the administrator.")
    case .chipOther:
      ResultText(
        "Another chip (TPM) holds this machine's key: the disk or the mainboard was replaced.",
        "Ask the administrator: root's 'uafctl recover' moves the key to this chip.")
    case .chipCleared:
      ResultText(
        "The chip (TPM) that held this machine's key was cleared.",
        "Ask the administrator: root's 'uafctl recover' seals the key anew.")
    case .chipOwned:
      ResultText(
        "The chip (TPM) of this machine has another owner, who protects its storage key.",
        "Ask the administrator; the log says more.")
    case .chipDamaged:
      ResultText(
        "What the chip (TPM) has sealed of this machine's key is damaged.",
        "Ask the administrator: root's 'uafctl recover' seals the key anew.")
    case .chipLost:
      ResultText("The chip (TPM) that holds this machine's key went away.", "Try again, or ask the administrator.")
    case .chipFailed:
      ResultText("The chip (TPM) did not open this machine's key.", "Ask the administrator; the log has its number.")
    case .indexMissing:
      ResultText(
        "The chip (TPM) has lost what counts this account's wrong entries, and no longer opens its key.",
        indexLost(codes))
    case .indexReplaced:
      ResultText(
        "What counts this account's wrong entries in the chip (TPM) was replaced, and does not open its key.",
        indexLost(codes))
    case .shareDamaged:
      ResultText(
        "What the chip (TPM) has sealed for this account is damaged.",
        indexLost(codes))
    case .indexNotMade:
      ResultText(
        "No chip (TPM) can count the wrong entries of this account, and the configuration demands that one does.",
        "Ask the administrator; the log says why.")
    case .indicesInUse:
      ResultText(
        "The chip (TPM) counts the wrong entries of accounts, which would lose their keys.",
        "Set use in [tpm] to \"off\", and have each of them change its value; the log names them.")
    case .keyNotSealed:
      ResultText(
        "This machine's key lies in a file, and a chip (TPM) has to open it.",
        "Ask the administrator: root's 'uafctl seal' moves it.")
    case .keyElsewhere:
      ResultText("This machine's key is not there: nothing was moved.", "'uafctl doctor' says where it lies.")
    case .chipNotUsed:
      ResultText("The configuration uses no chip (TPM).", "Set use in [tpm] to \"if_available\" or \"require\" first.")
    case .chipDemanded:
      ResultText("The configuration demands a chip (TPM).", "Set use in [tpm] to \"off\" or \"if_available\" first.")
    case .recoveryNone:
      ResultText(
        "No recovery key was made for this machine.",
        "Without it and without the chip, every account has to be registered anew.")
    case .recoveryWrong: ResultText("That is not the recovery key of this machine.", "Look for a mistake in its words.")
    case .onlyRoot: ResultText("Only root may ask for that.")
    case .ambiguousName:
      ResultText("sudo was called by a name that leaves open what it does.", "Call it by the name sudo.")
    case .olderModule: ResultText("The PAM module is older than the helper.", "Reinstall the libpam-uaf package.")
    case .olderCore: ResultText("The helper is older than the program that asks.", "Reinstall the libpam-uaf package.")
    case .facetsNotRead:
      ResultText(
        "The list of programs that may use this server's keys could not be fetched.",
        "Try again later; if that does not help, tell the administrator: the log has details.")
    case .refusedOnTheWay:
      ResultText(
        "A proxy or a gateway before the server refused the request.",
        "Tell the administrator; the log says with which HTTP status.")
    case .messageNotValid:
      ResultText("The server sent something that is not valid.", "Tell the administrator; the log says what.")
    case .messageNotAccepted:
      ResultText("The server found this machine's message not valid.", "Tell the administrator; the log says more.")
    }
  }

  /// How an account can be used again if no chip counts its values any longer.
  private static func indexLost(_ codes: CodeUse) -> String {
    "Ask the administrator: root's 'uafctl reset USER', then '\(codes.setting())'."
  }
}
