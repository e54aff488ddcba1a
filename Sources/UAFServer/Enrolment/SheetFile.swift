import UAFConsole
import UAFMessages

/// The codes of a list as sheets to print, in one page of HTML.
struct SheetFile: CodeOutput {
  private let file: CodeFile
  private let document: SheetDocument

  var path: String { file.path }

  /// Makes the file, with the page's head.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, also if there is one of that name.
  init(path: String, document: SheetDocument) throws {
    let beginning = try document.beginning()
    file = try CodeFile(path: path)
    self.document = document
    do {
      try file.add(beginning)
    } catch {
      file.remove()
      throw error
    }
  }

  func add(_ codes: [EnrolmentPayload]) throws {
    try file.add(codes.map { try document.sheet($0) }.joined())
  }

  func finish() throws { try file.add(document.ending) }

  func remove() { file.remove() }
}
