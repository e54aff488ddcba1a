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
    let given = try configurationPath(in: surroundings)
    var hasFailed = false
    for check in checks(given, in: surroundings) {
      for finding in check() {
        if finding.level == .failure { hasFailed = true }
        surroundings.output.result(finding.line(in: surroundings.language, colours: surroundings.usesColours))
      }
    }
    return hasFailed ? .refused : .success
  }

  /// One after the other, so that what is quick is not kept waiting for the server.
  ///
  /// - Parameter given: root's own configuration; nil for the machine's.
  private func checks(_ given: String?, in surroundings: Surroundings) -> [() -> [Finding]] {
    let machine = surroundings.installation
    let path = given ?? machine.configurationPath
    let isRoot = surroundings.caller.isRoot
    let (found, configuration) = ConfigurationCheck(path: path, owner: machine.owner, isRoot: isRoot).run()
    let reader = PAMDirectory(path: pamDirectory)
    return [
      { programs(machine) },
      { MachineCheck(facts: machine.facts()).findings() },
      { SocketCheck(path: machine.socketPath, owner: machine.owner).findings() },
      { CoreCheck(surroundings: surroundings, configuration: given).findings() },
      { found },
      {
        guard let state = configuration?.state else {
          return [.skipped(StateText.unknown)]
        }
        return StateCheck(folder: state.directory, owner: machine.owner, isRoot: isRoot).findings()
      },
      {
        PAMCheck(
          directory: pamDirectory, moduleFolders: machine.moduleFolders, vendorFolders: machine.vendorPAMFolders,
          owner: machine.owner, passwords: machine.passwords, isRoot: isRoot
        ).findings()
      },
      {
        let ssh = SSHConfiguration(
          program: machine.sshPaths.program, file: machine.sshPaths.file, output: machine.output)
        return SSHCheck(settings: ssh.settings(isRoot: isRoot), reader: reader).findings()
      },
      {
        guard let server = configuration?.server else { return [] }
        return ServerCheck(server: server, owner: machine.owner, exchange: machine.exchange).findings()
      },
    ]
  }

  private func programs(_ machine: Installation) -> [Finding] {
    [("helper", machine.helperPath), ("fetch", machine.fetchPath)].flatMap { name, path in
      ProgramCheck(name: name, path: path, owner: machine.owner, version: { machine.output($0, ["--version"]) })
        .findings()
    }
  }
}
