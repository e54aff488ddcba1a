@testable import UAFHelper

/// A log that lets no line through that could be taken for two, or steer a terminal.
final class CoreLog: LogSink {
  func write(_ line: String, _ level: LogLevel) {
    precondition(line.unicodeScalars.allSatisfy(FuzzTarget.isHarmless), "a line that steers a terminal")
    precondition(line.hasPrefix("event="), "a line of another shape")
  }
}
