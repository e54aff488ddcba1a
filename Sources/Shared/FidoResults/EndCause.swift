/// Why a conversation failed, for cases in which the result alone would say too little or mislead.
///
/// One result has many causes. The text and the advice belong to the cause, and are next to each other in the
/// catalogues.
public enum EndCause: CaseIterable, Sendable {
  // MARK: Codes
  /// An operation that needs an enrolment code was asked for without one.
  case codeMissing
  /// A repair that needs an enrolment code was asked for without one.
  case repairCodeMissing
  /// No code was entered.
  case codeNotEntered
  /// A type that the account uses is not enabled, so nothing proves the identity of the person.
  case otherTypeInUse
  /// The text given is not a payload.
  case codeUnreadable
  /// The text entered at a prompt is not a code; a prompt accepts less text than a payload.
  case enteredCodeUnreadable
  /// The code was typed with the Korean keyboard layout, which has made Hangul of its letters.
  case codeInHangul
  /// The code has characters that the request to the server cannot carry.
  case codeNotSendable
  /// The server does not accept the person's password, with which a registration there begins.
  case serverPasswordRefused
  /// No password was entered for the server.
  case serverPasswordNotEntered
  /// The code has expired.
  case codeExpired
  /// The server does not accept the code: it was used, has expired there, or was never issued.
  case codeRefused
  /// The payload is for a different operation.
  case codeOfOtherOperation
  /// The payload names a server other than the configured one.
  case codeOfOtherServer
  /// The payload names a certificate authority other than the configured one.
  case codeOfOtherAuthority
  /// This server does not check codes, so a code cannot set a secret.
  case codesNotJudged
  /// This server does not check codes, so a code cannot reset.
  case codesResetNothing
  /// The server's verdict is not signed, so a code cannot set a secret for an account in use.
  case codesNotSigned
  /// The server's verdict is not signed, so a code cannot reset.
  case resetsNotSigned
  /// The server cannot be told to delete a key, so a code cannot reset.
  case resetsNotTold
  /// The payload of an approval names a server other than the configured one.
  case approvalOfOtherServer
  /// The payload of an approval names a certificate authority other than the configured one.
  case approvalOfOtherAuthority
  /// The text to approve has expired.
  case approvalExpired
  /// The server no longer has the text to approve.
  case approvalRefused
  /// The server sent no text for approval that can be shown.
  case approvalWithoutText

  /// The server has keys of the account that this machine has lost, and there is no code to replace them.
  case keysLost

  // MARK: Joining
  /// The text given is not a payload for joining.
  case joinUnreadable
  /// The join code has expired.
  case joinExpired
  /// The server does not accept the join code: it was closed there, or never issued.
  case joinRefused
  /// The server's administrator has revoked this machine, which had joined with the code.
  case joinRevoked
  /// A machine with this ID has already joined, and this one did not prove that it is the same machine.
  case joinTaken
  /// The code's limit of machines is reached.
  case joinUsedUp
  /// The payload is for a server other than the configured one.
  case joinOfOtherServer
  /// The answer is not proved to come from the server of the payload.
  case joinNotSigned
  /// The configured server is not spoken to by UAF in the bodies of the standard, so no machine can join it.
  case joinOfOtherDialect
  /// The server joins no machines.
  case joinNotOffered
  /// Root's configuration allows no data about this machine to be sent.
  case joinUntold
  /// This machine has joined no server.
  case notJoined

  // MARK: Unlocking
  /// The text given is not an unlock of this machine's server.
  case unlockUnreadable
  /// The server's verdicts are not signed here, so nothing proves an unlock.
  case unlockNotSigned
  /// The unlock is for a different account.
  case unlockOfOtherAccount
  /// The unlock is for a different machine.
  case unlockOfOtherMachine
  /// The unlock has expired.
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
  /// An unlock was used shortly before, and after that, codes are refused for a while.
  case unlockCodeTooSoon
  /// The server has given this machine no secret for the account, so no typed code can be checked.
  case unlockCodeNotKnown

  // MARK: The server's success
  /// The success is not signed with a key that root trusts.
  case verdictNotSigned
  /// The success is signed, but it is for something other than what was done here.
  case verdictOfOther
  /// The success is signed, but it is too old, or from the future by this machine's clock.
  case verdictStale

  /// A divided login could not be prepared: the server's request did not come.
  ///
  /// It says nothing about the server, because nobody has entered anything yet.
  case noRequest

