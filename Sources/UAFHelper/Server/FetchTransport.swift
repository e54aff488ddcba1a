import UAFClient
import UAFConfiguration
import UAFWire

/// The transport to one server: through uaf-fetch.
@safe final class FetchTransport: Transport {
  private let process: FetchProcess
  private let timeoutMilliseconds: UInt32
  private let certificateAuthorities: String?
  private let server: ServerSettings
  private let waiter: ExchangeWaiter
  private let noting: (_ missing: String) -> Void
  /// Whether the person has read that the core waits for the server.
  private var hasTold = false

  /// The time that is waited beyond the exchange's own time-out, which uaf-fetch keeps.
  private static let graceMilliseconds: Int64 = 2000

  /// Uses a process that may have had other exchanges before.
  ///
  /// - Parameters:
  ///   - authorities: PEM; nil for the system's.
  ///   - waiter: who waits.
  ///   - noting: called with what uaf-fetch says its sandbox lacks.
  init(
    _ server: ServerSettings, over process: FetchProcess, authorities: String?, waiter: ExchangeWaiter,
    noting: @escaping (_ missing: String) -> Void
  ) {
    self.process = process
    self.server = server
    self.waiter = waiter
    self.noting = noting
    certificateAuthorities = authorities
    let milliseconds = server.timeout.components.seconds.multipliedReportingOverflow(by: 1000)
    timeoutMilliseconds = UInt32(clamping: milliseconds.overflow ? 30_000 : milliseconds.partialValue)
  }

  /// Waits for the answer to the request that was begun last, or for a packet of the front end.
  func comesFirst(
    beside frontEnd: borrowing PacketSocket, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) -> Bool {
    try process.comesFirst(beside: frontEnd, timeoutMilliseconds: timeoutMilliseconds)
  }

  func begin(_ request: TransportRequest) throws(TransportFailure) {
    // Reads the answer to an earlier request that nobody read, or it would be taken for the answer to this one.
    if process.owesAnswer { _ = try? finish() }
    // That answer did not come, so no later one could be told apart from it.
    guard !process.owesAnswer else { throw .unavailable }
    var fetch = FetchRequest(
      request.method == .get ? .get : .post, url: request.url, timeoutMilliseconds: timeoutMilliseconds)
    fetch.contentType = request.contentType
    fetch.accept = request.accept
    if request.method == .post { fetch.body = request.body }
    fetch.certificateAuthorities = certificateAuthorities
    fetch.proxy = server.proxy?.text
    fetch.skipsVerification = !server.verifiesTLS
    fetch.machineProof = request.machineProof
    let packets: [[UInt8]]
    do throws(PacketError) { packets = try fetch.packets() } catch { throw .requestNotAcceptable }
    do throws(PacketSocketError) { try process.send(packets) } catch { throw .unavailable }
  }

  func finish() throws(TransportFailure) -> TransportResponse {
    let head = try receive { (packet, bytes) throws(PacketError) in try FetchResponse(packet, bytes) }
    var body: [UInt8] = []
    while body.count < Int(head.bodyLength) {
      body = try receive { (packet, bytes) throws(PacketError) in
        var grown = body
        try FetchChunk.append(packet, bytes, to: &grown, total: Int(head.bodyLength))
        return grown
      }
    }
    process.noteAnswered()
    if let missing = head.missing { noting(missing) }
    if let failure = TransportFailure(head) { throw failure }
    return TransportResponse(
      status: Int(head.status), contentType: head.contentType ?? "", body: body,
      serverCertificate: head.certificate ?? [],
      redirect: head.redirect.map { Redirect(url: $0.url, isAuthorized: $0.isAuthorized) })
  }

  private func receive<Message>(
    _ read: (Packet, Span<UInt8>) throws(PacketError) -> Message
  ) throws(TransportFailure) -> Message {
    var patience = ExchangePatience(
      total: Int64(timeoutMilliseconds) + Self.graceMilliseconds,
      first: hasTold ? nil : waiter.firstNoticeMilliseconds)
    while let stretch = patience.next() {
      do throws(PacketSocketError) {
        return try process.receive(timeoutMilliseconds: Int32(clamping: stretch), for: waiter.frontEnd, read)
      } catch {
        guard error == .timedOut, patience.left > 0 else { throw .unavailable }
        hasTold = true
        waiter.waiting()
      }
    }
    throw .unavailable
  }
}
