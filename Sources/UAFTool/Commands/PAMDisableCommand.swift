import ArgumentParser
import HostSystem
import ServiceNames
import UAFConfiguration

/// `uafctl pam disable`.
struct PAMDisableCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Has a service, or all, ask for the password again; root only.",
    discussion: """
      Puts the one line back that enable changed, and removes the stack; other lines stay as they are, and a stack that \
      was edited is kept under a hidden name. Fails, and names them, where lines that ask for the passcode remain: those \
      that uafctl did not write are never touched. With a program's main name, such as sudo, its other names, such as sudo-i, \
      stop asking as well.
      """)

  @Argument(help: "The service, such as sudo.", completion: Completion.enabledServices)
  var service: String?

  @Flag(help: "Every service that was enabled.")
  var all = false

  @Flag(help: "Leaves other names of the same program as they are, such as sudo-i beside sudo.")
  var only = false

  @OptionGroup var pamFolder: PAMFolderOption

  func validate() throws {
    if all == (service != nil) { throw ValidationError(UsageMistake.serviceOrAll.english) }
    if all, only { throw ValidationError(UsageMistake.onlyWithoutService.english) }
  }

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let reader = PAMDirectory(path: pamFolder.path)
    if all, surroundings.caller.isRoot, case .failure(let error) = FileState.of(pamFolder.path), error.isAbsence {
      return .success
    }
    let folder = try pamFolder.open(in: surroundings)
    let services: [PAMService]
    do throws(StackError) {
      if let service { try refuseUnknown(service, reader, surroundings.installation.vendorPAMFolders) }
      services = try service.map { name throws(StackError) in try named(name, reader) } ?? Self.candidates(reader)
      // Of a program's names either all can be put back, or none is.
      if !all { for service in services { _ = try StackDisabling(service: service, folder: Rehearsal(folder)).run() } }
    } catch {
      throw .stack(error)
    }
    var isComplete = true
    for service in services {
      do throws(StackError) {
        for line in try StackDisabling(service: service, folder: folder).run() { surroundings.result(line) }
      } catch {
        surroundings.failure(error)
        isComplete = false
      }
    }
    for name in Self.remaining(reader, among: all ? nil : services) {
      surroundings.failure(StackText.stillAsks(path: folder.path(of: name)), hint: Self.advice(name))
      isComplete = false
    }
    for member in pamFolder.doors(in: surroundings).openMembers() {
      guard services.contains(where: { $0.name == member.name }) else { continue }
      surroundings.note(StackText.otherName(member.name, asking: member.asking))
    }
    return isComplete ? .success : .refused
  }

  /// A name that no file has, of a service or of what enabling leaves behind: a slip of the keys must not look like a success.
  private func refuseUnknown(_ name: String, _ reader: PAMDirectory, _ vendors: [String]) throws(StackError) {
    let service = try PAMService(name)
    let own = [service.name, service.stackName, service.backupName]
    guard !own.contains(where: { reader.bytes(of: $0) != nil }),
      !vendors.contains(where: { PAMDirectory(path: $0).bytes(of: name) != nil })
    else { return }
    throw .noService(name, folders: [pamFolder.path] + vendors)
  }

  /// The service that was named and, where that is a program's main name, its other names that were enabled.
  ///
  /// The main name goes first, so that at no moment it asks for the passcode while another name does not.
  private func named(_ name: String, _ reader: PAMDirectory) throws(StackError) -> [PAMService] {
    let service = try PAMService(name)
    guard !only, let family = ServiceFamily.of(name), family.main == name else { return [service] }
    return [service] + Self.candidates(reader).filter { family.members.contains($0.name) }
  }

  /// Whatever may have been enabled.
  private static func candidates(_ reader: PAMDirectory) -> [PAMService] {
    let names = (reader.services() ?? []).map { name in
      name.hasPrefix(PAMService.prefix) ? String(name.dropFirst(PAMService.prefix.count)) : name
    }
    return Set(names).sorted().compactMap { try? PAMService($0) }.filter { service in
      // Another file, a link for example, is none of ours and need not be one that could be changed.
      reader.inclusions(of: service.name).contains(service.stackName) || reader.bytes(of: service.stackName) != nil
        || reader.bytes(of: service.backupName) != nil
    }
  }

  /// The files that name the module or a stack of ours after all.
  private static func remaining(_ reader: PAMDirectory, among services: [PAMService]?) -> [String] {
    (reader.services() ?? []).filter { name in
      guard services?.contains(where: { $0.name == name || $0.stackName == name }) ?? true else { return false }
      return reader.ownLines(of: name).contains(where: \.asksOwnModule)
        || reader.inclusions(of: name).contains {
          $0.hasPrefix(PAMService.prefix) && reader.ownLines(of: $0).contains(where: \.asksOwnModule)
        }
    }
  }

  private static func advice(_ name: String) -> StackAdvice { name.hasPrefix("common-") ? .authUpdate : .byHand }
}
