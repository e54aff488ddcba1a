/// Why a conversation failed, where the result alone would say too little or mislead.
///
/// One result stands for many causes. The text and what can be done about it belong to the cause, and stand side by side in the
/// catalogues.
public enum EndCause: CaseIterable, Sendable {
  // MARK: Codes
  /// An operation that needs an enrolment code was asked for without one.
  case codeMissing
  /// A repair that needs an enrolment code was asked for without one.
  case repairCodeMissing
  /// No code was entered.
  case codeNotEntered
  /// A type that the account uses is not enabled, so nothing proves who asks.
  case otherTypeInUse
  /// The text given is not a payload.
  case codeUnreadable
  /// What was entered at a prompt is not a code; a prompt takes less than a payload.
  case enteredCodeUnreadable
  /// The code's time is over.
  case codeExpired
  /// The server does not accept the code: used, expired there, or never issued.
  case codeRefused
  /// The payload is for something else than what was asked for.
  case codeOfOtherOperation
  /// The payload names another server than the configuration.
  case codeOfOtherServer
  /// The payload names another certificate authority than the configuration.
  case codeOfOtherAuthority
  /// This server does not check codes, so a code cannot set a secret.
  case codesNotJudged
  /// This server does not check codes, so a code cannot reset.
  case codesResetNothing
  /// The server's verdict is not signed, so a code cannot set a secret for an account in use.
  case codesNotSigned
  /// The server's verdict is not signed, so a code cannot reset.
  case resetsNotSigned
  /// The payload of an approval names another server than the configuration.
  case approvalOfOtherServer
  /// The payload of an approval names another certificate authority than the configuration.
  case approvalOfOtherAuthority
  /// The text to approve has expired.
  case approvalExpired
  /// The server no longer has the text to approve.
  case approvalRefused
  /// The server sent no text to be approved that could be shown.
  case approvalWithoutText

  /// The server knows the account by keys that this machine has lost, and there is no code that replaces them.
  case keysLost

  // MARK: Joining
  /// The text given is not a payload for joining.
  case joinUnreadable
  /// The time of the join code is over.
  case joinExpired
  /// The server does not accept the join code: it was closed there, or never issued.
  case joinRefused
  /// The server's administrator has revoked this machine, which had joined with the code.
  case joinRevoked
  /// A machine with this ID has already joined, and this one did not prove that it is the same machine.
  case joinTaken
  /// The code's limit of machines is reached.
  case joinUsedUp
  /// The payload is for another server than the configuration.
  case joinOfOtherServer
  /// Nobody could say that the server of the payload has answered.
  case joinNotSigned
  /// The server joins no machines.
  case joinNotOffered
  /// Root's configuration lets nothing about this machine be told.
  case joinUntold
  /// This machine has joined no server.
  case notJoined

  // MARK: Unlocking
  /// The text given is not an unlock of this machine's server.
  case unlockUnreadable
  /// The server's verdicts are not signed here, so nothing proves an unlock.
  case unlockNotSigned
  /// The unlock is for another account.
  case unlockOfOtherAccount
  /// The unlock is for another machine.
  case unlockOfOtherMachine
  /// The time of the unlock is over.
  case unlockExpired
  /// The unlock is from the future, by this machine's clock.
  case unlockFromFuture
  /// The unlock was used, or a later one was.
  case unlockUsed
  /// The unlock is older than a lock of the account.
  case unlockOlderThanLock
  /// The account is not locked.
  case unlockNotNeeded
  /// Too many wrong unlock codes were typed.
  case unlockCodesHeld
  /// An unlock was used shortly before, and codes wait for a while then.
  case unlockCodeTooSoon
  /// The server has given this machine no secret for the account, so no typed code can be checked.
  case unlockCodeNotKnown

  // MARK: The server's success
  /// The success is not signed with a key that root trusts.
  case verdictNotSigned
  /// The success is signed, and is for something else than what was done here.
  case verdictOfOther
  /// The success is signed, and too old or from the future by this machine's clock.
  case verdictStale

  /// A divided login could not be prepared: the server's request did not come.
  ///
  /// It says nothing of the server, because nobody has entered anything yet.
  case noRequest

