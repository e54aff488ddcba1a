/// Where the log's lines go.
protocol LogSink {
  /// Writes one line.
  func write(_ line: String, _ level: LogLevel)
}

/// How much a line matters.
enum LogLevel {
  case notice, warning, error
}
