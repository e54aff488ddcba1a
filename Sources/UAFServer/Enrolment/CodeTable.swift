import UAFAdministration
import UAFMessages

/// The codes of a list as CSV, with a line for each code that is open.
struct CodeTable: CodeOutput {
  private let file: CodeFile

  var path: String { file.path }

  /// Makes the file, with its first line.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, also if there is one of that name.
  init(path: String) throws(ServerError) {
    file = try CodeFile(path: path)
    do throws(ServerError) {
      try file.add(CodeList.header)
    } catch {
      file.remove()
      throw error
    }
  }

  func add(_ codes: [EnrolmentPayload]) throws { try file.add(CodeList.lines(codes)) }

  func finish() {}

  func remove() { file.remove() }
}