  // MARK: Authenticators
  /// Everything that the server accepts is registered already.
  case registeredAlready
  /// Everything that this machine enables is registered already, and none was named.
  case nothingLeftToRegister
  /// The server accepts none of the types that are here.
  case typesNotAccepted
  /// The server names keys, and none of them is here.
  case keysNotHere
  /// The configuration leaves no authenticator.
  case noneEnabled
  /// The server does not accept the authenticator that root named.
  case configuredNotAccepted
  /// The server does not accept the authenticator that the person named.
  case namedNotAccepted
  /// The authenticator that the person named is not enabled.
  case namedNotEnabled
  /// The authenticator that was named is not registered for the account, and another one is.
  case namedNotRegistered
  /// Several fit, and the program has one prompt.
  case severalFit
  /// Several fit, and the caller has to name one.
  case severalToName
  /// The server wants several together, and the program has one prompt.
  case severalTogether
  /// Nothing of a list was chosen.
  case nothingChosen
  /// The secret to change meets the rules by now.
  case nothingStale

  // MARK: Accounts and names
  /// The account has another authenticator here than the one whose registration is to be removed.
  case otherHere
  /// Nothing of this account is stored here, and the operation needs no registration.
  case nothingHere
  /// The configuration gives the account no name at the server.
  case nameNotMapped
  /// The account is neither in /etc/passwd nor known to the machine's name services.
  case nameNotFound
  /// The name that the name services give the account belongs to another account.
  case nameOfOther
  /// Another account of this machine is registered under the account's name at the server.
  case serverNameOfOther
  /// The machine's name services could not be asked, or did not answer in time.
  case namesSilent
  /// What is stored of this account here is damaged or was changed; it counts as locked.
  case accountDamaged
  /// The account has another name on this machine than it was registered under.
  case accountRenamed
  /// The server has disabled the account.
  case accountDisabled
  /// The server has locked the account for a time.
  case accountLocked
  /// The server forbade the account what it asked for last, and may have disabled or locked it.
  case accountForbidden
  /// Nothing says that the account is active, and root demands that.
  case accountNotKnown

  // MARK: The chip that holds the device key
  /// There is no chip where root says.
  case chipAbsent
  /// The chip may not be opened.
  case chipForbidden
  /// The chip is busy with other programs.
  case chipBusy
  /// The chip is locked against guessing, which another program has caused.
  case chipLockedOut
  /// Another chip has sealed the device key.
  case chipOther
  /// The chip was cleared after it had sealed the device key.
  case chipCleared
  /// Another owner of the chip protects its storage key.
  case chipOwned
  /// What the chip has sealed is damaged.
  case chipDamaged
  /// The chip went away while it was at work.
  case chipLost
  /// The chip refused for another reason.
  case chipFailed
  /// The chip does not have the index that counts this account's wrong values.
  case indexMissing
  /// The index that counts this account's wrong values is another one.
  case indexReplaced
  /// What the chip has sealed for this account is damaged.
  case shareDamaged
  /// No chip counts the wrong values of a new value, and root demands that one does.
  case indexNotMade
  /// Accounts need the chip, so the device key cannot leave it.
  case indicesInUse
  /// The device key lies in a file; root demands a chip, or the account needs one.
  case keyNotSealed
  /// The device key is not in the place that it is to be moved from.
  case keyElsewhere
  /// Root's configuration says that no chip is used.
  case chipNotUsed
  /// Root's configuration demands a chip.
  case chipDemanded
  /// No recovery key was made.
  case recoveryNone
  /// These are not the words of the recovery key.
  case recoveryWrong

  // MARK: Who asks, and with what
  /// Only root may ask for that.
  case onlyRoot
  /// sudo was called by a name that does not say what it does.
  case ambiguousName
  /// The module is older than the core.
  case olderModule
  /// The core is older than the module.
  case olderCore
  /// The server sent something that is not valid.
  case messageNotValid
  /// The list of facets could not be fetched, or what came is none.
  case facetsNotRead
  /// HTTP's 403 or 407 without a UAF message: a proxy or a gateway before the server has refused.
  case refusedOnTheWay
  /// The server says that what this machine sent is not valid.
  case messageNotAccepted
}
