/// What the server asks of its store, as its metrics tell it apart.
enum StoreOperation: String, CaseIterable, Sendable {
  case read, write
  /// The read of each login.
  case login
  /// The durable commit of a verified answer, alone or with others.
  case answer
}
