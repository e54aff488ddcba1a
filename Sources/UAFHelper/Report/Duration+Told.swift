extension Duration {
  /// Whole seconds for a text, rounded up: a lock that still holds never shows 0.
  var secondsTold: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: max(1, seconds + (attoseconds > 0 ? 1 : 0)))
  }
}
