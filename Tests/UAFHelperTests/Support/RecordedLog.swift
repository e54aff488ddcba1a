import Testing

@testable import UAFHelper

/// A log that is kept, and takes no line of another shape than the documented one.
final class RecordedLog: LogSink {
  private(set) var lines: [String] = []
  private(set) var levels: [LogLevel] = []

  func write(_ line: LogLine, _ level: LogLevel) {
    lines.append(line.description)
    levels.append(level)
    #expect(ParsedLine(line.description) != nil, "not of the documented shape: \(line)")
  }
}
