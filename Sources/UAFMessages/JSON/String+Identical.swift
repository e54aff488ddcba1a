extension String {
  /// Whether two strings have the same bytes in UTF-8.
  ///
  /// `==` also accepts canonically equivalent text; identifiers (AppID, FacetID, member names) must match exactly.
  public func isIdentical(to other: String) -> Bool {
    let (own, others) = (utf8Span.span, other.utf8Span.span)
    guard own.count == others.count else { return false }
    for index in own.indices where own[index] != others[index] { return false }
    return true
  }
}
