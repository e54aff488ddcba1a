import Glibc
import HostSystem
import PAMStacks
import UAFConfiguration

/// The PAM services that mention the module: whether the right people, and nobody else, get in when it refuses.
struct PAMCheck {
  let directory: String
  let moduleFolders: [String]
  /// Where libpam looks for services of which the folder has no file.
  let vendorFolders: [String]
  /// Who must own the module.
  let owner: uid_t
  /// Groups, and the state of passwords.
  let passwords: any PasswordDirectory
  /// Whether passwords can be looked at.
  let isRoot: Bool
  /// Whether the configuration hides states from every caller of a service, local or remote.
  var hidesState: (String) -> Bool = { _ in false }
  /// Why arguments of the module cannot go with the configuration of a service; nil if they can.
  var contradiction: (ModuleArguments, String) -> ConfigurationError? = { _, _ in nil }
  /// Whether the configuration lets `account_check` ask the server.
  var canAskStates = true
  /// What sudo asks for.
  var sudo = SudoSettings()

  func findings() -> [Finding] {
    let folder = PAMDirectory(path: directory, vendors: vendorFolders)
    guard let services = folder.services() else {
      return [.failure(.pamFolder, PAMText.noFolder(directory))]
    }
    let loose =
      includes(folder, services) + unusedStacks(folder) + misspelt(folder, services) + twoReadings(folder, services)
      + carriageReturns(folder, services)
    // A shared part of stacks is judged where it is included, not alone. Any other included file may be a service too.
    let concerned = services.filter { service in
      !PAMService.isPart(service) && folder.wholeStack(of: service).contains(where: \.asksOwnModule)
    }
    guard !concerned.isEmpty else {
      return loose + profile(folder) + [.warning(.pamUnused, PAMText.unused(folder: directory))]
    }
    let lines = concerned.flatMap { folder.wholeStack(of: $0) }.filter(\.asksOwnModule)
    var stacks: [Finding] = []
    for service in concerned {
      let verdict = stack(service, folder.entries(of: service, in: "auth"))
      // A line that several services include is told once.
      let shared = [verdict].compactMap(\.self) + argumentFindings(service, folder)
      for finding in shared where !stacks.contains(finding) { stacks.append(finding) }
      stacks += lineFindings(service, folder.wholeStack(of: service))
    }
    return modules(lines) + loose + profile(folder) + stacks + otherDoors()
      + rescue(folder, concerned)
  }

  /// Whether the modules that the lines name exist.
  private func modules(_ lines: [PAMLine]) -> [Finding] {
    var names: [String] = []
    for line in lines where !names.contains(line.module) { names.append(line.module) }
    return names.map { name in
      guard let place = place(of: name) else {
        return .failure(.pamModule, PAMText.noModule(name))
      }
      return objection(to: place) ?? .ok(PAMText.module(path: place))
    }
  }

  /// Where PAM finds the module of a line; nil if it finds none.
  func place(of module: String) -> String? {
    let places = module.hasPrefix("/") ? [module] : moduleFolders.map { $0 + "/" + module }
    return places.first { (try? FileState.of($0).get()) != nil }
  }

  /// Anybody who may write to the module decides who gets in.
  private func objection(to place: String) -> Finding? {
    guard case .success(let state) = FileState.of(place), state.kind == S_IFREG else {
      return .failure(.pamModule, PAMText.moduleNoFile(path: place))
    }
    guard state.owner == owner, state.mode & 0o022 == 0 else {
      return .failure(.pamModule, PAMText.moduleOpen(path: place))
    }
    return nil
  }

  /// A service's stack; nil if it uses the module for something else than authentication.
  private func stack(_ service: String, _ entries: [StackEntry]) -> Finding? {
    guard let own = entries.first(where: \.line.asksOwnModule)?.line else { return nil }
    let reading = StackReading(entries)
    let file = "\(directory)/\(service)"
    let edited = editedStack(of: service)
    let refusal = reading.refusal
    if refusal == .letsIn { return .failure(.pamLetsIn, PAMText.letsIn(file: file)) }
    if own.decidesNothing { return .warning(.pamNoEffect, PAMText.noEffect(file: file)) }
    if refusal == .leavesToOthers {
      if let edited { return .failure(.pamEdited, PAMText.edited(file: edited, service: service)) }
      return .ok(PAMText.wayBehind(file: file))
    }
    if let line = reading.passing {
      // Where its refusal is none, it is one way in of several.
      guard own.refusalRefuses || edited != nil else { return .ok(PAMText.wayBefore(file: file)) }
      return .failure(.pamPassedOver, PAMText.passedOver(file: line.place.path, line: line.place.line))
    }
    return reading.leadsRescuersPast
      ? .ok(PAMText.wayPast(file: file)) : .warning(.pamNoWayIn, PAMText.noWayIn(file: file))
  }

  /// The stack of `uafctl pam enable` that a service includes, if somebody has edited it.
  private func editedStack(of service: String) -> String? {
    let entries = StackList(reader: PAMDirectory(path: directory)).entries() ?? []
    guard case .enabled(_, isEdited: true) = entries.first(where: { $0.name == service })?.origin else { return nil }
    return "\(directory)/\(PAMService.prefix)\(service)"
  }
}
