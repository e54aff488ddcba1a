import Glibc
import Sandbox
import SecretMemory
import UAFWire

/// Reads requests from the socket one by one, and answers each.
enum FetchService {
  /// Serves until the other end closes the socket.
  ///
  /// There is no time limit on either side: the core may read only after the person has typed. A core that ends closes the
  /// socket.
  ///
  /// - Throws: ``PacketSocketError``; `closed` is the normal end.
  ///
  /// - Parameter sandbox: each answer names what is missing of it, because this program has no log.
  static func serve(
    _ socket: borrowing PacketSocket, with client: borrowing HTTPSClient, in sandbox: SandboxReport
  ) throws(PacketSocketError) -> FetchExitStatus {
    guard var buffer = try? Secret(capacity: WireLimit.packet + 1) else { return .unavailable }
    let missing = sandbox.text
    var places: FetchPlaces?
    var isFirst = true
    var authorities: [UInt8] = []
    while true {
      let packet = try socket.receive(into: &buffer, timeoutMilliseconds: -1)
      defer { isFirst = false }
      if isFirst, packet.type == .fetchPlaces {
        places = try buffer.withBytes { (span: Span<UInt8>) throws(PacketSocketError) in
          do throws(PacketError) { return try FetchPlaces(packet, span) } catch { throw .malformed(error) }
        }
        continue
      }
      if packet.type == .fetchAuthorities {
        authorities = try buffer.withBytes { (span: Span<UInt8>) throws(PacketSocketError) in
          var grown = authorities
          do throws(PacketError) { try FetchAuthorities.append(packet, span, to: &grown) } catch {
            throw .malformed(error)
          }
          return grown
        }
        continue
      }
      guard packet.type == .fetchRequest else { throw .malformed(.unexpectedType(packet.type)) }
      let request = buffer.withBytes { span in try? FetchRequest(packet, span, authorities: authorities) }
      authorities = []
      guard let request else {
        let objection =
          "method, version or time-out is not one this program knows, or the authorities are not those announced"
        try answer(Self.unacceptable(objection), missing, body: [], socket)
        continue
      }
      if let objection = RequestCheck.objection(to: request, within: places) {
        try answer(Self.unacceptable(objection), missing, body: [], socket)
        continue
      }
      let (response, body) = client.perform(request)
      try answer(response, missing, body: body, socket)
    }
  }

  private static func unacceptable(_ detail: String) -> FetchResponse {
    var response = FetchResponse(.unacceptableRequest, handshakeCompleted: false)
    response.detail = detail
    return response
  }

  private static func answer(
    _ response: FetchResponse, _ missing: String?, body: [UInt8], _ socket: borrowing PacketSocket
  ) throws(PacketSocketError) {
    var response = response
    response.missing = missing
    let packets: [[UInt8]]
    do throws(PacketError) {
      packets = [try response.packet()] + (try FetchChunk.packets(body))
    } catch { throw .malformed(error) }
    for packet in packets { try socket.send(packet, timeoutMilliseconds: -1) }
  }
}

/// Whether the core still has its end of the socket open.
enum PeerWatch {
  /// True once the other end was closed or shut down, even if packets can still be read: nobody waits for the answer any longer.
  static func isGone(_ descriptor: CInt) -> Bool {
    // POLLRDHUP, which Glibc's module leaves out.
    let closedForReading: Int16 = 0x2000
    var entry = pollfd(fd: descriptor, events: closedForReading, revents: 0)
    // SAFETY: one entry is passed, and the count is one.
    guard unsafe poll(&entry, 1, 0) > 0 else { return false }
    return entry.revents != 0
  }

  /// Waits until there is a packet to read, or the other end was closed.
  ///
  /// - Parameter work: runs first if there is no packet yet.
  static func awaitPacket(_ descriptor: CInt, after work: () -> Void) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // SAFETY: one entry is passed, and the count is one, in both calls.
    guard unsafe poll(&entry, 1, 0) == 0 else { return }
    work()
    while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
  }
}

/// Checks what a request asks for before any part of it reaches libcurl.
enum RequestCheck {
  /// Why the request is not acceptable, in words for the log; nil if it is.
  ///
  /// - Parameter places: the addresses that the core named at the start; nil if it named none.
  static func objection(to request: FetchRequest, within places: FetchPlaces? = nil) -> String? {
    // Without TLS, only programs of this machine may be asked, and not through a proxy.
    let isPlain = FetchPlaces.isPlain(request.url)
    guard isPlain || request.url.utf8.count > 8 && request.url.prefix(8).lowercased() == "https://" else {
      return "the address is not an https address"
    }
    guard !isPlain || FetchPlaces.place(of: request.url) != nil && request.proxy == nil else {
      return "http is allowed only for this machine, without a proxy"
    }
    guard isPrintable(request.url, spaces: false) else { return "the address has bytes no address has" }
    guard isPrintable(request.contentType ?? "", spaces: true), isPrintable(request.accept ?? "", spaces: true) else {
      return "a content type has bytes no header has"
    }
    guard isPrintable(request.proxy ?? "", spaces: false) else { return "the proxy's address has bytes no address has" }
    guard isPrintable(request.machineProof ?? "", spaces: false) else { return "the proof has bytes no header has" }
    guard isPrintable(request.cookies ?? "", spaces: true) else { return "a cookie has bytes no header has" }
    guard isPrintable(request.authorization ?? "", spaces: true) else { return "a code has bytes no header has" }
    guard request.headers.allSatisfy(isKnownHeader) else { return "a header is not one that this program sends" }
    guard places?.allow(request.url, proxy: request.proxy) ?? true else {
      return "the address or the proxy is not one that was named when this program started"
    }
    guard request.method == .post || request.body == nil else { return "a GET request has no body" }
    return nil
  }

  /// Whether a header has a known name, and a value that is not empty: libcurl would take a header without one out.
  private static func isKnownHeader(_ header: String) -> Bool {
    guard let colon = header.firstIndex(of: ":"), FetchRequest.headerNames.contains(String(header[..<colon])) else {
      return false
    }
    let value = header[colon...].dropFirst()
    return value.hasPrefix(" ") && value.utf8.count > 1 && isPrintable(String(value), spaces: true)
  }

  /// ASCII without control bytes: a line feed in a header's value would start a new header.
  private static func isPrintable(_ text: String, spaces: Bool) -> Bool {
    text.utf8.allSatisfy { (spaces ? 0x20 : 0x21)...0x7E ~= $0 }
  }
}

/// How far a transfer got on its way to the server.
struct Reach: Equatable {
  /// Whether the TLS handshake was completed.
  var handshakeCompleted = false
  /// Whether there was a TCP connection, to the server or to the proxy.
  var isConnected = false
  /// The system's error number of the last connection that failed; 0 for none.
  var error: Int32 = 0
  /// Whether this machine has no address from which one of the server's addresses could be reached.
  var lacksAddress = false
  /// The proxy's status for CONNECT; 0 for none.
  var proxyStatus = 0

  /// Whether the proxy says that it found no way to the server.
  var proxyFoundNone: Bool { [502, 503, 504].contains(proxyStatus) }
  /// Whether the proxy rejected the request: it requires a password (407), forbids the server (403), or similar.
  var proxyRefused: Bool { proxyStatus >= 300 && !proxyFoundNone }
}
