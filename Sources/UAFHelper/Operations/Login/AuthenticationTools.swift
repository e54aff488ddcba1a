import Authenticator

/// What an authentication is made with.
struct AuthenticationTools {
  let call: Call
  let prompter: Prompter
  let accounts: AccountAccess
  let server: ServerAccess
  let keys: KeyRecords
  let opener: AuthenticatorOpener
  let offline: OfflineLogin
  let log: CallLog
  /// Whether wrong, locked, unregistered and unknown have to look alike.
  let hidesState: Bool
  let now: () -> BootTime
  /// Registers anew from the prompt, and says how the call ends.
  let registerAgain: (AccountAuthenticators) throws(Ending) -> Ending
}
