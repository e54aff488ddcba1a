/// The state of an account's authenticator: results 3005 to 3008 of the core.
package enum AuthenticatorState {
  /// Enabled, but this version cannot verify it.
  package static let notSupported: Int64 = 3005
  /// Registered and usable.
  package static let available: Int64 = 3006
  /// Enabled, but without a key here.
  package static let notRegistered: Int64 = 3007
  /// Registered, and locked for a time or permanently.
  package static let locked: Int64 = 3008
}
