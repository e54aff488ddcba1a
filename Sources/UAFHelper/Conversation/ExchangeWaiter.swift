/// Who waits for an exchange with the server.
struct ExchangeWaiter {
  /// After how many milliseconds `waiting` is called first; nil where that is only to keep the front end from giving up.
  let firstNoticeMilliseconds: Int64?
  /// Called while the server takes its time.
  let waiting: () -> Void
  /// The wait ends when this front end goes away.
  ///
  /// Nil where the answer is needed in any case, because server and machine both change their state.
  let frontEnd: FrontEnd?
}
