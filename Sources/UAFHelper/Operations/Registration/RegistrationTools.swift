/// What a registration is made with.
struct RegistrationTools {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let server: ServerAccess
  let keys: KeyRecords
  let opener: AuthenticatorOpener
  let check: ValueCheck
  let finger: FingerprintCheck
  let newValue: NewValueDialogue
  let queue: DerivationQueue
  let log: CallLog
}
