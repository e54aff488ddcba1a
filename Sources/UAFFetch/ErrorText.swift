import CCurl
import UAFWire

/// The buffer for libcurl's text about a failure.
@safe final class ErrorText {
  /// The size that libcurl demands.
  let buffer: UnsafeMutablePointer<CChar>

  init() {
    // SAFETY: ours from here to `deinit`, and all of it initialised.
    unsafe buffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe buffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  // SAFETY: the buffer is ours, and of a type that needs no end.
  deinit { unsafe buffer.deallocate() }

  /// What libcurl said of `code`, or what it says of such codes in general; fit for a log, at most 512 bytes.
  func text(_ code: CURLcode) -> String {
    // SAFETY: both texts end with a NUL; libcurl keeps within the room it demands.
    let said = unsafe String(cString: buffer)
    return LogText.cleaned((said.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : said).utf8, limit: 512)
  }
}
