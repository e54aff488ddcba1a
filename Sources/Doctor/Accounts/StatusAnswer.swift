/// What the core says about an account whose status is asked for.
package enum StatusAnswer: Equatable {
  /// How it stands.
  case standing(StatusDocument)
  /// Why its state cannot be used, in the core's words.
  case refused(String)
}
