import PAMStacks

/// Prints which services do not ask for the passcode, while others do.
struct DoorReport {
  private let doors: ServiceDoors
  private let context: ToolContext

  /// - Parameter folder: the folder of the PAM services.
  init(_ folder: String, in context: ToolContext) {
    doors = ServiceDoors(
      folder: folder, vendors: context.installation.vendorPAMFolders, sudo: context.installation.readSudoers())
    self.context = context
  }

  /// Names those of the services whose program asks for the passcode by another name.
  func tellOpenNames(of services: [PAMService]) {
    for member in doors.openMembers() where services.contains(where: { $0.name == member.name }) {
      context.note(StackText.otherName(member.name, asking: member.asking))
    }
  }

  /// Names every service that asks without the passcode.
  func tellOpenDoors() {
    for member in doors.openMembers() {
      context.result(StackText.otherName(member.name, asking: member.asking))
    }
    if let service = doors.openSudo() { context.result(StackText.sudoService(service)) }
    for asked in doors.askedBySudo() { context.result(StackText.sudoAsks(asked)) }
    if let polkit = doors.openPolkit() {
      context.result(StackText.polkit(polkit.name, asking: polkit.asking))
    }
    let others = doors.openOthers()
    if !others.isEmpty { context.result(StackText.openOthers(others)) }
  }
}
