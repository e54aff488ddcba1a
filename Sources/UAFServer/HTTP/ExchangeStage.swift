/// How far a connection has come with a request and its answer.
enum ExchangeStage {
  /// Bytes of a request have come.
  case reading
  /// A request has come as far as it is looked at; the client waits for the server.
  case answering
  /// The answer is written.
  case answered
  /// The client's system has taken the answer.
  case taken
}
