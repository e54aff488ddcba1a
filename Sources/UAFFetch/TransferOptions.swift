import CCurl
import UAFWire

/// Sets every option of one transfer, and remembers whether libcurl took each.
///
/// If libcurl refused an option, a rule would not be in force, so a transfer is performed only if
/// ``areComplete``.
@safe struct TransferOptions {
  /// Whether every option was taken.
  private(set) var areComplete = true
  private let curl: UnsafeMutableRawPointer

  /// Begins with what libcurl has by default; connections stay open.
  ///
  /// - Parameter curl: A handle that outlives this value.
  init(_ curl: UnsafeMutableRawPointer) {
    // SAFETY: the handle is valid by contract, in this and all the calls below.
    unsafe self.curl = curl
    unsafe curl_easy_reset(curl)
  }

  /// The options of every transfer, whatever the request.
  mutating func setRules() {
    set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_NETRC, 0)
    set(CURLOPT_NOSIGNAL, 1)
    // Otherwise libcurl would wait for a hanging resolver beyond the deadline.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_MAXFILESIZE, WireLimit.responseBody)
    set(CURLOPT_USERAGENT, "pam-uaf/\(Version.current)")
  }

  /// What `request` asks for.
  mutating func set(_ request: FetchRequest) {
    set(CURLOPT_PROTOCOLS_STR, FetchPlaces.isPlain(request.url) ? "http" : "https")
    set(CURLOPT_URL, request.url)
    set(CURLOPT_TIMEOUT_MS, Int(request.timeoutMilliseconds))
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(request.timeoutMilliseconds))
    // The empty text forbids a proxy; without it libcurl reads the environment.
    set(CURLOPT_PROXY, request.proxy ?? "")
    set(CURLOPT_NOPROXY, "")
    set(CURLOPT_SSL_VERIFYPEER, request.skipsVerification ? 0 : 1)
    set(CURLOPT_SSL_VERIFYHOST, request.skipsVerification ? 0 : 2)
    setAuthorities(request.certificateAuthorities)
    if request.method == .post { setBody(request.body ?? []) }
  }

  /// Trusts `authorities` alone, or the system's directory.
  ///
  /// Never the bundle beside it: parsing that takes 17 ms of each login.
  private mutating func setAuthorities(_ authorities: String?) {
    clear(CURLOPT_CAINFO)
    guard var authorities else {
      set(CURLOPT_CAPATH, "/etc/ssl/certs")
      return
    }
    clear(CURLOPT_CAPATH)
    // SAFETY: the handle outlives this value.
    let curl = unsafe curl
    let code = authorities.withUTF8 { text in
      var blob = unsafe curl_blob()
      unsafe blob.data = UnsafeMutableRawPointer(mutating: text.baseAddress)
      unsafe blob.len = text.count
      unsafe blob.flags = UInt32(CURL_BLOB_COPY)
      // SAFETY: with CURL_BLOB_COPY libcurl reads the blob during the call and never writes to it.
      return unsafe withUnsafeMutablePointer(to: &blob) { unsafe curl_set_pointer(curl, CURLOPT_CAINFO_BLOB, $0) }
    }
    note(code)
  }

  private mutating func setBody(_ body: [UInt8]) {
    set(CURLOPT_POST, 1)
    set(CURLOPT_POSTFIELDSIZE, body.count)
    // SAFETY: the handle outlives this value.
    let curl = unsafe curl
    // SAFETY: libcurl copies as many bytes as the size says, during the call. One more byte is lent because
    // an empty array may have no address, and no address means a body that is read from elsewhere.
    note(
      unsafe (body + [0]).withUnsafeBytes {
        unsafe curl_set_pointer(curl, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
      })
  }

  // SAFETY: the handle is valid; a number is passed by value.
  mutating func set(_ option: CURLoption, _ value: Int) { note(unsafe curl_set_long(curl, option, value)) }

  // SAFETY: libcurl copies the text during the call.
  mutating func set(_ option: CURLoption, _ value: String) { note(unsafe curl_set_text(curl, option, value)) }

  // SAFETY: the handle is valid; NULL is what unsets a text.
  private mutating func clear(_ option: CURLoption) { note(unsafe curl_set_text(curl, option, nil)) }

  /// Notes whether an option that was set elsewhere was taken.
  mutating func note(_ code: CURLcode) {
    if code != CURLE_OK { areComplete = false }
  }
}
