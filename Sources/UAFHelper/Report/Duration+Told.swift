extension Duration {
  /// Whole seconds as they are told, rounded up: a lock that still stands never shows 0.
  var secondsTold: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: max(1, seconds + (attoseconds > 0 ? 1 : 0)))
  }
}
