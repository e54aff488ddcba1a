import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

/// Joins the server of the configuration with the code of a payload; only root may.
///
/// The configuration names the server already: `uafctl join` puts it in place for good only after this has succeeded.
struct JoinOperation: CallOperation {
  let call: Call
  let folder: StateFolder
  let server: ServerAccess
  let now: () -> BootTime

  func run() throws(Ending) -> Success {
    let payload = try payload()
    let settings = try server.settings()
    let client = try server.clientSettings(settings)
    guard let url = OwnRoute.join.url(beside: client.authentication.requestURL), url == payload.server + "/uaf/join"
    else {
      throw Ending(.invalidParameter, because: .joinOfOtherServer, log: "join: the payload is of another server")
    }
    guard let publicKeys = server.verdictKeys else {
      throw .configuration("join: server.require_signed_verdict and server.verdict_key are needed")
    }
    let request = try request(payload, client.device)
    let flow = JoinFlow(request, proof: proof(of: request, settings), publicKeys: publicKeys)
    let network = try server.network(settings, for: nil)
    let joined: (group: MachineGroup, secret: MachineSecret, joinedAt: Int64)
    do throws(Refusal) { joined = try flow.join(at: url, over: network) { now().wallSeconds } } catch {
      throw Ending(error)
    }
    let machine = MachineRecord(
      machineID: joined.secret.machineID, secret: joined.secret.secret, place: try server.place(client.authentication))
    do throws(StateError) {
      // The server knows nothing of this machine yet, and nobody's marks.
      try CheckInRecord.remove(in: folder.path, owner: folder.owner)
      // First: with the new group a policy of before must not be in force.
      try PolicyRecord(joinedAt: joined.joinedAt).store(in: folder.path, owner: folder.owner)
      try JoinRecord(machine, group: joined.group.name).store(in: folder.path, owner: folder.owner)
    } catch { throw Ending(.cannotUse, detail: "\(error)", log: "\(error)") }
    return Success(detail: "joined \(payload.server), group \(joined.group)")
  }

  private func payload() throws(Ending) -> MachinePayload {
    guard let bytes = call.begin.payload, let text = String(validating: bytes, as: UTF8.self) else {
      throw Ending(.invalidParameter, because: .joinUnreadable, log: "join: no payload")
    }
    let payload: MachinePayload
    do throws(MessageError) { payload = try MachinePayload(encoded: text) } catch {
      throw Ending(.invalidParameter, because: .joinUnreadable, log: "join: \(error)")
    }
    guard payload.expires > now().wallSeconds else {
      throw Ending(.requestNotExist, because: .joinExpired, log: "join: the payload has expired")
    }
    return payload
  }

  /// Proves that this machine is the one that has joined this server before; nil if it has not.
  private func proof(of request: JoinRequest, _ settings: ServerSettings) -> String? {
    guard let joined = try? server.joined(settings), let hash = try? SHA256.hash(request.jsonBytes),
      let prover = try? MachineProver(joined.machine, from: .local, now: now)
    else { return nil }
    return prover.proof(of: .joining(bodyHash: hash))
  }

  private func request(_ payload: MachinePayload, _ device: DeviceContext) throws(Ending) -> JoinRequest {
    guard let id = device.id else {
      throw Ending(.invalidParameter, because: .joinUntold, log: "join: server.send_device = false, or no id")
    }
    guard let nonce = try? RandomBytes.make(JoinRequest.nonceByteCount) else {
      throw Ending(.cannotUse, log: "join: no random bytes")
    }
    return JoinRequest(
      code: payload.code, nonce: nonce, deviceID: id, deviceName: device.name, deviceModel: device.model,
      deviceOS: device.operatingSystem)
  }
}
