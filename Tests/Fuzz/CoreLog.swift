@testable import UAFHelper

/// A log that lets no line through that could be taken for two, or steer a terminal.
final class CoreLog: LogSink {
  func write(_ line: LogLine, _ level: LogLevel) {
    precondition(line.description.unicodeScalars.allSatisfy(FuzzTarget.isHarmless), "a line that steers a terminal")
  }
}
