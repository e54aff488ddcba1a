import Authenticator
import FidoResults
import UAFConfiguration
import UAFWire

/// Limits how many conversations a user id may have at once; root has no limit.
///
/// The user id is the peer's, or that of the caller of a host with root: prompts of su that are left open count for the caller.
final class PeerSeat {
  /// The answer where the limit is reached; nothing was asked and nothing was counted.
  let refusal: Finished?
  private let slot: PeerSlot?

  /// Takes a place for as long as this value lives.
  ///
  /// Where the configuration or the state cannot be used there is no limit: the conversation then ends by itself, after
  /// *begin*.
  ///
  /// - Parameters:
  ///   - uid: whose place it is; nil where a host with root does not say who called it.
  ///   - way: by what.
  ///   - locale: the person's, where it is known; the configuration's language otherwise.
  init(
    _ uid: UInt32?, by way: PeerSlot.Way = .peer, _ log: any LogSink, locale: String? = nil,
    configurationPath: String = Configuration.defaultPath, owner: UInt32 = 0
  ) {
    guard let uid, uid != 0,
      let configuration = try? Configuration.load(
        path: nil, defaultPath: configurationPath, requiredOwner: owner)
    else {
      (slot, refusal) = (nil, nil)
      return
    }
    do throws(StateError) {
      slot = try PeerSlot.take(in: configuration.state.directory, for: uid, by: way, owner: owner)
    } catch {
      (slot, refusal) = (nil, nil)
      Self.log("no place could be taken: \(error)", uid, to: log)
      return
    }
    guard slot == nil else {
      refusal = nil
      return
    }
    let language = Language.matching(locale, default: configuration.settings(for: nil).general.language)
    let ending = Ending(
      .systemCancel, text: .tooManyConversations, log: "turned away: \(way.count) conversations are under way")
    refusal = PAMExit.finished(ending, text: PromptText.tooManyConversations.text(in: language))
    Self.log(ending.log, uid, to: log)
  }

  private static func log(_ detail: String, _ uid: UInt32, to log: any LogSink) {
    var line = LogLine(.peer)
    line.add(.peer, String(uid))
    line.add(.detail, detail)
    log.write(line, .warning)
  }
}
