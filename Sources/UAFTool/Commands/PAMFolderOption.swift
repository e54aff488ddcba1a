import ArgumentParser
import PAMStacks

/// `--pam-directory`, which every subcommand that looks at stacks has.
struct PAMFolderOption: ParsableArguments {
  /// Where Linux-PAM looks first.
  static let standard = "/etc/pam.d"

  @Option(
    name: .customLong("pam-directory"), help: ArgumentHelp("Folder of the PAM services.", valueName: "folder"),
    completion: .directory)
  var path = PAMFolderOption.standard

  /// The folder, opened for changes by root.
  ///
  /// - Throws: ``ToolError``: `onlyRoot`, `stack`.
  func open(in context: ToolContext) throws(ToolError) -> PAMFolder {
    guard context.caller.isRoot else { throw .onlyRoot(.changeServices) }
    do throws(StackError) {
      return try context.pamSite.open(path)
    } catch {
      throw .stack(error)
    }
  }
}
