import ArgumentParser
import UAFConfiguration

/// `uafctl doctor`.
struct DoctorCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks the installation, and says what to do about what is wrong.",
    discussion: """
      Each line begins with ok, warn, FAIL, or skip where only root can look. The exit status is 0 if nothing failed, \
      otherwise 1.
      """)

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption

  @Option(help: ArgumentHelp("Folder of the PAM services.", valueName: "folder"))
  var pamDirectory = "/etc/pam.d"

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let path = try configurationPath(in: surroundings) ?? surroundings.installation.configurationPath
    var hasFailed = false
    for check in checks(path, in: surroundings) {
      for finding in check() {
        if finding.level == .failure { hasFailed = true }
        surroundings.output.result(finding.line(colours: surroundings.usesColours))
      }
    }
    return hasFailed ? .refused : .success
  }

  /// One after the other, so that what is quick is not kept waiting for the server.
  private func checks(_ path: String, in surroundings: Surroundings) -> [() -> [Finding]] {
    let machine = surroundings.installation
    let isRoot = surroundings.caller.isRoot
    let (found, configuration) = ConfigurationCheck(path: path, owner: machine.owner, isRoot: isRoot).run()
    return [
      { ProgramCheck(name: "helper", path: machine.helperPath, owner: machine.owner).findings() },
      { ProgramCheck(name: "fetch", path: machine.fetchPath, owner: machine.owner).findings() },
      { SocketCheck(path: machine.socketPath, owner: machine.owner).findings() },
      { found },
      {
        guard let state = configuration?.state else {
          return [.skipped("state: only the configuration says where it is", do: "correct the configuration first")]
        }
        return StateCheck(folder: state.directory, owner: machine.owner, isRoot: isRoot).findings()
      },
      { PAMCheck(directory: pamDirectory, moduleFolders: machine.moduleFolders).findings() },
      {
        guard let server = configuration?.server else { return [] }
        return ServerCheck(server: server, owner: machine.owner, exchange: machine.exchange).findings()
      },
    ]
  }
}
