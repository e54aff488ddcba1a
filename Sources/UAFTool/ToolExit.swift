import Glibc

/// The exit statuses of uafctl, as its help names them.
enum ToolExit: CInt {
  /// Done.
  case success = 0
  /// The core or the server refused, or a check failed.
  case refused = 1
  /// The command line, a file it names, or the configuration is wrong.
  case usage = 2
  /// No core, or none that keeps to the protocol.
  case unreachable = 3

  /// What `--help` says about them.
  static let help = """
    EXIT STATUS:
      0  done
      1  refused: the text on standard error says by whom and why
      2  usage or configuration
      3  the core cannot be reached, or does not keep to the protocol
    """
}
