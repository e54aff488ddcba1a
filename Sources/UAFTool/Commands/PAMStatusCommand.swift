import ArgumentParser
import Glibc

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
    if entries.isEmpty { surroundings.output.note("no service in \(pamFolder.path) asks for the passcode") }
    for entry in entries { surroundings.output.result("\(ShownText.line(entry.name)): \(Self.text(entry))") }
    if !entries.isEmpty { pamFolder.tellOpenDoors(in: surroundings) }
    return .success
  }

  private static func text(_ entry: StackList.Entry) -> String {
    switch entry.origin {
    case .enabled(let template, let isEdited): ShownText.line(template) + (isEdited ? ", edited" : "")
    case .unused: "not included by its service"
    case .profile: "by pam-auth-update, in every service"
    case .byHand: "by hand"
    }
  }
}
