/// Who waits for an exchange with the server.
struct ExchangeWaiter {
  /// After how many milliseconds `waiting` is called first; nil where that is only to keep the front end from giving up.
  let firstNoticeMilliseconds: Int64?
  /// Called while the server takes its time.
  let waiting: () -> Void
  /// The front end whose going away ends the wait; nil where what was sent has to be heard out all the same, because both
  /// ends change what they have.
  let frontEnd: FrontEnd?
}
