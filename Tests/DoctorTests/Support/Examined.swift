import FidoResults

@testable import Doctor

/// The findings of an examination, as `uafctl doctor` prints them.
struct Examined {
  let findings: [Finding]
  var language = Language.english
  var colours = false
  /// The accounts about which the core was asked, apart from the caller's own.
  var asked: [String] = []

  /// Each finding on its line.
  var output: String { findings.map { $0.line(in: language, colours: colours) + "\n" }.joined() }

  /// The findings as one object, for scripts.
  var json: String { DoctorReport(findings).text(in: language) }

  var hasFailed: Bool { DoctorReport(findings).hasFailed }

  /// The lines about one thing.
  func lines(about subject: String) -> [String] {
    output.split(separator: "\n").map(String.init).filter { $0.dropFirst(5).hasPrefix(subject + ": ") }
  }
}
