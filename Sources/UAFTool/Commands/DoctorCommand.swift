import ArgumentParser
import PAMStacks
import UAFConfiguration

/// `uafctl doctor`.
struct DoctorCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks the installation, and says what to do about what is wrong.",
    discussion: """
      Each line begins with ok, warn, FAIL, or skip where only root can look. The exit status is 0 if nothing failed, \
      otherwise 1. With --json it is one object, for scripts: uafctl(1) says what its members are.
      """)

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption

  @Option(help: ArgumentHelp("Folder of the PAM services.", valueName: "folder"), completion: .directory)
  var pamDirectory = PAMFolderOption.standard

  @Flag(help: "Print one JSON object instead of lines.")
  var json = false

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let given = try configurationPath(in: surroundings)
    var findings: [Finding] = []
    for check in checks(given, in: surroundings) {
      let found = check()
      findings += found
      if json { continue }
      for finding in found {
        surroundings.output.result(finding.line(in: surroundings.language, colours: surroundings.usesColours))
      }
    }
    if json { surroundings.output.result(DoctorReport(findings).text(in: surroundings.language)) }
    return DoctorReport(findings).hasFailed ? .refused : .success
  }

  /// One after the other, so that what is quick is not kept waiting for the server.
  ///
  /// - Parameter given: root's own configuration; nil for the machine's.
  private func checks(_ given: String?, in surroundings: Surroundings) -> [() -> [Finding]] {
    let machine = surroundings.installation
    let isRoot = surroundings.caller.isRoot
    let check = ConfigurationCheck(
      given: given, standard: machine.configurationPath, owner: machine.owner, isRoot: isRoot)
    let (found, configuration) = check.run()
    let trust = configuration.map {
      TrustCheck(configuration: $0, path: check.path, owner: machine.owner, isRoot: isRoot).run()
    }
    let reader = PAMDirectory(path: pamDirectory)
    return [
      { programs(machine) },
      { MachineCheck(facts: machine.facts()).findings() },
      { SocketCheck(path: machine.socketPath, owner: machine.owner).findings() },
      { CoreCheck(surroundings: surroundings, configuration: given).findings() },
      { found + (trust?.findings ?? []) },
      {
        guard let state = configuration?.state else {
          return [.skipped(StateText.unknown)]
        }
        return StateCheck(folder: state.directory, owner: machine.owner, isRoot: isRoot).findings()
      },
      {
        guard let state = configuration?.state else { return [] }
        return PeopleCheck(surroundings: surroundings, configuration: given, folder: state.directory).findings()
      },
      {
        PAMCheck(
          directory: pamDirectory, moduleFolders: machine.moduleFolders, vendorFolders: machine.vendorPAMFolders,
          owner: machine.owner, passwords: machine.passwords, isRoot: isRoot,
          hidesState: { configuration?.settings(for: $0).general.hideState == true }
        ).findings()
      },
      {
        let ssh = SSHConfiguration(
          program: machine.sshPaths.program, file: machine.sshPaths.file, output: machine.output)
        return SSHCheck(settings: ssh.settings(isRoot: isRoot), reader: reader).findings()
      },
      {
        guard let server = trust?.server else { return [] }
        return ServerCheck(
          server: server, owner: machine.owner, isRoot: isRoot, now: { machine.facts().time },
          exchange: machine.exchange
        ).findings()
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
