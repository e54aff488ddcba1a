/// What became of a request to `/uaf/get` or `/uaf/respond`.
enum RequestResult: String, CaseIterable, Sendable {
  /// A request was made for it.
  case issued
  /// Nothing was issued: the person had denied the text that waited.
  case denied
  /// The answer was right; what it says is stored.
  case accepted
  case refused
  /// A limit stopped it.
  case limited
  /// The store was away: the client was told to come back later.
  case away
  /// Something failed in the server.
  case failed
}
