import CCurl
import Glibc
import UAFWire

/// libcurl, restricted to HTTPS: one handle, whose connections are reused as long as the process lives.
@safe struct HTTPSClient: ~Copyable {
  private let curl: UnsafeMutableRawPointer
  private let socket: CInt

  /// Prepares libcurl; nil if it is not version 7.85 or later with OpenSSL.
  ///
  /// - Parameter socket: the core's socket; a transfer is aborted when its other end is closed.
  init?(watching socket: CInt) {
    // SAFETY: called once, before any thread exists; libcurl's version data is static memory.
    guard curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK,
      let version = unsafe curl_version_info(CURLVERSION_FIRST), unsafe version.pointee.version_num >= 0x07_5500,
      let library = unsafe version.pointee.ssl_version, unsafe String(cString: library).hasPrefix("OpenSSL/"),
      let curl = unsafe curl_easy_init()
    else { return nil }
    unsafe self.curl = curl
    self.socket = socket
  }

  // SAFETY: the handle is ours, and no transfer is under way when this value ends.
  deinit { unsafe curl_easy_cleanup(curl) }

  /// Performs one HTTPS request and receives its answer.
  ///
  /// Returns when the exchange has ended, or when the request's time limit is reached.
  borrowing func perform(_ request: FetchRequest) -> (FetchResponse, body: [UInt8]) {
    // SAFETY: both live no longer than this function, and the handle as long as the client.
    let reception = unsafe Reception(curl, watching: socket)
    let headers = HeaderList(request)
    let reason = ErrorText()
    var options = unsafe TransferOptions(curl)
    options.setRules()
    options.set(request)
    // SAFETY: reception, headers and reason live until the end of this function, and the handle is reset, or
    // freed, before it uses any of them again.
    unsafe options.note(curl_set_pointer(curl, CURLOPT_HTTPHEADER, headers.list))
    unsafe options.note(curl_set_pointer(curl, CURLOPT_ERRORBUFFER, reason.buffer))
    unsafe TransferCallbacks.install(reception, curl, &options)
    guard options.areComplete, headers.isComplete else {
      // The handle must be reset before this function returns and frees the texts and the list that were set in it.
      unsafe curl_easy_reset(curl)
      return (Self.failure(.other, false, "libcurl refused an option this program needs"), [])
    }
    let (code, lack) = transfer(within: Int(request.timeoutMilliseconds), reception)
    var result = response(code, lack, reception, reason)
    if let sent = request.cookies, result.0.outcome == .answered {
      result.0.cookies = cookies(after: sent)
      result.0.session = session()
    }
    unsafe curl_easy_reset(curl)
    return withExtendedLifetime((reception, headers, reason)) { result }
  }

  /// Performs the transfer; repeats it a few times if a name could not be looked up or a handshake was cut off.
  ///
  /// If there is no free port, thread or memory, a look-up fails immediately, just like the look-up of an unknown name.
  /// Somebody who keeps taking and releasing these resources can make one look-up fail, but hardly all of them.
  ///
  /// A server closes connections if it has too many, which strangers can cause. Until the handshake is complete, no part of the
  /// request has been sent, so a repetition does not send it twice.
  private borrowing func transfer(
    within milliseconds: Int, _ reception: borrowing Reception
  ) -> (CURLcode, lack: String?) {
    let begun = Self.now()
    // SAFETY: the handle is ours, in this and the calls below.
    var code = unsafe curl_easy_perform(curl)
    var handshakes = 1
    for _ in 1..<Self.lookUps {
      if Self.isBroken(code), !reception.handshakeCompleted, handshakes < Self.handshakes {
        handshakes += 1
      } else if code != CURLE_COULDNT_RESOLVE_HOST, code != CURLE_COULDNT_RESOLVE_PROXY {
        break
      } else if let lack = OwnMeans.lack(toReach: []) {
        return (code, lack)
      }
      let left = milliseconds - (Self.now() - begun) - Self.pauses.upperBound
      guard left > 0, !PeerWatch.isGone(socket) else { break }
      // The pause has a random length, so that an attacker cannot time it. poll without descriptors only waits.
      poll(nil, 0, CInt(Int.random(in: Self.pauses)))
      guard unsafe curl_set_long(curl, CURLOPT_TIMEOUT_MS, left) == CURLE_OK else { break }
      code = unsafe curl_easy_perform(curl)
    }
    return (code, nil)
  }

  /// Whether a transfer may have ended because the other side closed the connection.
  private static func isBroken(_ code: CURLcode) -> Bool {
    [CURLE_SSL_CONNECT_ERROR, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING].contains(code)
  }

  /// How often a handshake is attempted before its failure is reported.
  private static let handshakes = 4
  /// How often a name is looked up before its failure is reported.
  private static let lookUps = 8
  /// The pause between two attempts, in milliseconds.
  private static let pauses = 1...15

  /// The milliseconds of a clock that nobody can set.
  private static func now() -> Int {
    var time = timespec()
    // SAFETY: `time` is a timespec.
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }

