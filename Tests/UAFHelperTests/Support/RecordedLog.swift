import Testing

@testable import UAFHelper

/// Keeps the lines of the log, and fails the test if a line does not have the documented format.
final class RecordedLog: LogSink {
  private(set) var lines: [String] = []
  private(set) var levels: [LogLevel] = []

  func write(_ line: LogLine, _ level: LogLevel) {
    lines.append(line.description)
    levels.append(level)
    #expect(ParsedLine(line.description) != nil, "not of the documented shape: \(line)")
  }
}
