/// Which characters a text to be confirmed is shown and signed in.
public enum TransactionCharset: Sendable {
  /// Printable ASCII, as UAF has it; every other byte is escaped.
  case ascii
  /// Letters beyond ASCII, too, as ``TransactionLetter`` names them; every other byte is escaped.
  case utf8
}
