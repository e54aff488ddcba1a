import Glibc
import Synchronization

/// A time as text, made once a second: to format it takes longer than all else that is written with it.
final class SecondText: Sendable {
  private let format: String
  private let last = Mutex<(second: Int64, text: String)>((.min, ""))

  /// Makes the text of a format as strftime(3) has it, in UTC and English.
  init(_ format: String) {
    self.format = format
  }

  /// The text of a time in seconds since 1970.
  func text(at second: Int64) -> String {
    last.withLock { last in
      if last.second != second { last = (second, made(second)) }
      return last.text
    }
  }

  private func made(_ second: Int64) -> String {
    var time = time_t(second)
    // SAFETY: both values live for their calls; the buffer is as long as it is said to be, and strftime says how much it wrote.
    var parts = unsafe tm()
    unsafe gmtime_r(&time, &parts)
    return unsafe String(unsafeUninitializedCapacity: 64) { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) {
        guard let start = $0.baseAddress else { return 0 }
        return unsafe strftime(start, $0.count, format, &parts)
      }
    }
  }

  /// As HTTP writes it (RFC 9110, section 5.6.7).
  static let http = SecondText("%a, %d %b %Y %H:%M:%S GMT")
  /// ISO 8601.
  static let iso8601 = SecondText("%Y-%m-%dT%H:%M:%SZ")
}
