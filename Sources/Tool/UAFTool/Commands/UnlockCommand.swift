import ArgumentParser
import Doctor
import Glibc
import PAMStacks
import UAFWire

/// `uafctl unlock`.
struct UnlockCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.unlock.configuration("unlock") }
  static let done = ToolText.unlocked

  @OptionGroup var conf: ConfigurationOption

  @Option(help: .text(.unlockFile, valueName: "file"), completion: .file())
  var payload: String?

  @Flag(help: .text(.unlockCode))
  var code = false

  @Argument(help: .text(.account), completion: MachineCompletion.people)
  var user: String?

  func validate() throws {
    if payload != nil, code { throw UsageMistake.unlockOnceProved.error }
    if payload == nil, !code, user == nil { throw UsageMistake.unlockOfNobody.error }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    try UnlockCodeEntry.refuse(user, in: context)
    var request = Request(.unlock)
    request.user = user
    if let payload {
      request.payload = try PayloadSource.read(payload, in: context, as: .unlock)
    } else if code {
      request.payload = try UnlockCodeEntry.read(in: context, beside: names(in: context))
    }
    return request
  }

  /// The names that the account may have next to a pasted code.
  private func names(in context: ToolContext) -> [String] {
    let own = context.caller.accounts.account(withID: context.caller.userID)?.name
    return [user, own.map { String(decoding: $0, as: UTF8.self) }].compactMap(\.self)
  }
}

/// The words that a shell completes for arguments that name something on this machine.
enum MachineCompletion {
  /// Authenticator types.
  static let types = CompletionKind.list(AuthenticatorName.shown)
  /// Accounts of the machine, as far as its name service lists them.
  static let people = CompletionKind.shellCommand(everybody)
  /// Accounts and authenticator types.
  static let peopleAndTypes = CompletionKind.shellCommand(
    everybody + AuthenticatorName.shown.map { "; echo \($0)" }.joined())
  /// Services that can be made to ask for the passcode.
  static let services = CompletionKind.custom { words, _, _ in
    let installation = Installation.ofThisMachine(tty: nil)
    let names = ([folder(in: words)] + installation.vendorPAMFolders).flatMap {
      PAMDirectory(path: $0).services() ?? []
    }
    return Set(names).filter { !PAMService.isPart($0) && (try? PAMService($0)) != nil }.sorted()
  }
  /// Services that already ask for the passcode.
  static let enabledServices = CompletionKind.custom { words, _, _ in
    let entries = StackList(reader: PAMDirectory(path: folder(in: words))).entries() ?? []
    return entries.compactMap { entry in
      if case .enabled = entry.origin { entry.name } else { nil }
    }
  }

  private static let everybody = "getent passwd | cut -d: -f1"

  /// The value of `--pam-directory` in the words typed so far.
  private static func folder(in words: [String]) -> String {
    let index = words.firstIndex(of: "--pam-directory").map { $0 + 1 }
    return index.flatMap { words.indices.contains($0) ? words[$0] : nil } ?? PAMFolderOption.standard
  }
}
