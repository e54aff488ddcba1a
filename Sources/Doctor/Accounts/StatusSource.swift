/// The core, as far as it gives the state of accounts.
///
/// The program that holds conversations with the core implements this.
package protocol StatusSource {
  /// The state of the caller's own account.
  ///
  /// - Throws: ``StatusFailure`` where the core cannot be asked, or refuses.
  func own() throws(StatusFailure) -> StatusDocument

  /// The state of another account.
  ///
  /// - Parameter account: its name.
  /// - Throws: ``StatusFailure`` where the core cannot be asked, or cannot answer about any account.
  func status(of account: String) throws(StatusFailure) -> StatusAnswer
}
