/// What is special about an ending.
///
/// No ending has two of these.
enum Circumstance: Equatable {
  /// Root's configuration or module arguments are wrong.
  ///
  /// Nothing else gives PAM_SERVICE_ERR.
  case rootsFault
  /// A file of the state is damaged, edited, or of another account, in this way.
  case damage(String)
  /// The account has another name than it was registered under, in this way.
  case renamed(String)
  /// Root has changed the account's name at the server, in this way.
  case serverNameChanged(String)
  /// A peer has asked for what it may not ask for. The name is the peer's own, or its number in digits.
  case overreach(peer: UInt32, name: [UInt8])
  /// An answer was sent for a front end that was gone by then: the server may have accepted it.
  case unusedAnswer
  /// The person denied what was to be approved.
  case denial
  /// Nothing was ever registered for the account here.
  ///
  /// It affects only `nouserok`.
  case neverRegistered
  /// The account has nothing to change here, so that the stack's other modules go on by themselves.
  case nothingToChange
}
