import Glibc

/// A time as people read it.
enum ShownTime {
  /// In UTC, to a minute: `2027-01-15 08:00 UTC`.
  ///
  /// - Parameter seconds: since 1970.
  static func utc(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    // SAFETY: both values live for the calls; the buffer is as long as it is said to be, and strftime says how much it wrote.
    var parts = unsafe tm()
    guard unsafe gmtime_r(&time, &parts) != nil else { return "\(seconds) s" }
    var text = [CChar](repeating: 0, count: 64)
    let count = unsafe strftime(&text, text.count, "%Y-%m-%d %H:%M UTC", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
