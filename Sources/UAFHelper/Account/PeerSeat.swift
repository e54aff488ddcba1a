import Authenticator
import FidoResults
import UAFConfiguration
import UAFWire

/// The place of a peer among the conversations; root always has one.
final class PeerSeat {
  /// What is said to a peer that has none; nothing was asked, and nothing counts.
  let refusal: Finished?
  private let slot: PeerSlot?

  /// Takes a place for as long as this value lives.
  ///
  /// A machine whose configuration or state cannot be used has no places to give, and nothing to offer either: the conversation
  /// then ends by itself, after *begin*.
  init(
    _ peer: UInt32, _ log: any LogSink, configurationPath: String = Configuration.defaultPath, owner: UInt32 = 0
  ) {
    guard peer != 0,
      let configuration = try? Configuration.load(path: configurationPath, requiredOwner: owner)
    else {
      (slot, refusal) = (nil, nil)
      return
    }
    do throws(StateError) {
      slot = try PeerSlot.take(in: configuration.state.directory, for: peer, owner: owner)
    } catch {
      (slot, refusal) = (nil, nil)
      Self.log("no place could be taken: \(error)", peer, to: log)
      return
    }
    guard slot == nil else {
      refusal = nil
      return
    }
    let result = FidoResult.systemCancel
    var finished = Finished(
      pamCode: UInt8(truncatingIfNeeded: result.pamCode(PAMContext()).rawValue), result: result.code)
    let language = Language.matching(nil, default: configuration.settings(for: nil).general.language)
    finished.text = PromptText.tooManyConversations.text(in: language)
    refusal = finished
    Self.log("turned away: \(PeerSlot.count) conversations are under way", peer, to: log)
  }

  private static func log(_ detail: String, _ peer: UInt32, to log: any LogSink) {
    var line = LogLine(.peer)
    line.add(.peer, String(peer))
    line.add(.detail, detail)
    log.write(line, .warning)
  }
}
