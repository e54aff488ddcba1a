import ArgumentParser
import UAFWire

/// `uafctl unlock`.
struct UnlockCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.unlock.configuration("unlock") }
  static let done = ToolText.unlocked

  @OptionGroup var conf: ConfigurationOption

  @Option(name: .customLong("payload"), help: .text(.unlockFile, valueName: "file"), completion: .file())
  var payloadFile: String?

  @Flag(help: .text(.unlockCode))
  var code = false

  @Argument(help: .text(.account), completion: MachineCompletion.people)
  var user: String?

  func validate() throws {
    if payloadFile != nil, code { throw UsageMistake.unlockOnceProved.error }
    if payloadFile == nil, !code, user == nil { throw UsageMistake.unlockOfNobody.error }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    try UnlockCodeEntry.refuse(user, in: context)
    var request = Request(.unlock)
    request.user = user
    if let payloadFile {
      request.code = try CodeSource.read(payloadFile, in: context, as: .unlock)?.bytes
    } else if code {
      request.code = try UnlockCodeEntry.read(in: context, beside: names(in: context))
    }
    return request
  }

  /// The names of the account that a pasted text may have next to the code.
  private func names(in context: ToolContext) -> [String] {
    let own = context.caller.accounts.account(withID: context.caller.userID)?.name
    return [user, own.map { String(decoding: $0, as: UTF8.self) }].compactMap(\.self)
  }
}
