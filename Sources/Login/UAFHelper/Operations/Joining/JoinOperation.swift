import AuthenticatorTypes
import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

/// Joins the server of the configuration with a join code; only root may do this.
///
/// The configuration already names the server: `uafctl join` makes that permanent only after this has succeeded.
struct JoinOperation: CallOperation {
  let call: Call
  let folder: StateFolder
  let server: ServerAccess
  /// Waits for this many milliseconds.
  let pause: (Int) -> Void
  let now: () -> BootTime

  func run() throws(Ending) -> Success {
    let payload = try payload()
    let settings = try server.settings()
    guard settings.dialect == .fido else {
      throw Ending(
        .invalidParameter, because: .joinOfOtherDialect, log: "join: server.dialect is \(settings.dialect.rawValue)")
    }
    let client = try server.clientSettings(settings)
    guard let url = OwnRoute.join.url(beside: client.authentication.requestURL), url == payload.server + "/uaf/join"
    else {
      throw Ending(.invalidParameter, because: .joinOfOtherServer, log: "join: the payload is from a different server")
    }
    // Only root's own: what a server said earlier counts no more once the machine joins again.
    guard let publicKeys = server.trust?.pinnedKeys else {
      throw .configuration("join: server.require_signed_verdict and server.verdict_key are needed")
    }
    let request = try request(payload, client.device)
    // A check-in that is under way would otherwise store what the server has answered to the machine as it was.
    let turn = try MachineTurn.ofCheckIns(in: folder, pause: pause)
    defer { withExtendedLifetime(turn) {} }
    let flow = JoinFlow(request, proof: proof(of: request, settings), publicKeys: publicKeys)
    let network = try server.network(settings, for: nil)
    let joined: (group: MachineGroup, secret: MachineSecret, joinedAt: Int64)
    do throws(Refusal) { joined = try flow.join(at: url, over: network) { now().wallSeconds } } catch {
      throw Ending(error)
    }
    let machine = MachineRecord(
      machineID: joined.secret.machineID, secret: joined.secret.secret, place: try server.place(client.authentication))
    do throws(StateError) {
      // The server does not know this machine yet, so it has no nonces of earlier reports.
      try CheckInRecord.remove(in: folder.path, owner: folder.owner)
      try TrustRecord.remove(in: folder.path, owner: folder.owner)
      // The policy is replaced before the group: the policy of an earlier group must not apply in the new one.
      try PolicyRecord(joinedAt: joined.joinedAt).store(in: folder.path, owner: folder.owner)
      try JoinRecord(machine, group: joined.group.name).store(in: folder.path, owner: folder.owner)
      try UnknownRecord.remove(in: folder.path, owner: folder.owner)
    } catch { throw Ending(.cannotUse, detail: RootText(error), log: "\(error)") }
    return Success(
      detail: RootText(
        "joined \(payload.server), group \(joined.group)",
        korean: "\(payload.server)에 가입했습니다. 그룹: \(joined.group)"))
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

  /// The proof that this machine is the one that joined this server before; nil if it has not joined before.
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

/// Leaves the server that this machine has joined; only root may do this.
///
/// An unreachable server does not prevent this: the machine leaves anyway, and reports that the server was not told.
struct LeaveOperation: CallOperation {
  let folder: StateFolder
  let server: ServerAccess
  let log: CallLog
  /// Waits for this many milliseconds.
  let pause: (Int) -> Void
  let now: () -> BootTime

  func run() throws(Ending) -> Success {
    _ = try folder.open()
    // A check-in that is under way would otherwise store its records after they were removed here.
    let turn = try MachineTurn.ofCheckIns(in: folder, pause: pause)
    defer { withExtendedLifetime(turn) {} }
    guard let record = try read() else {
      throw Ending(.requestNotExist, because: .notJoined, log: "leave: this machine has not joined a server")
    }
    let fault = tell(record)
    do throws(StateError) {
      // The policy is removed first. If the call is killed after this, the machine is joined and has no policy, like every
      // newly joined machine.
      try PolicyRecord.remove(in: folder.path, owner: folder.owner)
      try JoinRecord.remove(in: folder.path, owner: folder.owner)
      try TrustRecord.remove(in: folder.path, owner: folder.owner)
      // What this server has not yet been told must not be reported to the next server.
      try CheckInRecord.remove(in: folder.path, owner: folder.owner)
      try OfflineLoginRecord.remove(in: folder.path, owner: folder.owner)
      try UnknownRecord.remove(in: folder.path, owner: folder.owner)
    } catch {
      throw Ending(.cannotUse, detail: RootText(error), log: "\(error)")
    }
    if let fault { log.write(.leave, "the server was not told: \(fault)", .warning) }
    return Success(text: .left(serverKnows: fault == nil))
  }

  private func read() throws(Ending) -> JoinRecord? {
    do throws(StateError) { return try JoinRecord.read(in: folder.path, owner: folder.owner) } catch {
      throw Ending(.cannotUse, detail: RootText(error), log: "\(error)")
    }
  }

  /// Tells the server that this machine is leaving.
  ///
  /// - Returns: the reason if the server could not be told; nil if it was told.
  private func tell(_ record: JoinRecord) -> String? {
    do throws(Ending) {
      let settings = try server.settings()
      let endpoint = try server.clientSettings(settings).authentication
      guard let url = OwnRoute.leave.url(beside: endpoint.requestURL),
        try server.place(endpoint) == record.machine.place
      else { return "the configuration names a different server" }
      guard let prover = try? MachineProver(record.machine, from: .local, now: now),
        let made = prover.make(.state(of: LeaveFlow.nobody))
      else { return "no proof could be sent to it" }
      let network = try server.network(settings, for: nil)
      do throws(TransportFailure) {
        let status = try LeaveFlow.leave(at: url, proof: made.text, over: network)
        return status == 200 ? nil : "it replied with HTTP status \(status)"
      } catch { return "\(error)" }
    } catch { return error.log }
  }
}

extension MachineTurn {
  /// How many milliseconds to wait for a check-in before the next try, and how often to try.
  ///
  /// After a login, a check-in waits for the server for 3 s.
  private static let (wait, tries) = (20, 250)

  /// Keeps check-ins from running, and waits for one that is under way.
  ///
  /// - Throws: ``Ending`` (1007) if the check-in takes too long, or the state folder cannot be used.
  fileprivate static func ofCheckIns(in folder: StateFolder, pause: (Int) -> Void) throws(Ending) -> MachineTurn {
    do throws(StateError) {
      return try awaited(
        for: .checkIn, in: folder.path, owner: folder.owner, tries: tries, pause: { pause(wait) })
    } catch {
      let isBusy = error == .superseded
      let busy = RootText(
        "this machine is checking in at its server: try again in a moment",
        korean: "이 컴퓨터가 서버에 상태를 알리는 중입니다. 잠시 뒤 다시 시도하십시오")
      throw Ending(
        .cannotUse, detail: isBusy ? busy : RootText(error), log: isBusy ? "a check-in is under way" : "\(error)")
    }
  }
}
