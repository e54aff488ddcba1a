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
  func open(in surroundings: Surroundings) throws(ToolError) -> PAMFolder {
    guard surroundings.caller.isRoot else { throw .onlyRoot(.changeServices) }
    do throws(StackError) {
      return try surroundings.pamSite.open(path)
    } catch {
      throw .stack(error)
    }
  }

  /// Names those of the services that ask without the passcode, while their program asks for it by another name.
  func tellOpenNames(of services: [PAMService], in surroundings: Surroundings) {
    for member in doors(in: surroundings).openMembers() where services.contains(where: { $0.name == member.name }) {
      surroundings.note(StackText.otherName(member.name, asking: member.asking))
    }
  }

  /// The doors of the folder's services.
  private func doors(in surroundings: Surroundings) -> ServiceDoors {
    ServiceDoors(folder: path, vendors: surroundings.installation.vendorPAMFolders)
  }

  /// Names the services that ask without the passcode, while others ask for it.
  func tellOpenDoors(in surroundings: Surroundings) {
    let doors = doors(in: surroundings)
    for member in doors.openMembers() {
      surroundings.result(StackText.otherName(member.name, asking: member.asking))
    }
    let others = doors.openOthers()
    if !others.isEmpty { surroundings.result(StackText.openOthers(others)) }
  }
}
