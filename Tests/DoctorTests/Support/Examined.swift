import FidoResults

@testable import Doctor

/// What an examination found, as `uafctl doctor` prints it.
struct Examined {
  let findings: [Finding]
  var language = Language.english
  var colours = false
  /// The accounts that the core was asked about beside the caller's own.
  var asked: [String] = []

  /// Every finding in its line.
  var output: String { findings.map { $0.line(in: language, colours: colours) + "\n" }.joined() }

  /// The findings as one object, for scripts.
  var json: String { DoctorReport(findings).text(in: language) }

  var hasFailed: Bool { DoctorReport(findings).hasFailed }

  /// The lines about one thing.
  func lines(about subject: String) -> [String] {
    output.split(separator: "\n").map(String.init).filter { $0.dropFirst(5).hasPrefix(subject + ": ") }
  }
}
