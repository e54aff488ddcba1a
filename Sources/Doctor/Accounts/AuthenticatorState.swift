/// How an authenticator of an account stands: results 3005 to 3008 of the core.
package enum AuthenticatorState {
  /// Enabled, and nothing this version can verify.
  package static let notSupported: Int64 = 3005
  /// Registered and usable.
  package static let available: Int64 = 3006
  /// Enabled, and without a key here.
  package static let notRegistered: Int64 = 3007
  /// Registered, and locked for a time or permanently.
  package static let locked: Int64 = 3008
}
