/// Where the log's lines go.
protocol LogSink {
  /// Writes one line.
  func write(_ line: LogLine, _ level: LogLevel)
}

/// How much a line matters.
enum LogLevel {
  case debug, notice, warning, error
}

extension LogSink {
  /// Writes a line that consists of its event and a text for people.
  func write(_ event: LogEvent, _ detail: String, _ level: LogLevel) {
    var line = LogLine(event)
    line.add(.detail, detail)
    write(line, level)
  }
}