  private borrowing func response(
    _ code: CURLcode, _ lackOfLookUp: String?, _ reception: Reception, _ reason: ErrorText
  ) -> (FetchResponse, body: [UInt8]) {
    // SAFETY: the handle is ours, and its transfer is over.
    var reach = unsafe Reach(
      handshakeCompleted: reception.handshakeCompleted, isConnected: curl_has_connected(curl) != 0,
      error: curl_get_os_error(curl), proxyStatus: curl_get_proxy_status(curl))
    if reach.error == EADDRNOTAVAIL { reach.lacksAddress = reception.addresses.contains(where: \.lacksAddress) }
    var outcome = FetchOutcome(code, isTooLarge: reception.isTooLarge, reach)
    var lack: String?
    if outcome.tellsOfAbsence {
      lack = lackOfLookUp ?? OwnMeans.lack(toReach: reception.addresses)
      if lack != nil { outcome = .ownMeans }
    }
    // A refused certificate counts as a handshake, because it must never be reported as an unreachable server.
    let handshakeCompleted = reception.handshakeCompleted || outcome == .certificateRefused
    guard outcome == .answered else {
      var response = Self.failure(outcome, handshakeCompleted, lack ?? reason.text(code))
      response.certificate = reception.certificate
      return (response, [])
    }
    // SAFETY: the handle is ours, and its transfer is over.
    let status = unsafe curl_get_status(curl)
    guard reception.handshakeCompleted, let status = UInt16(exactly: status), status > 0 else {
      return (Self.failure(.other, handshakeCompleted, "a reply without a status or without a handshake"), [])
    }
    var response = FetchResponse(
      .answered, handshakeCompleted: true, status: status, bodyLength: UInt32(reception.body.count))
    response.certificate = reception.certificate
    // SAFETY: libcurl's text ends with a NUL and lives until the handle is used again.
    if let type = unsafe curl_get_content_type(curl) {
      response.contentType = LogText.cleaned(unsafe String(cString: type).utf8, limit: 256)
    }
    response.date = date()
    if (300...399).contains(status) { response.redirect = redirect() }
    return (response, reception.body)
  }

  /// The cookies for the next request: those that were sent in this one, with the changes of the answer.
  private borrowing func cookies(after sent: String) -> String {
    var cookies = Cookies(header: sent)
    var index = 0
    // SAFETY: libcurl's text ends with a NUL and lives until the handle is used again.
    while index < Cookies.maximumCount, let line = unsafe curl_get_header_at(curl, "Set-Cookie", index) {
      cookies.take(unsafe String(cString: line))
      index += 1
    }
    return cookies.header
  }

  /// The session that the answer names; nil unless exactly one header has a value that the next request can send.
  private borrowing func session() -> String? {
    // SAFETY: libcurl's text ends with a NUL and lives until the handle is used again.
    guard let value = unsafe curl_get_header(curl, FetchResponse.sessionHeader) else { return nil }
    let session = unsafe String(cString: value)
    let isWhole = (1...WireLimit.session).contains(session.utf8.count)
    return isWhole && session.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? session : nil
  }

  /// The answer's redirect, if its target is an address that can be requested.
  private borrowing func redirect() -> FetchResponse.Redirect? {
    // SAFETY: libcurl's texts end with a NUL and live until the handle is used again.
    guard let location = unsafe curl_get_redirect(curl) else { return nil }
    let url = unsafe String(cString: location)
    guard (1...4096).contains(url.utf8.count), url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
    let word = unsafe curl_get_header(curl, "FIDO-AppID-Redirect-Authorized").map { unsafe String(cString: $0) }
    return FetchResponse.Redirect(url: url, isAuthorized: word == "true")
  }

  /// The server's time; nil if it sends none, or one that does not fit into 32 bits.
  private borrowing func date() -> UInt32? {
    // SAFETY: libcurl's text ends with a NUL and lives until the handle is used again; no other time is read or written.
    guard let text = unsafe curl_get_header(curl, "Date") else { return nil }
    return UInt32(exactly: unsafe curl_getdate(text, nil))
  }

  private static func failure(_ outcome: FetchOutcome, _ handshakeCompleted: Bool, _ detail: String) -> FetchResponse {
    var response = FetchResponse(outcome, handshakeCompleted: handshakeCompleted)
    response.detail = detail
    return response
  }
}

/// The certificate of the server to which a transfer is connected.
///
/// It comes from the connection's SSL object: libcurl's own list (CURLINFO_CERTINFO) is empty if a connection is reused.
enum ServerCertificate {
  /// The leaf certificate in DER; nil if there is none, or if it is longer than ``WireLimit/certificate``.
  ///
  /// - Parameter curl: A handle whose transfer is connected.
  static func der(of curl: UnsafeMutableRawPointer) -> [UInt8]? {
    // SAFETY: the SSL object is libcurl's and valid while the transfer is; the certificate is ours and freed.
    guard let ssl = unsafe curl_get_ssl(curl), let certificate = unsafe SSL_get1_peer_certificate(ssl)
    else { return nil }
    defer { unsafe X509_free(certificate) }
    let length = unsafe Int(i2d_X509(certificate, nil))
    guard (1...WireLimit.certificate).contains(length) else { return nil }
    var bytes = [UInt8](repeating: 0, count: length)
    // SAFETY: i2d writes as many bytes as it just announced, and moves only its own copy of the pointer.
    let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var next = buffer.baseAddress
      return unsafe Int(i2d_X509(certificate, &next))
    }
    return written == length ? bytes : nil
  }
}

