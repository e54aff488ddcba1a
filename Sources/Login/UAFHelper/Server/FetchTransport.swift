import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFClient
import UAFConfiguration
import UAFWire

/// The transport to one server, through uaf-fetch.
@safe final class FetchTransport: Transport {
  private let process: FetchProcess
  private let timeoutMilliseconds: UInt32
  private let certificateAuthorities: String?
  private let server: ServerSettings
  private let waiter: ExchangeWaiter
  private let noting: (_ missing: String) -> Void
  /// Whether the person has been shown that the core waits for the server.
  private var hasTold = false

  /// How long to wait beyond the exchange's own time-out, which uaf-fetch enforces.
  private static let graceMilliseconds: Int64 = 2000

  /// Uses a process that may have had other exchanges before.
  ///
  /// - Parameters:
  ///   - authorities: PEM; nil for the system's authorities.
  ///   - waiter: the party that waits for the answer.
  ///   - noting: called with the parts that uaf-fetch reports as missing in its sandbox.
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

  /// Waits for the answer to the request that was started last, or for a packet of the front end.
  func comesFirst(
    beside frontEnd: borrowing PacketSocket, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) -> Bool {
    try process.comesFirst(beside: frontEnd, timeoutMilliseconds: timeoutMilliseconds)
  }

  func begin(_ request: TransportRequest) throws(TransportFailure) {
    // Reads the answer to an earlier request that nobody read; otherwise, it would be mistaken for the answer to this one.
    if process.owesAnswer { _ = try? finish() }
    // That answer did not come, so a later answer could not be distinguished from it.
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
    fetch.cookies = request.cookies
    fetch.authorization = request.authorization
    fetch.headers = request.headers.map(\.line)
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
      redirect: head.redirect.map { Redirect(url: $0.url, isAuthorized: $0.isAuthorized) }, cookies: head.cookies,
      session: head.session)
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

/// A running uaf-fetch: one process for the whole call, one exchange at a time.
@safe final class FetchProcess {
  private let socket: PacketSocket
  private var buffer: Secret
  /// Whether the answer to a sent request has not been read yet.
  private(set) var owesAnswer = false

  /// Starts `program`, which waits to be told what it may connect to.
  ///
  /// - Throws: ``Ending`` if it is missing or cannot be started.
  init(_ program: String) throws(Ending) {
    do {
      let ends = try PacketSocket.pair()
      defer { close(ends.theirs) }
      socket = try PacketSocket(takingOver: ends.mine)
      buffer = try Secret(capacity: WireLimit.packet + 1)
      _ = try ChildProcess(starting: program, socket: ends.theirs)
    } catch { throw Ending(.clientMismatch, log: "uaf-fetch: \(error)") }
  }

  /// Tells the program the hosts and ports that it may connect to; later packets cannot add any.
  ///
  /// - Throws: ``Ending`` if it is gone.
  func allow(_ places: FetchPlaces) throws(Ending) {
    do { try socket.send(places.packet()) } catch { throw Ending(.clientMismatch, log: "uaf-fetch: \(error)") }
  }

  /// Waits for a packet of another socket, or its end, for as long as this process runs.
  ///
  /// - Returns: false if it has ended.
  func awaitPacket(of other: borrowing PacketSocket) -> Bool {
    while true {
      do throws(PacketSocketError) {
        try other.awaitPacket(whilePeerOf: socket, timeoutMilliseconds: Int32.max)
        return true
      } catch { if error != .timedOut { return false } }
    }
  }

  /// Waits for a packet of an answer or of another socket.
  ///
  /// - Parameter timeoutMilliseconds: -1 waits without a limit.
  /// - Returns: whether the answer came, or this process ended, before a packet of the other socket.
  /// - Throws: `PacketSocketError`.
  func comesFirst(
    beside other: borrowing PacketSocket, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) -> Bool {
    let ready = try socket.awaitPacket(orOf: other, timeoutMilliseconds: timeoutMilliseconds)
    return ready.own && !ready.other
  }

