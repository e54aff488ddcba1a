import Doctor
import PAMStacks
import SecretMemory
import TerminalPrompts
import UAFMessages
import UAFWire

/// Which PAM services ask for the passcode and which do not, as one JSON object for scripts (uafctl(1), "STACKS").
struct StackReport {
  let list: StackList
  let entries: [StackList.Entry]
  let doors: ServiceDoors

  /// The report as one line; it is the same in every language.
  var text: String {
    // If no service asks for the passcode, none is reported as forgotten, as in the list for people.
    let members = entries.isEmpty ? [] : doors.openMembers()
    let polkit = entries.isEmpty ? nil : doors.openPolkit()
    var object: JSONObject = [
      "version": .string(ToolVersion.number), "services": .array(entries.map(service)),
      "otherNames": .array(members.map(Self.member)),
      "others": .array(entries.isEmpty ? [] : doors.openOthers().map { .string($0) }),
    ]
    object.set("polkit", polkit.map(Self.member))
    object.set("sudoService", doors.openSudo().map { .string($0) })
    object.set("sshUnread", doors.unreadSSH().map { .string($0) })
    object.set("sshService", doors.openSSH().map { .string($0) })
    let asked = doors.askedBySudo()
    if !asked.isEmpty { object.set("sudoAsks", .array(asked.map { .string($0.asked.rawValue) })) }
    let unasked = doors.unaskedBySudo()
    if !unasked.isEmpty { object.set("sudoAsksNot", .array(unasked.map { .string($0.english) })) }
    let gaps = doors.sudoersGaps()
    if !gaps.isEmpty { object.set("sudoersGaps", .array(gaps.map { .string($0.english.what) })) }
    return JSONValue.object(object).text
  }

  private func service(_ entry: StackList.Entry) -> JSONValue {
    var object: JSONObject = ["name": .string(entry.name)]
    switch entry.origin {
    case .enabled(let template, let isEdited):
      object.set("origin", .string("enabled"))
      object.set("template", .string(template))
      object.set("edited", .bool(isEdited))
    case .unused: object.set("origin", .string("unused"))
    case .profile: object.set("origin", .string("profile"))
    case .byHand: object.set("origin", .string("byHand"))
    }
    object.set("passwordUntil", Rollout(of: entry, in: list).map { .string($0.day.description) })
    object.set("passedOver", list.passing(entry).map(Self.place))
    if list.letsInRefused(entry) { object.set("refusalLetsIn", .bool(true)) }
    if list.silentStack(of: entry.name) != nil { object.set("asksNoMore", .bool(true)) }
    object.set("wrongPassword", list.passwordGap(of: entry).map { Self.place($0.place) })
    return .object(object)
  }

  private static func place(_ place: StackLinePlace) -> JSONValue {
    .object(["file": .string(place.path), "line": .integer(Int64(place.line))])
  }

  private static func member(_ member: ServiceDoors.OpenMember) -> JSONValue {
    .object(["name": .string(member.name), "asking": .string(member.asking)])
  }
}

/// Prints the PAM services that do not ask for the passcode although related ones do.
struct DoorReport {
  private let doors: ServiceDoors
  private let context: ToolContext

  /// - Parameter folder: the folder of the PAM services.
  init(_ folder: String, in context: ToolContext) {
    doors = ServiceDoors(
      folder: folder, vendors: context.installation.vendorPAMFolders, sudo: context.installation.readSudoers(),
      ssh: context.installation.readSSH(), displayManagers: context.installation.readDisplayManagers())
    self.context = context
  }

  /// Names those of `services` that do not ask for the passcode although their program does under a different name.
  func tellOpenNames(of services: [PAMService]) {
    for member in doors.openMembers() where services.contains(where: { $0.name == member.name }) {
      context.note(StackText.open(member))
    }
  }

  /// Names every service that lets people in without asking for the passcode.
  func tellOpenDoors() {
    for member in doors.openMembers() {
      context.result(StackText.open(member))
    }
    if let service = doors.openSudo() { context.result(StackText.sudoService(service)) }
    if let path = doors.unreadSSH() { context.result(StackText.sshUnread(path)) }
    if let service = doors.openSSH() { context.result(StackText.sshService(service)) }
    for asked in doors.askedBySudo() { context.result(StackText.sudoAsks(asked)) }
    for unasked in doors.unaskedBySudo() { context.result(StackText.sudoUnasked(unasked)) }
    for gap in doors.sudoersGaps() { context.result(StackText.sudoersGap(gap)) }
    if let polkit = doors.openPolkit() {
      context.result(
        polkit.asksNobody
          ? StackText.unaskedPolkit(polkit.name, asking: polkit.asking)
          : StackText.polkit(polkit.name, asking: polkit.asking))
    }
    let others = doors.openOthers()
    let (asking, unasked) = (others.filter { !doors.asksNobody($0) }, others.filter(doors.asksNobody))
    if !asking.isEmpty { context.result(StackText.openOthers(asking)) }
    if !unasked.isEmpty { context.result(StackText.unaskedOthers(unasked)) }
  }
}

