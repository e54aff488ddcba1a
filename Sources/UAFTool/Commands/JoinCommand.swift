import ArgumentParser
import Doctor
import UAFMessages
import UAFWire

/// `uafctl join`.
struct JoinCommand: LocalCommand, JSONDocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Joins this machine to a server, as a machine payload says; root only.",
    discussion: """
      Writes the server's address, authority and verdict key into the folder of the configuration, and asks the server to \
      know this machine. Nothing is changed where the server refuses. Then the machine checks in, which brings the server's \
      policy for it. At the end doctor says what is left to do.
      """)

  @OptionGroup var conf: ConfigurationOption

  @Option(
    help: ArgumentHelp("File with the machine payload; - for standard input.", valueName: "file"), completion: .file())
  var payload: String

  @Option(help: ArgumentHelp("Joins only a server with this fingerprint.", valueName: "hex"))
  var fingerprint: String?

  @Option(help: ArgumentHelp("Joins only this group of machines.", valueName: "name"))
  var group: String?

  @Flag(help: "Print one JSON object instead of lines.")
  var json = false

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    guard context.caller.isRoot else { throw .onlyRoot(.join) }
    let join = try JoinPayload(try PayloadSource(argument: payload).read(in: context, asking: .machinePayload))
    try join.require(fingerprint: fingerprint, group: group)
    let chosen = try configurationPath(in: context)
    let run = JoinRun(
      context: context, configuration: chosen ?? context.installation.configurationPath,
      owner: context.installation.owner)
    let finished = try run.join(join)
    guard finished.pamCode == 0 else { return JSONLines.tellFailure(finished, asJSON: json, in: context) }
    let failure = firstCheckIn(chosen, in: context)
    let report = JoinReport(join, hasCheckedIn: failure == nil, findings: findings(chosen, in: context))
    if json {
      context.output.result(report.text(in: context.language))
    } else {
      context.note(ToolText.joined(server: join.payload.server, group: join.payload.group.name))
      context.note(ToolText.fingerprint(join.fingerprint))
      if let failure { context.failure(ToolText.notCheckedIn(failure), hint: ToolText.checkInLater) }
      for finding in report.open {
        context.output.result(finding.line(in: context.language, colours: context.usesColours))
      }
    }
    return .success
  }

  /// Checks in: the machine has joined, whatever becomes of it.
  ///
  /// - Returns: why it failed; nil where it did not.
  private func firstCheckIn(_ configuration: String?, in context: ToolContext) -> String? {
    do throws(ToolError) {
      let finished = try CoreCall(context: context, configuration: configuration).hold(Request(.checkIn))
      return finished.pamCode == 0 ? nil : ConversationEnd(finished).told(in: context.language).text
    } catch { return error.text(in: context.language).what }
  }

  private func findings(_ configuration: String?, in context: ToolContext) -> [Finding] {
    Examination(
      of: context.installation, core: StatusQuery(in: context, configuration: configuration),
      accounts: context.caller.accounts, isRoot: true, configuration: configuration, services: PAMFolderOption.standard
    ).run { _ in }
  }
}
