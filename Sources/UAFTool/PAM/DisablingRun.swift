import PAMStacks

/// Makes services ask for the password again, one after the other, and prints what was done.
struct DisablingRun {
  private let disabling: ServiceDisabling
  private let folder: String
  private let context: ToolContext

  init(in folder: PAMFolder, context: ToolContext) {
    disabling = ServiceDisabling(in: folder, vendors: context.installation.vendorPAMFolders)
    self.folder = folder.path
    self.context = context
  }

  /// - Parameters:
  ///   - service: the service's name; nil for every one that was enabled.
  ///   - isAlone: whether other names of the same program are left as they are.
  /// - Returns: how the program ends. It is a refusal if one service failed or a line still asks; the other services are done all
  ///   the same.
  /// - Throws: ``ToolError/stack(_:)`` where nothing is done.
  func run(_ service: String?, isAlone: Bool) throws(ToolError) -> ToolExit {
    let services = try services(service, isAlone: isAlone)
    var isComplete = true
    for service in services {
      do throws(StackError) {
        for line in try disabling.run(service) { context.result(line) }
      } catch {
        context.failure(error)
        isComplete = false
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
