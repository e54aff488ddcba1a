import Authenticator
import FidoResults
import Glibc
import UAFConfiguration
import UAFWire

/// Limits how many conversations a uid may have at the same time; root has no limit.
///
/// The uid is the peer's, or that of the caller of a host with root privileges: open prompts of su count for the person who
/// called su.
final class ConversationPlace {
  /// The answer if the limit is reached: no prompt was shown and no attempt was counted.
  let refusal: Finished?
  private let slot: PeerSlot?

  /// Counts a conversation of this uid for as long as this object lives.
  ///
  /// The state folder is that of the machine's default configuration, even if the call names a different one with `conf=`,
  /// which ``CallPolicy`` reads later. Otherwise each further configuration would allow the same person further conversations.
  /// If the configuration or the state cannot be used, there is no limit: the conversation then ends soon after *begin* anyway.
  ///
  /// - Parameters:
  ///   - uid: the uid that is counted; nil if a host with root privileges does not state its caller.
  ///   - way: how the uid has the conversation.
  ///   - locale: the person's locale, if it is known; otherwise the configuration's language is used.
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
      .systemCancel, text: .tooManyConversations, log: "refused: \(way.count) conversations are open")
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
