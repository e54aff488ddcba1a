import UAFAdministration
import UAFMessages

/// Sheets for people as one self-contained HTML page, without scripts or other files.
///
/// It is made in pieces, so that the page for a long list need not be in memory.
package struct SheetDocument: Sendable {
  private let language: PageLanguage
  private let time: @Sendable (Int64) -> String

  package init(language: PageLanguage) { self.init(language: language) { ViewerZone.utc.text($0) } }

  /// - Parameter time: formats a time, given in seconds since 1970, for people, in UTC.
  init(language: PageLanguage, time: @escaping @Sendable (Int64) -> String) {
    self.language = language
    self.time = time
  }

  /// The HTML before the first sheet.
  ///
  /// - Throws: an error of the template's parser; tests make sure that there is none.
  package func beginning() throws -> String {
    try PageTemplates.render(
      [
        "language": language.rawValue, "title": language.text(.sheetsTitle), "style": SheetStyle.document,
        "how": language.text(.sheetsHow),
      ], with: "sheets")
  }

  /// The HTML of one sheet.
  ///
  /// - Throws: the errors of ``beginning()``, and of hashing a long name.
  package func sheet(_ code: ListedCode) throws -> String {
    try PageTemplates.render(EnrolmentSheet(code, language: language, time: time).context, with: "sheet")
  }

  /// The HTML after the last sheet.
  package let ending = "</main>\n</body>\n</html>\n"
}
