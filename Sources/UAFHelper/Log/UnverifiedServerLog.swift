/// The log of a call whose server's certificate is not checked (`tls_verify = false`): each line says so.
struct UnverifiedServerLog: LogSink {
  /// Where the lines go.
  let log: any LogSink

  func write(_ line: LogLine, _ level: LogLevel) {
    var line = line
    line.add(.tls, "unverified")
    log.write(line, level)
  }
}
