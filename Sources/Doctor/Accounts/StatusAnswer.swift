/// The core's answer to *status* for an account.
package enum StatusAnswer: Equatable {
  /// Its state.
  case standing(StatusDocument)
  /// Why its state cannot be used, in the core's words.
  case refused(String)
}
