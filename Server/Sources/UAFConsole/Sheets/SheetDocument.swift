import UAFMessages

/// Sheets for people as one page of HTML that needs nothing else: neither a script nor a second file.
///
/// It is made in pieces, so that a long list need not be in memory.
package struct SheetDocument: Sendable {
  private let language: PageLanguage
  private let time: @Sendable (Int64) -> String

  /// - Parameter time: writes a time in seconds since 1970 in a form for people, in UTC.
  package init(language: PageLanguage, time: @escaping @Sendable (Int64) -> String) {
    self.language = language
    self.time = time
  }

  /// What comes before the first sheet.
  ///
  /// - Throws: an error of the template's parser, which a test excludes.
  package func beginning() throws -> String {
    try PageTemplates.render(
      [
        "language": language.rawValue, "title": language.text(.sheetsTitle), "style": SheetStyle.document,
        "how": language.text(.sheetsHow),
      ], with: "sheets")
  }

  /// One sheet.
  ///
  /// - Throws: what ``beginning()`` throws, and what hashing a long name throws.
  package func sheet(_ payload: EnrolmentPayload) throws -> String {
    try PageTemplates.render(EnrolmentSheet(payload, language: language, time: time).context, with: "sheet")
  }

  /// What comes after the last sheet.
  package let ending = "</main>\n</body>\n</html>\n"
}