  /// Sends a request, in one packet or more.
  ///
  /// - Throws: `PacketSocketError`.
  func send(_ request: [[UInt8]]) throws(PacketSocketError) {
    for packet in request { try socket.send(packet) }
    owesAnswer = true
  }

  /// Notes that the answer was read to its end.
  func noteAnswered() { owesAnswer = false }

  /// Waits for a packet of the answer; if there is a front end, only while it is connected.
  ///
  /// - Throws: `PacketSocketError`, `malformed` for what `read` refuses.
  func receive<Message>(
    timeoutMilliseconds: Int32, for frontEnd: FrontEnd?, _ read: (Packet, Span<UInt8>) throws(PacketError) -> Message
  ) throws(PacketSocketError) -> Message {
    if let frontEnd { try frontEnd.awaitPacket(of: socket, timeoutMilliseconds: timeoutMilliseconds) }
    let packet = try socket.receive(into: &buffer, timeoutMilliseconds: timeoutMilliseconds)
    return try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketSocketError) in
      do throws(PacketError) { return try read(packet, bytes) } catch { throw .malformed(error) }
    }
  }
}

/// The way to the server, whatever carries it.
final class Network: Transport {
  private let sending: (TransportRequest) throws(TransportFailure) -> Void
  private let receiving: () throws(TransportFailure) -> TransportResponse
  private let comingFirst: Arrival.Comparison?
  /// Proves to the server that it knows this machine; nil proves nothing.
  private var prover: MachineProver?

  /// Makes the way to the server from its two halves.
  ///
  /// - Parameter comingFirst: waits for an answer or for the front end; nil if it cannot be detected that an answer has come.
  init(
    begin: @escaping (TransportRequest) throws(TransportFailure) -> Void,
    finish: @escaping () throws(TransportFailure) -> TransportResponse, comingFirst: Arrival.Comparison? = nil
  ) {
    sending = begin
    receiving = finish
    self.comingFirst = comingFirst
  }

  /// Work to do while the person types, once the answer to the current question has come; nil if that cannot be detected.
  func arrival(_ work: @escaping () -> Void) -> Arrival? {
    comingFirst.map { Arrival(comesFirst: $0, work: work) }
  }

  /// Proves to the server from now on that it knows this machine.
  func prove(by prover: MachineProver?) { self.prover = prover }

  func begin(_ request: TransportRequest) throws(TransportFailure) {
    var request = request
    // Without a claim, the caller has made a proof itself or wants none.
    if let claim = request.claim { request.machineProof = prover?.proof(of: claim) }
    try sending(request)
  }

  func finish() throws(TransportFailure) -> TransportResponse { try receiving() }
}

extension TransportFailure {
  /// What an outcome without an answer means; nil for an answer.
  init?(_ response: FetchResponse) {
    switch response.outcome {
    case .answered: return nil
    case .certificateRefused: self = .certificateRefused
    case .tooLarge: self = .answerTooLarge
    case .unacceptableRequest: self = .requestNotAcceptable
    case .ownMeans: self = .ownMeans
    // These four mean that the server is unreachable, unless it was reached before.
    case .nameNotResolved: self = Self.away(.dns, response)
    case .refused: self = Self.away(.refused, response)
    case .unreachable: self = Self.away(.unreachable, response)
    case .timedOut: self = Self.away(.timeOut, response)
    case .stalled: self = Self.reached(.timeOut, response)
    case .proxyRefused: self = Self.reached(.proxy, response)
    case .tlsFailed: self = Self.reached(.tls, response)
    case .connectionLost, .other: self = Self.reached(.connectionLost, response)
    }
  }

  private static func away(_ reason: NetworkFailure, _ response: FetchResponse) -> TransportFailure {
    response.handshakeCompleted ? .afterHandshake(reason) : .noHandshake(reason)
  }

  private static func reached(_ reason: NetworkFailure, _ response: FetchResponse) -> TransportFailure {
    response.handshakeCompleted ? .afterHandshake(reason) : .withoutHandshake(reason)
  }
}
