import ArgumentParser
import Glibc
import PAMStacks
import Wording

/// `uafctl pam status`.
struct PAMStatusCommand: JSONDocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Lists the services that ask for the passcode.",
    discussion: """
      Names those that ask without it, too: other names of the same program, and other ways into a session. With --json it \
      is one object, for scripts: uafctl(1) says what its members are.
      """)

  @OptionGroup var pamFolder: PAMFolderOption

  @Flag(help: "Print one JSON object instead of lines.")
  var json = false

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let list = StackList(
      reader: PAMDirectory(path: pamFolder.path, vendors: context.installation.vendorPAMFolders))
    guard let entries = list.entries() else {
      throw .stack(.folder(path: pamFolder.path, .system(errno)))
    }
    if json {
      let doors = ServiceDoors(
        folder: pamFolder.path, vendors: context.installation.vendorPAMFolders, sudo: context.installation.readSudoers()
      )
      context.output.result(StackReport(list: list, entries: entries, doors: doors).text)
      return .success
    }
    if entries.isEmpty { context.note(StackText.nobodyAsks(folder: pamFolder.path)) }
    for entry in entries {
      context.result(StackText.listed(service: ShownText.line(entry.name), entry.origin))
      if let place = list.passing(entry) {
        context.result(StackText.passedOver(service: ShownText.line(entry.name), place))
      }
    }
    if !entries.isEmpty { DoorReport(pamFolder.path, in: context).tellOpenDoors() }
    return .success
  }
}