  // MARK: Authenticators
  /// Everything that the server accepts is already registered.
  case registeredAlready
  /// Everything that this machine enables is already registered, and no type was named.
  case nothingLeftToRegister
  /// The server accepts none of the types that are on this machine.
  case typesNotAccepted
  /// The server names keys, but none of them is on this machine.
  case keysNotHere
  /// The server does not accept the authenticator that root named.
  case configuredNotAccepted
  /// The server does not accept the authenticator that the person named.
  case namedNotAccepted
  /// The authenticator that the person named is not enabled.
  case namedNotEnabled
  /// The authenticator that was named is not registered for the account, but a different one is.
  case namedNotRegistered
  /// Several authenticators fit, but the program has only one prompt.
  case severalFit
  /// Several authenticators fit, and the caller must name one.
  case severalToName
  /// The server requires several authenticators together, but the program has only one prompt.
  case severalTogether
  /// Nothing in a list was chosen.
  case nothingChosen
  /// The secret to change already meets the rules.
  case nothingStale

  // MARK: Accounts and names
  /// The account's authenticator here is not the one whose registration should be removed.
  case otherHere
  /// Nothing of this account is stored here, and the operation needs no registration.
  case nothingHere
  /// The configuration gives the account no name at the server.
  case nameNotMapped
  /// The account is neither in /etc/passwd nor known to the machine's name services.
  case nameNotFound
  /// The name that the name services give the account belongs to a different account.
  case nameOfOther
  /// Another account of this machine is registered under the account's name at the server.
  case serverNameOfOther
  /// The machine's name services could not be asked, or did not answer in time.
  case namesSilent
  /// The stored data of this account is damaged or was changed; the account counts as locked.
  case accountDamaged
  /// The account's name on this machine is not the one that it was registered under.
  case accountRenamed
  /// The server has disabled the account.
  case accountDisabled
  /// The server has locked the account for a time.
  case accountLocked
  /// The server forbade the account's last request, and may have disabled or locked it.
  case accountForbidden
  /// Root requires the account to be known as active, and it is not known.
  case accountNotKnown

  // MARK: The chip that holds the device key
  /// There is no chip at the configured path.
  case chipAbsent
  /// The core has no permission to open the chip.
  case chipForbidden
  /// The chip is busy with other programs.
  case chipBusy
  /// Wrong values of another program have made the chip lock itself against guessing.
  case chipLockedOut
  /// A different chip sealed the device key.
  case chipOther
  /// The chip was cleared after it had sealed the device key.
  case chipCleared
  /// A different owner of the chip protects its storage key.
  case chipOwned
  /// The sealed key is damaged.
  case chipDamaged
  /// The chip disappeared while it was working.
  case chipLost
  /// The chip refused for another reason.
  case chipFailed
  /// The chip does not have the index that counts this account's wrong values.
  case indexMissing
  /// The index that counts this account's wrong values was replaced by a different one.
  case indexReplaced
  /// The share that the chip sealed for this account is damaged.
  case shareDamaged
  /// No chip would count wrong entries for a new secret, but root requires that one does.
  case indexNotMade
  /// Accounts need the chip, so the device key cannot leave it.
  case indicesInUse
  /// The device key is in a file; root requires a chip, or the account needs one.
  case keyNotSealed
  /// The device key is not where the command would move it from: the chip or the file.
  case keyElsewhere
  /// Root's configuration says that no chip is used.
  case chipNotUsed
  /// Root's configuration requires a chip.
  case chipDemanded
  /// No recovery key was made.
  case recoveryNone
  /// Root's configuration keeps no password of a keyring.
  case keyringOff
  /// The password of a keyring is empty, too long, or has a NUL.
  case keyringPasswordUnusable
  /// These are not the words of the recovery key.
  case recoveryWrong

  // MARK: Who asks, and with what
  /// Only root may request the operation.
  case onlyRoot
  /// sudo was called with a name that does not say what it does.
  case ambiguousName
  /// The module is older than the core.
  case olderModule
  /// The core is older than the module.
  case olderCore
  /// The server sent something that is not valid.
  case messageNotValid
  /// The list of facets could not be fetched, or the answer is not a list.
  case facetsNotRead
  /// HTTP's 403 or 407 without a UAF message: a proxy or a gateway before the server refused.
  case refusedOnTheWay
  /// The server says that what this machine sent is not valid.
  case messageNotAccepted
}
