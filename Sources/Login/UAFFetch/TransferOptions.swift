import CCurl
import UAFWire

/// Sets every option of one transfer, and remembers whether libcurl accepted each.
///
/// If libcurl refused an option, a rule would not be in force, so a transfer is performed only if
/// ``areComplete``.
@safe struct TransferOptions {
  /// Whether every option was accepted.
  private(set) var areComplete = true
  private let curl: UnsafeMutableRawPointer

  /// Begins with libcurl's defaults; connections stay open.
  ///
  /// - Parameter curl: a handle that outlives this value.
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

  /// The options for `request`.
  mutating func set(_ request: FetchRequest) {
    set(CURLOPT_PROTOCOLS_STR, FetchPlaces.isPlain(request.url) ? "http" : "https")
    set(CURLOPT_URL, request.url)
    set(CURLOPT_TIMEOUT_MS, Int(request.timeoutMilliseconds))
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(request.timeoutMilliseconds))
    // The empty text forbids a proxy; without it, libcurl reads the environment.
    set(CURLOPT_PROXY, request.proxy ?? "")
    set(CURLOPT_NOPROXY, "")
    set(CURLOPT_SSL_VERIFYPEER, request.skipsVerification ? 0 : 1)
    set(CURLOPT_SSL_VERIFYHOST, request.skipsVerification ? 0 : 2)
    setAuthorities(request.certificateAuthorities)
    if request.method == .post { setBody(request.body ?? []) }
  }

  /// Trusts only `authorities`, or else the system's directory.
  ///
  /// The bundle next to that directory is never used: parsing it takes 17 ms of each login.
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
    // an empty array may have no address, and then libcurl would read the body from elsewhere.
    note(
      unsafe (body + [0]).withUnsafeBytes {
        unsafe curl_set_pointer(curl, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
      })
  }

  // SAFETY: the handle is valid; a number is passed by value.
  mutating func set(_ option: CURLoption, _ value: Int) { note(unsafe curl_set_long(curl, option, value)) }

  // SAFETY: libcurl copies the text during the call.
  mutating func set(_ option: CURLoption, _ value: String) { note(unsafe curl_set_text(curl, option, value)) }

  // SAFETY: the handle is valid; NULL unsets a text.
  private mutating func clear(_ option: CURLoption) { note(unsafe curl_set_text(curl, option, nil)) }

  /// Notes whether an option that was set elsewhere was accepted.
  mutating func note(_ code: CURLcode) {
    if code != CURLE_OK { areComplete = false }
  }
}

/// The functions that libcurl calls during a transfer.
///
/// `context` is the transfer's ``Reception`` in each, and lives until the transfer has ended.
enum TransferCallbacks {
  /// Points libcurl's callbacks to `reception`.
  static func install(_ reception: Reception, _ curl: UnsafeMutableRawPointer, _ options: inout TransferOptions) {
    // SAFETY: the caller keeps the reception alive during the transfer, after which no callback comes.
    let context = unsafe Unmanaged.passUnretained(reception).toOpaque()
    unsafe options.note(curl_set_pointer(curl, CURLOPT_WRITEDATA, context))
    unsafe options.note(curl_set_receiver(curl, CURLOPT_WRITEFUNCTION, receiveBody))
    unsafe options.note(curl_set_pointer(curl, CURLOPT_HEADERDATA, context))
    unsafe options.note(curl_set_receiver(curl, CURLOPT_HEADERFUNCTION, receiveHeader))
    unsafe options.note(curl_set_pointer(curl, CURLOPT_PREREQDATA, context))
    unsafe options.note(curl_set_prerequest(curl, beforeRequest))
    unsafe options.note(curl_set_pointer(curl, CURLOPT_XFERINFODATA, context))
    unsafe options.note(curl_set_progress(curl, watch))
    options.set(CURLOPT_NOPROGRESS, 0)
    unsafe options.note(curl_set_pointer(curl, CURLOPT_OPENSOCKETDATA, context))
    unsafe options.note(curl_set_opener(curl, open))
  }

  private static func reception(_ context: UnsafeMutableRawPointer) -> Reception {
    // SAFETY: see install.
    unsafe Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
  }

  private static let receiveBody: curl_receiver = { bytes, size, count, context in
    // SAFETY: the context is the reception, see install. libcurl lends size * count bytes for the call; its buffer is far
    // smaller than the largest Int.
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let received = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count).bindMemory(to: UInt8.self)
    return unsafe reception(context).receive(body: received.span) ? size * count : 0
  }

  private static let receiveHeader: curl_receiver = { _, size, count, context in
    // SAFETY: the context is the reception, see install; the line itself is not read.
    guard let context = unsafe context else { return 0 }
    return unsafe reception(context).receive(headerOf: size * count) ? size * count : 0
  }

  /// Called when the connection is open and the request is about to be sent, even on a connection that is used again: only
  /// then is a finished handshake certain and the SSL object available.
  private static let beforeRequest: curl_prereq_callback = { context, _, _, _, _ in
    // SAFETY: the context is the reception, see install; its handle is the one that this is called for.
    guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
    let reception = unsafe reception(context)
    reception.noteHandshake(with: unsafe ServerCertificate.der(of: reception.curl))
    return CURL_PREREQFUNC_OK
  }

  private static let open: curl_opensocket_callback = { context, _, address in
    // SAFETY: the context is the reception, see install; libcurl lends the address for the call.
    guard let context = unsafe context, let address = unsafe address else { return -1 }
    return unsafe reception(context).open(address)
  }

  private static let watch: curl_xferinfo_callback = { context, _, _, _, _ in
    // SAFETY: the context is the reception, see install.
    guard let context = unsafe context else { return 1 }
    return PeerWatch.isGone(unsafe reception(context).socket) ? 1 : 0
  }
}

/// The request headers that are not libcurl's own, in the form that libcurl requires.
@safe final class HeaderList {
  /// The list; nil if there was no memory for any of it.
  private(set) var list: UnsafeMutablePointer<curl_slist>?
  /// Whether there was memory for all of it.
  private(set) var isComplete = true

  /// The headers of `request`, whose values must have passed ``RequestCheck``.
  init(_ request: FetchRequest) {
    // A header without a value is left out: libcurl then neither waits for "100 Continue" nor adds a type of its own.
    append("Expect:")
    append("Accept:" + (request.accept.map { " " + $0 } ?? ""))
    append("Content-Type:" + (request.contentType.map { " " + $0 } ?? ""))
    if let proof = request.machineProof { append("UAF-Machine: " + proof) }
    if let cookies = request.cookies, !cookies.isEmpty { append("Cookie: " + cookies) }
    if let authorization = request.authorization { append("Authorization: " + authorization) }
    for header in request.headers { append(header) }
  }

  private func append(_ line: String) {
    // SAFETY: libcurl copies the line, and leaves the list as it was if it cannot.
    if let longer = unsafe curl_slist_append(list, line) { unsafe list = longer } else { isComplete = false }
  }

  // SAFETY: the list is ours; its transfer is over.
  deinit { unsafe curl_slist_free_all(list) }
}
