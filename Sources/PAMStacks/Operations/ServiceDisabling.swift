import ServiceNames

/// Makes services ask for the password again.
package struct ServiceDisabling {
  private let folder: PAMFolder
  private let vendors: [String]
  private let reader: PAMDirectory

  /// - Parameters:
  ///   - folder: the folder of the services.
  ///   - vendors: the folders libpam looks into where the first has no file of a service.
  package init(in folder: PAMFolder, vendors: [String]) {
    self.folder = folder
    self.vendors = vendors
    reader = PAMDirectory(path: folder.path)
  }

  /// Every service that may have been enabled, by name.
  package func candidates() -> [PAMService] {
    let names = (reader.services() ?? []).map { name in
      name.hasPrefix(PAMService.prefix) ? String(name.dropFirst(PAMService.prefix.count)) : name
    }
    return Set(names).sorted().compactMap { try? PAMService($0) }.filter { service in
      // Another file, such as a link, is not ours, and it need not be changeable.
      reader.inclusions(of: service.name).contains(service.stackName) || reader.bytes(of: service.stackName) != nil
        || reader.bytes(of: service.backupName) != nil
    }
  }

  /// The named service and, if that is a program's main name, its other names that were enabled.
  ///
  /// The main name is first: it must never ask for the passcode while another name does not. Either all names of a program are
  /// restored, or none.
  ///
  /// - Parameter isAlone: whether the other names stay as they are.
  /// - Throws: ``StackError``.
  package func services(named name: String, isAlone: Bool) throws(StackError) -> [PAMService] {
    let service = try PAMService(name)
    try refuseUnknown(service)
    var services = [service]
    if !isAlone, let family = ServiceFamily.of(name), family.main == name {
      services += candidates().filter { family.members.contains($0.name) }
    }
    for service in services { _ = try StackDisabling(service: service, folder: Rehearsal(folder)).run() }
    return services
  }

  /// Restores one service.
  ///
  /// - Returns: what was done, a line each; empty where there was nothing to do.
  /// - Throws: ``StackError``.
  package func run(_ service: PAMService) throws(StackError) -> [StackText] {
    try StackDisabling(service: service, folder: folder).run()
  }

  /// The files that still name the module or a stack of ours.
  ///
  /// - Parameter services: the only ones that count; nil: every file.
  package func remaining(among services: [PAMService]?) -> [String] {
    (reader.services() ?? []).filter { name in
      guard services?.contains(where: { $0.name == name || $0.stackName == name }) ?? true else { return false }
      return reader.ownLines(of: name).contains(where: \.asksOwnModule)
        || reader.inclusions(of: name).contains {
          $0.hasPrefix(PAMService.prefix) && reader.ownLines(of: $0).contains(where: \.asksOwnModule)
        }
    }
  }

  /// Refuses a name without a service and without files of an earlier change: a typing error must not look like a success.
  private func refuseUnknown(_ service: PAMService) throws(StackError) {
    let own = [service.name, service.stackName, service.backupName]
    guard !own.contains(where: { reader.bytes(of: $0) != nil }),
      !vendors.contains(where: { PAMDirectory(path: $0).bytes(of: service.name) != nil })
    else { return }
    throw .noService(service.name, folders: [folder.path] + vendors)
  }
}
