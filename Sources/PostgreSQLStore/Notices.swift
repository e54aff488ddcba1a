import CLibPQ

/// Remembers whether the server has warned.
///
/// PostgreSQL reports a commit that was cancelled while it waited for its standby as a success, with only a warning: "canceling
/// wait for synchronous replication". The text depends on the server's language, so each warning counts.
final class Notices {
  private(set) var hasWarned = false

  func reset() { hasWarned = false }

  /// Listens to a connection, which must not live longer than this.
  func listen(to connection: OpaquePointer) {
    // SAFETY: libpq passes the pointer to the receiver, and only while the connection is used. Its owner keeps both.
    unsafe PQsetNoticeReceiver(
      connection,
      { owner, result in
        guard let owner = unsafe owner else { return }
        let notices = unsafe Unmanaged<Notices>.fromOpaque(owner).takeUnretainedValue()
        // The severity's name in English, whatever the server's language (PG_DIAG_SEVERITY_NONLOCALIZED).
        let severity = unsafe PQresultErrorField(result, CInt(UInt8(ascii: "V"))).map { unsafe String(cString: $0) }
        if !Notices.harmless.contains(severity ?? "") { notices.hasWarned = true }
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private static let harmless = ["NOTICE", "INFO", "LOG", "DEBUG"]
}
