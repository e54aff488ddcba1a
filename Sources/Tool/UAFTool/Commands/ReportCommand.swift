import ArgumentParser
import Glibc
import HostSystem
import TerminalPrompts
import Wording

/// `uafctl report`.
struct ReportCommand: LocalCommand {
  static var configuration: CommandConfiguration { CommandHelp.report.configuration("report") }

  @OptionGroup var conf: ConfigurationOption

  @Flag(help: .text(.anonymous))
  var anonymous = false

  @Flag(help: .text(.withoutQuestion))
  var yes = false

  @OptionGroup var pamFolder: PAMFolderOption

  @Argument(help: .text(.reportFile), completion: .file())
  var file: String?

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let configuration = try configurationPath(in: context)
    let file = try ConfigurationOption.path(file, in: context).map(ReportFile.init)
    try file?.requireAbsence()
    if file != nil, !yes, context.terminal == nil { throw .badArgument(.reportUnseen) }
    let text = ReportCollector(
      context, configuration: configuration, services: pamFolder.path, anonymous: anonymous
    ).report().text
    context.output.result(String(text.dropLast()))
    guard let file else { return .success }
    if !yes, let terminal = context.terminal {
      guard try agrees(at: terminal, to: file.path, in: context) else { throw .cancelled }
    }
    try file.write(text)
    context.note(ToolText.reportWritten(file.path))
    return .success
  }

  private func agrees(at terminal: CInt, to path: String, in context: ToolContext) throws(ToolError) -> Bool {
    let person = TerminalPerson(terminal, in: context)
    let question = ToolText.reportQuestion(path).text(in: context.language)
    switch try person.ask(question, EntryForm(display: .shown, capacity: 16)) {
    case .cancelled: return false
    case .value(let value):
      var answer: [UInt8] = []
      value.withBytes { bytes in
        for index in bytes.indices { answer.append(bytes[index]) }
      }
      return ["y", "Y", "yes", "예", "네"].contains(String(decoding: answer, as: UTF8.self))
    }
  }
}

/// The new file of a report, which only its owner can read.
struct ReportFile {
  let path: String

  /// Refuses a name that exists already, before anything is collected.
  ///
  /// - Throws: ``ToolError/report(_:)``.
  func requireAbsence() throws(ToolError) {
    if case .success = FileState.of(path) { throw .report(ReportFileError(path: path, number: EEXIST)) }
  }

  /// Writes the whole text into a new file with mode 0600; what cannot be written whole is removed again.
  ///
  /// - Throws: ``ToolError/report(_:)``; also if the file has come into being in the meantime.
  func write(_ text: String) throws(ToolError) {
    // SAFETY: the path lives for the call.
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .report(ReportFileError(path: path, number: errno)) }
    defer { close(file) }
    guard DescriptorWriter.write(Array(text.utf8), to: file), fsync(file) == 0 else {
      let number = errno
      // SAFETY: the path lives for the call.
      _ = unsafe unlink(path)
      throw .report(ReportFileError(path: path, number: number))
    }
  }
}

/// Why the file of a report cannot be written.
struct ReportFileError: Error, Equatable, Catalogued {
  let path: String
  /// The system's error number.
  let number: CInt

  var english: FindingText {
    FindingText(
      "report: \(ShownText.line(path)): \(SystemReason(number).english)",
      do: number == EEXIST ? "name a file that does not exist" : nil)
  }

  var korean: FindingText {
    FindingText(
      "보고서: \(ShownText.line(path)): \(SystemReason(number).korean)",
      do: number == EEXIST ? "없는 파일의 이름을 주십시오" : nil)
  }
}
