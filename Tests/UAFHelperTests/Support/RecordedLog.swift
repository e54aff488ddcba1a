import Testing

@testable import UAFHelper

/// A log that is kept, and refuses any line that is not in the documented format.
final class RecordedLog: LogSink {
  private(set) var lines: [String] = []
  private(set) var levels: [LogLevel] = []

  func write(_ line: LogLine, _ level: LogLevel) {
    lines.append(line.description)
    levels.append(level)
    #expect(ParsedLine(line.description) != nil, "not of the documented shape: \(line)")
  }
}
