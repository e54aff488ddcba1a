import Glibc
import Sandbox
import SecretMemory
import UAFWire

/// Handles the core's packets and the signals of services as they arrive, and sends the answers to the core.
@safe struct FingerService: ~Copyable {
  private let socket: PacketSocket
  private let descriptor: CInt
  private var buffer: Secret
  private let client: SensorClient?
  private let sandbox: SandboxReport
  /// The answer to the core if there is no ``SensorClient``: why there is none.
  private var obstacle = FingerSensor(.noService)

  /// Serves until the core closes the socket.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor of `socket`.
  ///   - report: the parts of the sandbox that were found missing so far.
  /// - Throws: ``PacketSocketError``; `closed` is the normal end.
  static func serve(
    _ socket: consuming PacketSocket, on descriptor: CInt, in report: SandboxReport
  ) throws(PacketSocketError) {
    guard let buffer = try? Secret(capacity: WireLimit.packet + 1) else { throw .closed }
    // The bus may be restarted while a core is kept ready, so the program connects to it only for the first packet.
    try awaitPacket(descriptor)
    var service = FingerService(socket, descriptor, buffer, report)
    try service.run()
  }

  private init(
    _ socket: consuming PacketSocket, _ descriptor: CInt, _ buffer: consuming Secret, _ report: SandboxReport
  ) {
    self.socket = socket
    self.descriptor = descriptor
    self.buffer = buffer
    do throws(BusError) { client = try SensorClient() } catch {
      client = nil
      obstacle.detail = "\(error)"
    }
    sandbox = FingerSandbox.enter(report)
  }

  private static func awaitPacket(_ descriptor: CInt) throws(PacketSocketError) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // SAFETY: one entry is passed, and the count is one.
    while unsafe poll(&entry, 1, -1) < 0 { guard errno == EINTR else { throw .closed } }
  }

  private mutating func run() throws(PacketSocketError) {
    while true {
      try tellSignals()
      if try isCoreWaiting() { try answer() }
    }
  }

  /// Waits until the core or the bus has sent something.
  ///
  /// - Returns: whether it was the core.
  private func isCoreWaiting() throws(PacketSocketError) -> Bool {
    var entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if let (bus, events) = client?.waiting { entries.append(pollfd(fd: bus, events: events, revents: 0)) }
    // SAFETY: the count is that of the entries passed.
    guard unsafe poll(&entries, nfds_t(entries.count), -1) >= 0 || errno == EINTR else { throw .closed }
    return entries[0].revents != 0
  }

  private func tellSignals() throws(PacketSocketError) {
    do throws(BusError) {
      while let meaning = try client?.nextMeaning() {
        switch meaning {
        case .touch(let touch): try? send { () throws(PacketError) in try touch.packet() }
        case .end(let cause): try? send { () throws(PacketError) in try FingerEnd(cause).packet() }
        }
      }
    } catch {
      try send { () throws(PacketError) in try FingerEnd(.serviceGone, detail: "\(error)").packet() }
      // The connection to the bus is lost, so there is nothing more to report.
      throw .closed
    }
  }

  private mutating func answer() throws(PacketSocketError) {
    let packet = try socket.receive(into: &buffer, timeoutMilliseconds: 0)
    switch packet.type {
    case .fingerAsk:
      let ask = try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketSocketError) in
        do throws(PacketError) { return try FingerAsk(packet, bytes) } catch { throw .malformed(error) }
      }
      try answer(ask)
    case .fingerStop:
      guard client?.stop() == true else { return }
      try send { () throws(PacketError) in try FingerEnd(.stopped).packet() }
    default: throw .malformed(.unexpectedType(packet.type))
    }
  }

  private func answer(_ ask: FingerAsk) throws(PacketSocketError) {
    guard let client else { return try tell(obstacle) }
    let service = SensorService(named: ask.service)
    switch ask.wish {
    case .look: try tell(client.look(for: ask.account, at: service))
    case .compare:
      do throws(SensorTrouble) {
        if let sensor = try client.compare(for: ask.account, at: service) { try? tell(sensor) }
      } catch {
        // Once the first *sensor* packet was sent, a failure is reported as an *end* packet.
        guard client.stop() else { return try tell(error.report) }
        let detail = error.detail
        try send { () throws(PacketError) in try FingerEnd(.failed, detail: detail).packet() }
      }
    }
  }

  private func tell(_ sensor: FingerSensor) throws(PacketSocketError) {
    var sensor = sensor
    sensor.missing = sandbox.text
    let report = sensor
    try send { () throws(PacketError) in try report.packet() }
  }

  private func send(_ packet: () throws(PacketError) -> [UInt8]) throws(PacketSocketError) {
    let bytes: [UInt8]
    do throws(PacketError) { bytes = try packet() } catch { throw .malformed(error) }
    try socket.send(bytes)
  }
}
