/// What is kept of keys that their person has deregistered.
///
/// The machine that had one still asks for the state of the account: whoever deregistered and is disabled then must not get in
/// there.
package enum DeregisteredKeys {
  /// How many KeyIDs are kept of an account.
  ///
  /// A machine whose KeyID is forgotten is told that the account is disabled.
  package static let mostKept = 32
}