/// The buffer for libcurl's text about a failure.
@safe final class ErrorText {
  /// The buffer, of the size that libcurl requires.
  let buffer: UnsafeMutablePointer<CChar>

  init() {
    // SAFETY: ours from here to `deinit`, and all of it initialised.
    unsafe buffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe buffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  // SAFETY: the buffer is ours, and its type needs no deinitialisation.
  deinit { unsafe buffer.deallocate() }

  /// libcurl's error number and its text for this failure, or else its general text for `code`; cleaned for a log, and at most
  /// 512 bytes.
  func text(_ code: CURLcode) -> String {
    // SAFETY: both texts end with a NUL; libcurl stays within the size it requires.
    let said = unsafe String(cString: buffer)
    let words = said.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : said
    return LogText.cleaned("curl \(code.rawValue): \(words)".utf8, limit: 512)
  }
}

extension FetchOutcome {
  /// The outcome of a transfer that ended with `code`.
  ///
  /// A server is reported as unreachable only if there was no TCP connection to it. Otherwise strangers could cause this
  /// report: they can make a server that was reached close or reset connections, or send nothing.
  ///
  /// - Parameters:
  ///   - isTooLarge: whether the transfer was aborted because of its size.
  ///   - reach: how far the transfer got. If the handshake was completed, the server sent something that libcurl did not
  ///     understand.
  init(_ code: CURLcode, isTooLarge: Bool, _ reach: Reach) {
    self =
      switch code {
      case CURLE_OK: .answered
      case _ where !reach.handshakeCompleted && reach.proxyFoundNone: .unreachable
      case _ where !reach.handshakeCompleted && reach.proxyRefused: .proxyRefused
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameNotResolved
      case CURLE_COULDNT_CONNECT: Self.unconnected(reach)
      case CURLE_OPERATION_TIMEDOUT: reach.isConnected && !reach.handshakeCompleted ? .stalled : .timedOut
      case CURLE_OUT_OF_MEMORY: .ownMeans
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED: .tlsFailed
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        .certificateRefused
      case CURLE_FILESIZE_EXCEEDED: .tooLarge
      case CURLE_WRITE_ERROR where isTooLarge: .tooLarge
      case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY,
        CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_PROXY:
        .connectionLost
      // libcurl returns the same code for an address whose scheme is not HTTPS and for an answer that is not HTTP.
      case CURLE_UNSUPPORTED_PROTOCOL where reach.handshakeCompleted: .other
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_SSL_CACERT_BADFILE:
        .unacceptableRequest
      default: .other
      }
  }

  /// The outcome if no connection was made, from the error of the last attempt.
  ///
  /// EADDRNOTAVAIL has two possible reasons: no port is free, or this machine has no address to connect from. The second is
  /// checked directly. That a port is free now would not prove it: somebody may have released the port in the meantime.
  private static func unconnected(_ reach: Reach) -> FetchOutcome {
    // libcurl cannot distinguish a connection that was reset immediately from one that was never made.
    if reach.isConnected || reach.error == ECONNRESET { return .connectionLost }
    if reach.error == ECONNREFUSED { return .refused }
    let isNetworks = SocketAddress.isNetworks(reach.error) || (reach.error == EADDRNOTAVAIL && reach.lacksAddress)
    return isNetworks ? .unreachable : .ownMeans
  }

  /// Whether the outcome means that the server is unreachable, provided that this machine itself lacked nothing.
  var tellsOfAbsence: Bool { [.nameNotResolved, .refused, .unreachable, .timedOut].contains(self) }
}

/// OpenSSL's tables of algorithms.
///
/// OpenSSL makes the table for each type of algorithm at its first use.
enum TLSMethods {
  /// Makes the tables that a handshake needs before there is work to do.
  ///
  /// This saves a login 1.5 ms.
  ///
  /// This takes no random numbers: the generators start at their first use.
  static func load() {
    // SAFETY: each method is freed immediately; the tables keep their own reference.
    unsafe EVP_MD_free(EVP_MD_fetch(nil, "SHA256", nil))
    unsafe EVP_CIPHER_free(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    unsafe EVP_MAC_free(EVP_MAC_fetch(nil, "HMAC", nil))
    unsafe EVP_KDF_free(EVP_KDF_fetch(nil, "HKDF", nil))
    unsafe EVP_RAND_free(EVP_RAND_fetch(nil, "CTR-DRBG", nil))
    unsafe EVP_KEYMGMT_free(EVP_KEYMGMT_fetch(nil, "X25519", nil))
    unsafe EVP_KEYEXCH_free(EVP_KEYEXCH_fetch(nil, "X25519", nil))
    unsafe EVP_SIGNATURE_free(EVP_SIGNATURE_fetch(nil, "ECDSA", nil))
    unsafe OSSL_DECODER_free(OSSL_DECODER_fetch(nil, "EC", nil))
  }
}
