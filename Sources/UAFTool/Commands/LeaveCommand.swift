import ArgumentParser
import PAMStacks
import Wording

/// `uafctl leave`.
struct LeaveCommand: LocalCommand, JSONDocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "Takes back that this machine has joined a server; root only.",
    discussion: """
      Tells the server, and removes what join has written. A server that is away keeps no machine. Keys of people stay, on \
      this machine and at the server. Nothing is changed while services ask for the passcode, unless --force says so.
      """)

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var pamFolder: PAMFolderOption

  @Flag(help: "Leaves although services ask for the passcode, which let nobody in then.")
  var force = false

  @Flag(help: "Print the end as one JSON object, for scripts.")
  var json = false

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    guard context.caller.isRoot else { throw .onlyRoot(.join) }
    let asking = StackList(reader: PAMDirectory(path: pamFolder.path)).entries() ?? []
    guard force || asking.isEmpty else { throw .join(.servicesAsk(asking.map(\.name))) }
    let chosen = try configurationPath(in: context)
    let run = JoinRun(
      context: context, configuration: chosen ?? context.installation.configurationPath,
      owner: context.installation.owner)
    let (finished, hasRemoved) = try run.leave(chosen)
    // The core may know of no join while the files of one are there: then these are all that was left.
    guard finished.pamCode == 0 || hasRemoved else {
      return JSONLines.tellFailure(finished, asJSON: json, in: context)
    }
    let said = finished.pamCode == 0 ? ShownText.lines(finished.text ?? "") : ""
    let text = said.isEmpty ? ToolText.left.text(in: context.language) : said
    if json { JSONLines(in: context).done(text) } else { context.output.note(text) }
    return .success
  }
}
