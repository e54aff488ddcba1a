import FidoResults
import UAFMessages
import UAFWire

/// Makes the text that a login asks the person to confirm: who logs in where, and what for.
struct TransactionSource {
  private let begin: Begin
  private let caller: CallerIdentity
  private let hostName: String
  private let account: [UInt8]

  /// - Parameter account: the account's name, if the caller has not stated it.
  init(_ begin: Begin, _ caller: CallerIdentity, hostName: String, account: [UInt8] = []) {
    self.begin = begin
    self.caller = caller
    // A text must begin with account and host as one word, or uaf-server refuses it. So spaces in the host name are replaced.
    self.hostName = String(decoding: hostName.utf8.map { $0 == 0x20 ? 0x5F : $0 }, as: UTF8.self)
    self.account = caller.name ?? caller.typedName ?? account
  }

  /// The text: `ACCOUNT@HOST: `, followed by one of three.
  ///
  /// If the caller gave a text, it is that text after `uafctl: `. For sudo, it is the text of ``SudoCommandLine``. Otherwise it
  /// is the service, with ` from RHOST` if the person is remote.
  ///
  /// Account and host come first, so that a command cannot look like a different host or account.
  ///
  /// - Throws: ``Ending``: 1001 if the text is longer than a person should have to read, if a screen would not show all
  ///   options, or if sudo has a name or an option whose effect is not known; 1007 if sudo's command is not known.
  func text(in charset: TransactionCharset) throws(Ending) -> TransactionText {
    let service = caller.service ?? ""
    var text = account + Array("@\(hostName): ".utf8)
    var head: [UInt8]?
    if let words = begin.transaction {
      text += Array(ownLabel.utf8) + words
    } else if caller.isSudo {
      let parts = try sudoLine().parts
      head = text + parts.head
      text += parts.head + parts.command
    } else {
      text += Array(service.utf8)
      if let host = begin.remoteHost, !host.isEmpty { text += Array(" from ".utf8) + host }
    }
    guard let made = TransactionText(bytes: text, in: charset) else { throw tooLong(TransactionText.maximumShown) }
    // A screen shows only the beginning of a long text, so the beginning must contain every option.
    if let head, made.columns > TransactionText.maximumOnScreen {
      guard let head = TransactionText(bytes: head, in: charset), head.columns <= TransactionText.headOnScreen else {
        throw tooLong(TransactionText.maximumOnScreen)
      }
    }
    return made
  }

  private func sudoLine() throws(Ending) -> SudoCommandLine {
    guard let program = begin.program, let line = begin.commandLine else {
      throw Ending(.cannotUse, log: "sudo's file and command line, which are to be confirmed, could not be read")
    }
    do throws(SudoCommandLine.Refusal) {
      return try SudoCommandLine(program: program, commandLine: line, limit: WireLimit.commandLine)
    } catch {
      switch error {
      case .tooLong: throw tooLong(TransactionText.maximumShown)
      case .overwritten:
        throw Ending(
          .invalidParameter, text: .overwrittenByList,
          log: "sudo has overwritten its command line, because of --preserve-env=LIST: nobody can tell what was typed")
      case .ambiguousName:
        throw Ending(
          .invalidParameter, because: .ambiguousName,
          log: "sudo was called under a name that only some versions treat as an editor")
      }
    }
  }

  /// The label before a text that the caller chose.
  ///
  /// With it, the text cannot be mistaken for a command of sudo or, if root is the caller, for a text of the person.
  ///
  /// The label does not contain the service: peers that are not root can state any service name.
  private var ownLabel: String { caller.isRoot && caller.uid != 0 ? "uafctl, by root: " : "uafctl: " }

  private func tooLong(_ count: Int) -> Ending {
    let text = begin.transaction == nil ? PromptText.textTooLong(count) : .ownTextTooLong(count)
    return Ending(.invalidParameter, text: text, log: "the text to be confirmed is too long")
  }
}

/// A text that the person confirms by entering the secret.
struct TextToConfirm {
  let text: TransactionText
  /// Whether the server added the text, not the caller.
  var isServers = false
}
