/// The core, as far as it tells how accounts stand.
///
/// The program that holds conversations with the core implements this.
package protocol StatusSource {
  /// How the caller's own account stands.
  ///
  /// - Throws: ``StatusFailure`` where the core cannot be asked, or refuses.
  func own() throws(StatusFailure) -> StatusDocument

  /// How another account stands.
  ///
  /// - Parameter account: its name.
  /// - Throws: ``StatusFailure`` where the core cannot be asked, or can answer nobody: that is no fault of one account.
  func status(of account: String) throws(StatusFailure) -> StatusAnswer
}
