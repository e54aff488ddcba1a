import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages

/// Leaves the server that this machine has joined; only root may.
///
/// A server that is away keeps nobody: the machine leaves it all the same, and says that the server was not told.
struct LeaveOperation: CallOperation {
  let folder: StateFolder
  let server: ServerAccess
  let log: CallLog
  let now: () -> BootTime

  func run() throws(Ending) -> Success {
    guard let record = try read() else {
      throw Ending(.requestNotExist, because: .notJoined, log: "leave: this machine has joined no server")
    }
    let fault = tell(record)
    do throws(StateError) {
      // First: a machine that has joined and has no policy is what every new one is.
      try PolicyRecord.remove(in: folder.path, owner: folder.owner)
      try JoinRecord.remove(in: folder.path, owner: folder.owner)
      // What another server has not been told is none of the next one's business.
      try CheckInRecord.remove(in: folder.path, owner: folder.owner)
      try OfflineLoginRecord.remove(in: folder.path, owner: folder.owner)
    } catch {
      throw Ending(.cannotUse, detail: "\(error)", log: "\(error)")
    }
    if let fault { log.write(.leave, "the server was not told: \(fault)", .warning) }
    return Success(text: .left(serverKnows: fault == nil))
  }

  private func read() throws(Ending) -> JoinRecord? {
    _ = try folder.open()
    do throws(StateError) { return try JoinRecord.read(in: folder.path, owner: folder.owner) } catch {
      throw Ending(.cannotUse, detail: "\(error)", log: "\(error)")
    }
  }

  /// Tells the server.
  ///
  /// - Returns: why it was not told; nil if it was.
  private func tell(_ record: JoinRecord) -> String? {
    do throws(Ending) {
      let settings = try server.settings()
      let endpoint = try server.clientSettings(settings).authentication
      guard let url = OwnRoute.leave.url(beside: endpoint.requestURL),
        try server.place(endpoint) == record.machine.place
      else { return "the configuration names another server" }
      guard let prover = try? MachineProver(record.machine, from: .local, now: now),
        let made = prover.make(.state(of: LeaveFlow.nobody))
      else { return "nothing could be proved to it" }
      let network = try server.network(settings, for: nil)
      do throws(TransportFailure) {
        let status = try LeaveFlow.leave(at: url, proof: made.text, over: network)
        return status == 200 ? nil : "it answered with HTTP status \(status)"
      } catch { return "\(error)" }
    } catch { return error.log }
  }
}