/// Makes PAM services ask for the password again, one after the other, and prints what was done.
struct DisablingRun {
  private let disabling: ServiceDisabling
  private let folder: String
  private let context: ToolContext

  init(in folder: PAMFolder, context: ToolContext) {
    disabling = ServiceDisabling(
      in: folder, vendors: context.installation.vendorPAMFolders, isMountPoint: context.installation.isMountPoint)
    self.folder = folder.path
    self.context = context
  }

  /// - Parameters:
  ///   - service: the service's name; nil for all services that were enabled.
  ///   - isAlone: whether services of the same program under other names are left unchanged.
  /// - Returns: the exit status. It is that of a refusal if a service could not be changed or a line still asks for the
  ///   passcode; the other services are changed all the same.
  /// - Throws: ``ToolError/stack(_:)`` if nothing was changed.
  func run(_ service: String?, isAlone: Bool) throws(ToolError) -> ToolExit {
    let services = try services(service, isAlone: isAlone)
    var isComplete = true
    for service in services {
      do throws(StackError) {
        for line in try disabling.run(service) { context.result(line) }
      } catch {
        context.failure(error)
        isComplete = false
        // The files are read-only, so no other service can be changed either.
        if error.isOfReadOnlyFiles { return .refused }
      }
    }
    for name in disabling.remaining(among: service == nil ? nil : services) {
      context.failure(StackText.stillAsks(path: "\(folder)/\(name)"), hint: StackAdvice(about: name))
      isComplete = false
    }
    DoorReport(folder, in: context).tellOpenNames(of: services)
    return isComplete ? .success : .refused
  }

  private func services(_ name: String?, isAlone: Bool) throws(ToolError) -> [PAMService] {
    guard let name else { return disabling.candidates() }
    do throws(StackError) {
      return try disabling.services(named: name, isAlone: isAlone)
    } catch {
      throw .stack(error)
    }
  }
}

/// The administrator at the terminal, who logs in when a changed stack is tried.
struct TerminalAnswerer: StackAnswerer {
  private let terminal: CInt
  private let context: ToolContext

  /// Nil if there is no terminal.
  init?(in context: ToolContext) {
    guard let terminal = context.terminal else { return nil }
    self.terminal = terminal
    self.context = context
  }

  func answer(_ question: String, isShown: Bool) -> Secret? {
    let person = TerminalPerson(terminal, in: context)
    let form = EntryForm(display: isShown ? .shown : person.hiddenDisplay, capacity: WireLimit.answer, length: nil)
    guard let entry = try? person.ask(question, form), case .value(let value) = consume entry else { return nil }
    return value
  }

  func hear(_ text: String) { context.output.note(text) }
}

extension ToolContext {
  /// Whether the parts of this machine that a login needs are in order; reports those that are not.
  private var isUsable: Bool {
    let failures = Examination.failures(of: installation)
    for finding in failures { output.note(finding.line(in: language, colours: false)) }
    return failures.isEmpty
  }

  /// The facts about this machine that a change of PAM's services needs.
  var pamSite: PAMSite {
    let registered = RegisteredAccounts(
      of: installation, accounts: caller.accounts, core: StatusQuery(in: self, configuration: nil))
    return PAMSite(
      vendorFolders: installation.vendorPAMFolders, moduleFolders: installation.moduleFolders,
      templateFolder: installation.templateFolder, trialParent: installation.trialParent, owner: installation.owner,
      accounts: caller.accounts, passwords: installation.passwords, tester: installation.tester,
      sudo: installation.readSudoers(), ssh: installation.readSSH(),
      displayManagers: installation.readDisplayManagers(),
      isMountPoint: installation.isMountPoint, isRegistered: registered.has,
      isUsable: { isUsable },
      hidesRegistrations: { Examination.hidesRegistrations(from: $0, on: installation) },
      today: { today.description },
      sshObstacle: { Examination.sshObstacle(of: installation, isSecondFactor: $0) })
  }
}
