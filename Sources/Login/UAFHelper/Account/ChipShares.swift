import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFCrypto
import UAFWire

/// The shares of the accounts' keys, in the same chip that has opened the device key.
///
/// uaf-chip makes, opens and removes them.
///
/// If the chip fails, the reason is kept for the call's final text.
final class ChipShares: ShareKeeper {
  private let source: DeviceKeySource
  private let policy: CallPolicy
  private let log: CallLog
  private var failure: Ending?

  init(of source: DeviceKeySource, _ policy: CallPolicy, _ log: CallLog) {
    self.source = source
    self.policy = policy
    self.log = log
  }

  /// The ending for a failure of the state: the chip's own ending if the chip failed.
  func ending(for error: StateError) -> Ending { error == .share ? failure ?? Ending(error) : Ending(error) }

  var cost: Scrypt.Parameters? { source.isCounting ? policy.countedCost : nil }

  func allowNone() throws(StateError) {
    guard source.requiresIndex else { return }
    throw noted(.withoutIndex(source.use == .off ? "use = \"off\"" : "the device key is in a file"))
  }

  func make(
    _ values: borrowing Secret, for type: String, of uid: UInt32, mark: [UInt8]
  ) throws(StateError) -> NewShare? {
    var reply = try asking(.define) { (request, process) throws(Ending) in
      var request = request
      request.mark = mark
      request.limit = limit(type, uid)
      return try process.ask(request, with: values)
    }
    switch reply.answer.outcome {
    case .done:
      guard let share = reply.key.take(), let kept = reply.answer.sealedKey else {
        throw noted(ChipProcess.withoutResult)
      }
      return NewShare(share, kept: kept)
    case .full, .owned:
      guard !source.requiresIndex else { throw noted(.withoutIndex(reply.answer.told)) }
      log.write(
        .binding, "no index for \(type): \(reply.answer.told); only this machine counts wrong values",
        .warning)
      return nil
    default: throw noted(Ending(ofShare: reply.answer))
    }
  }

  func open(_ kept: [UInt8], with values: borrowing Secret) throws(StateError) -> OpenedShare {
    var reply = try asking(.open) { (request, process) throws(Ending) in
      var request = request
      request.sealedKey = kept
      return try process.ask(request, with: values)
    }
    switch reply.answer.outcome {
    case .done:
      guard let share = reply.key.take() else { throw noted(ChipProcess.withoutResult) }
      return .opened(share)
    case .wrong: return .wrong
    case .exhausted:
      log.write(.binding, "the chip has counted too many wrong values: root's 'uafctl unlock' ends that", .warning)
      return .exhausted
    default: throw noted(Ending(ofShare: reply.answer))
    }
  }

  func tellNoCopy(for type: String) {
    log.write(
      .binding,
      "no copy of the share for \(type): device.recovery was not made with this device key, or is damaged; "
        + "'uafctl recover' makes a new one", .warning)
  }

  func holds(_ kept: [UInt8]) throws(StateError) -> Bool {
    // If root's configuration uses no chip, do not talk to one: it may be gone.
    guard source.use != .off else { return false }
    let reply = try asking(.find) { (request, process) throws(Ending) in
      var request = request
      request.sealedKey = kept
      return try process.ask(request)
    }
    switch reply.answer.outcome {
    case .done: return true
    case .indexMissing, .indexReplaced, .otherChip, .cleared, .damaged: return false
    default: throw noted(Ending(ofShare: reply.answer))
    }
  }

  func openInVain(_ values: borrowing Secret) {
    guard policy.hidesState, source.isCounting else { return }
    // The answer does not matter: the call only has to take as long as a real check.
    _ = try? asking(.openInVain) { (request, process) throws(Ending) in try process.ask(request, with: values) }
  }

  func clear(_ kept: [UInt8], for type: String, of uid: UInt32) throws(StateError) {
    let reply = try asking(.clear) { (request, process) throws(Ending) in
      var request = request
      request.sealedKey = kept
      request.limit = limit(type, uid)
      return try process.ask(request)
    }
    guard reply.answer.outcome == .done else { throw noted(Ending(ofShare: reply.answer)) }
  }

  func remove(_ kept: [UInt8]) { remove(marked: nil, kept) }

  func remove(marked mark: [UInt8], but kept: [UInt8]?) { remove(marked: mark, kept) }

  private func remove(marked mark: [UInt8]?, _ kept: [UInt8]?) {
    // If there is no share to keep and the chip program was not started, there is nothing to remove.
    guard kept != nil || source.isRunning else { return }
    let told: String?
    do throws(StateError) {
      let reply = try asking(.remove) { (request, process) throws(Ending) in
        var request = request
        request.mark = mark
        request.sealedKey = kept
        return try process.ask(request)
      }
      told = reply.answer.outcome == .done ? nil : reply.answer.told
    } catch { told = failure?.log }
    // The index is no longer used by anybody, and only takes up space in the chip, so this is just a warning.
    if let told { log.write(.binding, "an index was left in the chip: \(told)", .warning) }
  }

  // MARK: Parts

  private func limit(_ type: String, _ uid: UInt32) -> UInt32 {
    AuthenticatorType(rawValue: type).map { policy.shareLimit($0, uid: uid) } ?? .max
  }

  private func asking(
    _ purpose: ChipRequest.Purpose, _ ask: (ChipRequest, ChipProcess) throws(Ending) -> ChipReply
  ) throws(StateError) -> ChipReply {
    do throws(Ending) {
      let (process, place) = try source.running()
      return try ask(ChipRequest(purpose, at: place), process)
    } catch { throw noted(error) }
  }

  private func noted(_ ending: Ending) -> StateError {
    failure = ending
    return .share
  }
}
