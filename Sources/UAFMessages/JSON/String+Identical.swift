extension String {
  /// Whether two strings have the same bytes in UTF-8.
  ///
  /// `==` also accepts canonically equivalent text; identifiers (AppID, FacetID, member names) must match exactly.
  public func isIdentical(to other: String) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}
