import Sandbox
import SecretMemory
import UAFWire

/// Takes requests from the socket one by one and answers each.
enum FetchService {
  /// Serves until the other end goes away.
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
