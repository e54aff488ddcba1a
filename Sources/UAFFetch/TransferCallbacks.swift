import CCurl
import UAFWire

/// What libcurl calls during a transfer.
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
    // smaller than an Int can tell.
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let received = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count).bindMemory(to: UInt8.self)
    return unsafe reception(context).receive(body: received.span) ? size * count : 0
  }

  private static let receiveHeader: curl_receiver = { _, size, count, context in
    // SAFETY: the context is the reception, see install; the line itself is not looked at.
    guard let context = unsafe context else { return 0 }
    return unsafe reception(context).receive(headerOf: size * count) ? size * count : 0
  }

  /// Comes when the connection stands and the request is about to be sent, with a connection that is used again as well: only
  /// then is a finished handshake certain and the SSL object available.
  private static let beforeRequest: curl_prereq_callback = { context, _, _, _, _ in
    // SAFETY: the context is the reception, see install; its handle is the one this is called for.
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
