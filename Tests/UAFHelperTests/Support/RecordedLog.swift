@testable import UAFHelper

/// A log that is kept.
final class RecordedLog: LogSink {
  private(set) var lines: [String] = []

  func write(_ line: String, _ level: LogLevel) { lines.append(line) }
}
