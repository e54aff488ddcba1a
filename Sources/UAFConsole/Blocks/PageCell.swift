/// One cell of a table.
struct PageCell: Equatable, ExpressibleByStringInterpolation {
  let text: String
  /// Where it leads; nil for plain text.
  var link: String?

  init(stringLiteral text: String) { self.text = text }

  init(_ text: String, link: String? = nil) {
    self.text = text
    self.link = link
  }
}
