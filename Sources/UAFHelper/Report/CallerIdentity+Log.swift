extension CallerIdentity {
  /// Who and where from, for the log.
  func describe(in line: inout LogLine) {
    line.add(.account, shownName)
    line.add(.uid, uid.map { String($0) })
    line.add(.service, service)
    line.add(.origin, origin.logName)
    line.add(.via, isRoot ? "root" : "socket")
    if !isRoot { line.add(.peer, String(peer)) }
    line.add(.tty, terminal)
    line.add(.rhost, remoteHost)
  }
}
