extension String {
  /// Whether two strings have the same bytes in UTF-8.
  ///
  /// `==` also accepts canonically equivalent text; identifiers (AppID, FacetID, member names) must match exactly.
  public func isIdentical(to other: String) -> Bool {
    // Mostly the length tells, and it is at hand; the bytes of a short text have to be copied first.
    guard utf8.count == other.utf8.count else { return false }
    let (own, others) = (utf8Span.span, other.utf8Span.span)
    for index in own.indices where own[index] != others[index] { return false }
    return true
  }
}
