import ArgumentParser

/// `--pam-directory`, which every subcommand that looks at stacks has.
struct PAMFolderOption: ParsableArguments {
  @Option(name: .customLong("pam-directory"), help: ArgumentHelp("Folder of the PAM services.", valueName: "folder"))
  var path = "/etc/pam.d"

  /// The folder, opened for changes by root.
  ///
  /// - Throws: ``ToolError``: `onlyRoot`, `stack`.
  func open(toChange what: String, in surroundings: Surroundings) throws(ToolError) -> PAMFolder {
    guard surroundings.caller.isRoot else { throw .onlyRoot(what) }
    do throws(StackError) {
      let folder = try PAMFolder(path, owner: surroundings.installation.owner)
      try folder.lock(in: surroundings.installation.trialParent)
      return folder
    } catch {
      throw .stack(error)
    }
  }
}
