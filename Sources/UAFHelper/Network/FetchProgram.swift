import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFClient
import UAFConfiguration
import UAFWire

/// The network, by way of uaf-fetch: one process for the whole call, one exchange at a time.
@safe final class FetchProgram: Transport {
  private let socket: PacketSocket
  private var buffer: Secret
  private let timeoutMilliseconds: UInt32
  private let certificateAuthorities: String?
  private let server: ServerSettings
  private let waiting: () -> Void

  /// How often a front end that waits is told so: the module gives up on a core that says nothing for 40 s.
  private static let sliceMilliseconds: Int64 = 15_000
  /// What is waited for beyond the exchange's own time-out, which uaf-fetch keeps.
  private static let graceMilliseconds: Int64 = 2000

  /// Starts uaf-fetch, which lies beside this program.
  ///
  /// - Parameter waiting: called while the server takes its time.
  /// - Throws: ``Ending`` where it is missing or cannot be started, or the CA file cannot be read.
  init(
    _ server: ServerSettings, program: String, configurationOwner: uid_t, waiting: @escaping () -> Void
  ) throws(Ending) {
    self.server = server
    self.waiting = waiting
    let milliseconds = server.timeout.components.seconds.multipliedReportingOverflow(by: 1000)
    timeoutMilliseconds = UInt32(clamping: milliseconds.overflow ? 30_000 : milliseconds.partialValue)
    certificateAuthorities = try Self.readAuthorities(server.certificateAuthorityFile, owner: configurationOwner)
    do {
      let ends = try PacketSocket.pair()
      defer { close(ends.theirs) }
      socket = try PacketSocket(takingOver: ends.mine)
      buffer = try Secret(capacity: WireLimit.packet + 1)
      _ = try ChildProcess(starting: program, socket: ends.theirs)
    } catch { throw Ending(.clientMismatch, log: "uaf-fetch: \(error)") }
  }

  private static func readAuthorities(_ path: String?, owner: uid_t) throws(Ending) -> String? {
    guard let path else { return nil }
    do throws(ConfigurationFileProblem) {
      let bytes = try ConfigurationFile.read(path: path, requiredOwner: owner)
      guard bytes.count <= WireLimit.certificateAuthorities, let text = String(validating: bytes, as: UTF8.self) else {
        throw ConfigurationFileProblem.tooLarge
      }
      return text
    } catch {
      throw Ending(.invalidParameter, text: .configurationError, log: "server.ca_file: \(path): \(error)")
    }
  }

  func begin(_ request: TransportRequest) throws(TransportFailure) {
    var fetch = FetchRequest(
      request.method == .get ? .get : .post, url: request.url, timeoutMilliseconds: timeoutMilliseconds)
    fetch.contentType = request.contentType
    fetch.accept = request.accept
    if request.method == .post { fetch.body = request.body }
    fetch.certificateAuthorities = certificateAuthorities
    fetch.proxy = server.proxy?.text
    fetch.skipsVerification = !server.verifiesTLS
    let packet: [UInt8]
    do throws(PacketError) { packet = try fetch.packet() } catch { throw .requestNotAcceptable }
    do throws(PacketSocketError) { try socket.send(packet) } catch { throw .unavailable }
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
    if let failure = TransportFailure(head) { throw failure }
    return TransportResponse(
      status: Int(head.status), contentType: head.contentType ?? "", body: body,
      serverCertificate: head.certificate ?? [],
      redirect: head.redirect.map { Redirect(url: $0.url, isAuthorized: $0.isAuthorized) })
  }

  private func receive<Message>(
    _ read: (Packet, Span<UInt8>) throws(PacketError) -> Message
  ) throws(TransportFailure) -> Message {
    var left = Int64(timeoutMilliseconds) + Self.graceMilliseconds
    while true {
      let slice = min(left, Self.sliceMilliseconds)
      do throws(PacketSocketError) {
        let packet = try socket.receive(into: &buffer, timeoutMilliseconds: Int32(clamping: slice))
        return try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketSocketError) in
          do throws(PacketError) { return try read(packet, bytes) } catch { throw .malformed(error) }
        }
      } catch {
        left -= slice
        guard error == .timedOut, left > 0 else { throw .unavailable }
        waiting()
      }
    }
  }
}
