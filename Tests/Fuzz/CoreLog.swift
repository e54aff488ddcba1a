@testable import UAFHelper

/// A log that refuses a line that could be read as two, or that could control a terminal.
final class CoreLog: LogSink {
  func write(_ line: LogLine, _ level: LogLevel) {
    precondition(line.description.unicodeScalars.allSatisfy(FuzzTarget.isHarmless), "a line that steers a terminal")
  }
}
