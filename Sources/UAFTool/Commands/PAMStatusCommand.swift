import ArgumentParser
import Glibc
import PAMStacks
import Wording

/// `uafctl pam status`.
struct PAMStatusCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Lists the services that ask for the passcode.",
    discussion: "Names those that ask without it, too: other names of the same program, and other ways into a session.")

  @OptionGroup var pamFolder: PAMFolderOption

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    guard let entries = StackList(reader: PAMDirectory(path: pamFolder.path)).entries() else {
      throw .stack(.folder(path: pamFolder.path, .system(errno)))
    }
    if entries.isEmpty { surroundings.note(StackText.nobodyAsks(folder: pamFolder.path)) }
    for entry in entries {
      surroundings.result(StackText.listed(service: ShownText.line(entry.name), entry.origin))
    }
    if !entries.isEmpty { pamFolder.tellOpenDoors(in: surroundings) }
    return .success
  }
}
