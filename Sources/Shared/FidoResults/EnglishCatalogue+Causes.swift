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
        "Ask the administrator for one, then run '\(codes.repair)'.")
    case .codeNotEntered:
      ResultText(
        "No enrolment code was entered.", "Register again with one: '\(codes.registration)'.")
    case .otherTypeInUse:
      ResultText(
        "This account uses an authenticator that is not enabled here.", "Have root run 'uafctl register USER'.")
    case .codeUnreadable:
      ResultText(
        "This is not a valid enrolment code.",
        "Check your entry: give either the whole line that the server printed, or just the 16 characters of the code.")
    case .enteredCodeUnreadable:
      ResultText("This is not a valid enrolment code.", "Check your entry: give just the 16 characters of the code.")
    case .codeInHangul:
      ResultText(
        "The enrolment code was typed with the Korean keyboard layout.",
        "Switch the keyboard to English, and enter the code again.")
    case .codeNotSendable:
      ResultText(
        "This code has characters that cannot be sent to the server.",
        "Check your entry, or ask the administrator for a new one.")
    case .serverPasswordRefused:
      ResultText(
        "The server does not accept this name and password.",
        "Enter the password that you use at the server, or ask its administrator whether you may register there.")
    case .serverPasswordNotEntered:
      ResultText("No password was entered.", "Register again with the password that you use at the server.")
    case .codeExpired: ResultText("The enrolment code has expired.", "Ask the administrator for a new one.")
    case .codeRefused:
      ResultText("The server does not accept the enrolment code.", "Ask the administrator for a new one.")
    case .codeOfOtherOperation: ResultText("This code is for something else.", "Use it with 'uafctl oob FILE'.")
    case .codeOfOtherServer:
      ResultText(
        "The enrolment code is not for this machine's server.",
        "Ask the administrator for one from this machine's server.")
    case .codeOfOtherAuthority:
      ResultText(
        "The enrolment code and this machine's configuration name different certificate authorities.",
        "Tell the administrator: server.ca_file must contain that authority.")
    case .approvalOfOtherServer:
      ResultText(
        "The approval was not requested by this machine's server.",
        "Tell the person who asked for it that you cannot give it on this machine.")
    case .approvalOfOtherAuthority:
      ResultText(
        "The approval and this machine's configuration name different certificate authorities.",
        "Tell the administrator: server.ca_file must contain that authority.")
    case .codesNotJudged:
      ResultText(
        "This server does not check enrolment codes.",
        "Register without one, and confirm with a registered authenticator. If you have forgotten the value, "
          + "root's 'uafctl reset USER' removes it."
      )
    case .codesResetNothing:
      ResultText("This server does not check enrolment codes.", "Have root run 'uafctl reset USER'.")
    case .codesNotSigned:
      ResultText(
        "Without signed verdicts (server.require_signed_verdict), a code cannot set a new value for an account in use.",
        "If you know the value, 'uafctl repair --code FILE' makes a new key under it. If you have forgotten it, have root run "
          + "'uafctl register USER --code FILE'.")
    case .resetsNotSigned where !codes.takesCodes: told(.codesResetNothing, codes)
    case .resetsNotSigned:
      ResultText(
        "Without signed verdicts (server.require_signed_verdict), a code cannot reset anything.",
        "For a new value, have root run 'uafctl register USER --code FILE'.")
    case .resetsNotTold:
      ResultText(
        "This machine cannot tell the server to delete a key, so a code cannot reset anything.",
        "Have root run 'uafctl reset USER'.")
    case .approvalExpired: ResultText("The time to confirm this has expired.", "Ask for a new request.")
    case .approvalRefused:
      ResultText(
        "The server has nothing to confirm for this code: it was used, or it has expired.", "Ask for a new request."
      )
    case .approvalWithoutText:
      ResultText("The server sent no text that can be confirmed.", "Tell the administrator; the log has details.")
    case .keysLost:
      ResultText(
        "The server has a key for this account that this machine has lost.",
        codes.takesCodes
          ? "Ask the administrator for a new enrolment code, then run '\(codes.registration)'."
          : "Register again with '\(codes.registration)'.")
    // Joining
    case .joinUnreadable:
      ResultText(
        "This is not a machine payload.",
        "Give the whole line, exactly as the server printed it.")
    case .joinExpired: ResultText("The machine payload has expired.", "Ask the administrator for a new one.")
    case .joinRefused:
      ResultText(
        "The server does not accept the join code of the machine payload.", "Ask the administrator for a new one.")
    case .joinRevoked:
      ResultText(
        "The server has revoked this machine, which joined with this machine payload.",
        "Ask the administrator for a new one.")
    case .joinTaken:
      ResultText(
        "A machine with this ID has already joined, and this machine could not prove that it is that machine.",
        "Ask the administrator to revoke that machine ('uaf-server machines' has its ID) and issue a new payload."
      )
    case .joinUsedUp:
      ResultText(
        "This payload's limit of machines has been reached.", "Ask the administrator for a new one.")
    case .joinOfOtherDialect:
      ResultText(
        "A machine can join only a uaf-server that it speaks to by UAF, and this machine's server has another dialect.",
        "People register here without a join: 'uafctl register'.")
    case .joinOfOtherServer:
      ResultText(
        "The machine payload is not for the server in this machine's configuration.",
        "Correct server.request_url, or use a payload from that server.")
    case .joinNotSigned:
      ResultText(
        "The server's reply is not signed with the key that the machine payload names.",
        "Ask the server's administrator whether the fingerprint of the payload is right.")
    case .joinNotOffered:
      ResultText(
        "This server does not let machines join.",
        "Name it in the configuration (server.request_url) instead.")
    case .joinUntold:
      ResultText(
        "A machine joins with its id, but with server.send_device = false it sends no id.",
        "Set server.send_device = true, or name the server in the configuration instead.")
    case .notJoined: ResultText("This machine has not joined a server.", "Join one with 'uafctl join --payload FILE'.")
    // Unlocking
    case .unlockUnreadable:
      ResultText(
        "This is not an unlock from this machine's server.",
        "Give the whole line, or all 24 characters, exactly as you got them from the helpdesk.")
    case .unlockNotSigned:
      ResultText(
        "This machine cannot check an unlock: server.require_signed_verdict and server.verdict_key are not set.",
        codes.isRoot
          ? "As root, '\(codes.command("unlock"))' unlocks without one." : "Have root run 'uafctl unlock USER'.")
    case .unlockOfOtherAccount:
      ResultText("This unlock is for a different account.", "Ask the helpdesk for one for this account.")
    case .unlockOfOtherMachine:
      ResultText("This unlock is for a different machine.", "Ask the helpdesk for one for this machine.")
    case .unlockExpired: ResultText("This unlock has expired.", "Ask the helpdesk for a new one.")
    case .unlockFromFuture:
      ResultText(
        "According to this machine's clock, this unlock is from the future.", "Compare the clock with the server's.")
    case .unlockUsed:
      ResultText("This unlock was used already, or a later one was.", "Ask the helpdesk for a new one.")
    case .unlockOlderThanLock:
      ResultText("This unlock is older than the lock.", "Ask the helpdesk for a new one.")
    case .unlockNotNeeded: ResultText("This account is not locked here.", "Log in as usual.")
    case .unlockCodesHeld:
      ResultText(
        "Too many wrong unlock codes were entered.", "Use the file from the helpdesk, or wait and try again later.")
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
        "Tell the administrator: server.verdict_key must be the server's key.")
    case .verdictOfOther:
      ResultText(
        "The server's signed success is for something other than what was done here.",
        "Tell the administrator; the log says what differs.")
    case .verdictStale:
      ResultText(
        "According to this machine's clock, the server's signed success is too old or from the future.",
        "Have the administrator compare the clocks of this machine and the server.")
    case .noRequest: ResultText("The login could not be prepared.", "Try again.")
    // Authenticators
    case .registeredAlready:
      ResultText(
        "Every authenticator that the server accepts is registered already.",
        withoutCodes(codes).map { "Use one of them. For a new value, \($0)" }
          ?? (codes == .roots
            ? "Use one of them. For a new value, have root run '\(codes.setting())' with an enrolment code."
            : "Use one of them, or set a new value with an enrolment code: '\(codes.setting())'."))
    case .nothingLeftToRegister:
      ResultText(
        "Every authenticator of this machine is registered already.",
        "'\(codes.command("change"))' changes a value that you know. \(ifForgotten(codes))")
    case .typesNotAccepted:
      ResultText(
        "The server accepts none of the authenticators on this machine.",
        "Ask the administrator which one it accepts.")
    case .keysNotHere:
      ResultText(
        "The server asks for keys that this machine does not have.", newCode(codes))
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
        "This account has a different authenticator on this machine, not the one that was named.",
        "Use the other one, or register this one with \(codes.command("register")).")
    case .severalFit:
      ResultText(
        "Several authenticators fit, but this program can ask for only one.",
        "Have the administrator name one (authenticator).")
    case .nothingStale: ResultText("Your value meets the rules: you need not change anything.")
    case .severalToName: ResultText("Several authenticators fit.", "Name one of them.")
    case .severalTogether:
      ResultText(
        "The server asks for several authenticators together, but this program can ask for only one.",
        "Use another program.")
    case .nothingChosen: ResultText("Nothing in the list was chosen.", "Try again.")
    // Accounts, names and who asks
    case .otherHere:
      ResultText(
        "This account has a different authenticator on this machine, not the one that was named.",
        "'\(codes.command("status"))' shows which.")
    case .nothingHere: ResultText("This account is not registered on this machine.")
    case .nameNotMapped:
      ResultText(
        "This machine's configuration does not give the account a name at the server.",
        "Ask the administrator; server.username decides.")
    case .nameNotFound:
      ResultText("This machine knows no name for this account.", "Have root run 'uafctl register USER'.")
    case .nameOfOther: ResultText("This account has the same name as another account.", "Ask the administrator.")
    case .serverNameOfOther:
      ResultText(
        "Another account on this machine is registered under this account's name at the server.",
        "Ask the administrator; the log says which account.")
    case .namesSilent:
      ResultText(
        "This machine's directory of accounts does not answer.",
        "Try again later, or have root run 'uafctl register USER'.")
    case .accountDamaged:
      ResultText(
        "The data that this machine has stored for this account is damaged or was changed.",
        "Ask the administrator: root's 'uafctl forget USER' removes the data, so that you can register again.")
    case .accountRenamed:
      ResultText(
        "This account's name has changed on this machine.",
        "Ask the administrator: root's 'uafctl status USER' says what helps.")
    case .accountDisabled: ResultText("This account is disabled.", "Ask the administrator.")
    case .accountLocked:
      ResultText("This account is locked for a limited time.", "Ask the administrator, or try again later.")
    case .accountForbidden:
      ResultText(
        "The server refused this account when this machine last asked: the account may be disabled or locked.",
        "Ask the administrator. If the account is active again, log in once"
          + (codes.takesCodes ? ", or set a new value with a new enrolment code: '\(codes.setting())'." : "."))
    case .accountNotKnown:
      ResultText(
        "The server could not be asked whether this account is active.", "Try again later, or ask the administrator.")
    // The chip that holds the device key
    case .chipAbsent:
      ResultText(
        "The chip (TPM) that has sealed this machine's key is missing.",
        "Ask the administrator: with a new mainboard, root's 'uafctl recover' helps.")
    case .chipForbidden:
      ResultText(
        "The chip (TPM) that has sealed this machine's key cannot be opened for lack of permission.",
        "Ask the administrator; see the log.")
    case .chipBusy: ResultText("The chip (TPM) that has sealed this machine's key is busy.", "Try again in a moment.")
    case .chipLockedOut:
      ResultText(
        "Another program has locked the chip (TPM) that has sealed this machine's key.",
        "Wait until the chip unlocks itself, or ask the administrator.")
    case .chipOther:
      ResultText(
        "A different chip (TPM) has sealed this machine's key: the disk or the mainboard was replaced.",
        "Ask the administrator: root's 'uafctl recover' moves the key to this chip.")
    case .chipCleared:
      ResultText(
        "The chip (TPM) that had sealed this machine's key was cleared.",
        "Ask the administrator: root's 'uafctl recover' seals the key again.")
    case .chipOwned:
      ResultText(
        "This machine's chip (TPM) has a different owner, who protects its storage key.",
        "Ask the administrator; the log says more.")
    case .chipDamaged:
      ResultText(
        "This machine's key, as the chip (TPM) has sealed it, is damaged.",
        "Ask the administrator: root's 'uafctl recover' seals the key again.")
    case .chipLost:
      ResultText(
        "The chip (TPM) that has sealed this machine's key disappeared.", "Try again, or ask the administrator.")
    case .chipFailed:
      ResultText("The chip (TPM) did not open this machine's key.", "Ask the administrator; the log has its number.")
    case .indexMissing:
      ResultText(
        "The chip (TPM) has lost its count of this account's wrong entries, and no longer opens the account's key.",
        indexLost(codes))
    case .indexReplaced:
      ResultText(
        "The count of this account's wrong entries in the chip (TPM) was replaced, and does not open the "
          + "account's key.",
        indexLost(codes))
    case .shareDamaged:
      ResultText(
        "The data that the chip (TPM) has sealed for this account is damaged.",
        indexLost(codes))
    case .indexNotMade:
      ResultText(
        "No chip (TPM) can count this account's wrong entries, but the configuration requires it.",
        "Ask the administrator; the log says why.")
    case .indicesInUse:
      ResultText(
        "The chip (TPM) counts the wrong entries of some accounts, and these would lose their keys.",
        "Set use in [tpm] to \"off\", and have each of these accounts change its value; the log names them.")
    case .keyNotSealed:
      ResultText(
        "This machine's key is in a file, but the configuration requires a chip (TPM).",
        "Ask the administrator: root's 'uafctl seal' moves it.")
    case .keyElsewhere:
      ResultText(
        "This machine's key does not exist there, so nothing was moved.", "'uafctl doctor' says where the key is.")
    case .chipNotUsed:
      ResultText("The configuration uses no chip (TPM).", "Set use in [tpm] to \"if_available\" or \"require\" first.")
    case .chipDemanded:
      ResultText("The configuration requires a chip (TPM).", "Set use in [tpm] to \"off\" or \"if_available\" first.")
    case .keyringOff:
      ResultText(
        "No password of a keyring is kept on this machine.", "Ask the administrator to set unlock = true in [keyring].")
    case .keyringPasswordUnusable:
      ResultText("The password of the keyring was not kept: it must have 1 to 512 bytes.")
    case .recoveryNone:
      ResultText(
        "No recovery key was made for this machine.",
        "Without it and without the chip, every account must be registered again.")
    case .recoveryWrong: ResultText("That is not the recovery key of this machine.", "Check the words for mistakes.")
    case .onlyRoot: ResultText("Only root may do that.")
    case .ambiguousName:
      ResultText("sudo was called under a name that does not make clear what it will do.", "Call it as sudo.")
    case .olderModule: ResultText("The PAM module is older than the helper.", "Reinstall the libpam-uaf package.")
    case .olderCore:
      ResultText(
        "The helper is older than the program that uses it.", "Reinstall the libpam-uaf package.")
    case .facetsNotRead:
      ResultText(
        "The list of programs that may use this server's keys could not be fetched.",
        "Try again later; if that does not help, tell the administrator: the log has details.")
    case .refusedOnTheWay:
      ResultText(
        "A proxy or a gateway in front of the server refused the request.",
        "Tell the administrator; the log has the HTTP status.")
    case .messageNotValid:
      ResultText("The server sent an invalid message.", "Tell the administrator; the log says what.")
    case .messageNotAccepted:
      ResultText(
        "The server says that this machine's message is invalid.", "Tell the administrator; the log has details.")
    }
  }

  /// How an account can be used again if no chip counts its values any longer.
  private static func indexLost(_ codes: CodeUse) -> String {
    codes.takesCodes
      ? "Ask the administrator: root's 'uafctl reset USER', then '\(codes.setting())'."
      : "Ask the administrator: root's 'uafctl reset USER', then your own 'uafctl register'."
  }
}
