/// Text from outside, made fit for a log line.
public enum LogText {
  /// `text` with one `?` for each character that is not printable ASCII, at most `limit` bytes.
  public static func cleaned(_ text: some Sequence<UInt8>, limit: Int) -> String {
    String(decoding: text.prefix(limit).map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
