// Purpose of this target: how uafctl and uaf-server take a command line, and how they end. They share the exit statuses, the
// words for a command that does not exist, and the check that a result was written. Nothing here knows what a command does.

/// The exit statuses of uafctl and of uaf-server.
public enum ExitStatus: CInt, CaseIterable, Sendable {
  /// Done.
  case success = 0
  /// The core or the server refused, there is no such account, or a check failed.
  case refused = 1
  /// The command line, a file or a folder it names, or the configuration is wrong.
  case usage = 2
  /// The other side is not there: the core, or for the server its address or its store.
  case unreachable = 3
  /// The person who was asked said no.
  case denied = 4
  /// What was to be printed could not be written: what was done is done, and the output is not whole.
  case unwritten = 5
  /// The server's database is not one that it can use as its store: EX_CONFIG of sysexits.h.
  case unusableStore = 78
}
