import FidoResults
import UAFMessages
import UAFWire

/// What a login asks its person to confirm: who, where, and what for.
struct TransactionSource {
  private let begin: Begin
  private let caller: Caller
  private let hostName: String

  private static let sudo: Set<String> = ["sudo", "sudo-i"]

  init(_ begin: Begin, _ caller: Caller, hostName: String) {
    self.begin = begin
    self.caller = caller
    self.hostName = hostName
  }

  /// The text: `ACCOUNT@HOST: COMMAND` for sudo, else `ACCOUNT@HOST: SERVICE`, with ` from RHOST` where the person is remote.
  ///
  /// What this machine knows stands first, so that a command cannot pass for another host or account.
  ///
  /// - Throws: ``Ending``: 1001 for a text longer than anybody is asked to read, 1007 where sudo's command is not known.
  func text() throws(Ending) -> TransactionText {
    let account = caller.name ?? caller.typedName ?? []
    let service = caller.service ?? ""
    var text = account + Array("@\(hostName): ".utf8)
    if Self.sudo.contains(service) {
      guard let command = begin.command else {
        throw Ending(.cannotUse, log: "sudo's command line, which is to be confirmed, could not be read")
      }
      text += command
    } else {
      text += Array(service.utf8)
      if let host = begin.remoteHost, !host.isEmpty { text += Array(" from ".utf8) + host }
    }
    guard let made = TransactionText(bytes: text) else {
      throw Ending(
        .invalidParameter, text: .textTooLong(TransactionText.maximumShown), log: "the text to be confirmed is too long"
      )
    }
    return made
  }
}
