import CPAM
import Glibc
import HostSystem

/// A plan, tried before it is put in place.
///
/// libpam gets a folder as it would be, and is asked for somebody who enters nothing.
struct StackTrial {
  let plan: StackPlan
  let folder: TrialFolder
  /// The services as they will be.
  let reader: PAMDirectory
  let tester: any StackTester
  /// Where PAM looks for modules that are named without a folder.
  let moduleFolders: [String]
  /// The account it is tried with.
  let user: String

  /// Results of libpam for a line that it cannot load or understand.
  private static let broken: Set<CInt> = [
    PAM_OPEN_ERR, PAM_SYMBOL_ERR, PAM_BUF_ERR, PAM_MODULE_UNKNOWN, PAM_BAD_ITEM,
  ]

  /// Looks for what libpam could not load or understand.
  ///
  /// - Throws: ``StackError/trial(_:)``.
  func check() throws(StackError) {
    do throws(TrialProblem) { try checkModules() } catch { throw .trial(error) }
  }

  /// Tries the module, the stack and the whole service.
  ///
  /// - Returns: what was seen, a line each.
  /// - Throws: ``StackError/trial(_:)``.
  func run() throws(StackError) -> [StackText] {
    do throws(TrialProblem) {
      var seen = [try tryModule()]
      if !plan.service.changesPasswords { seen.append(try tryStack()) }
      seen.append(try tryService())
      return seen
    } catch {
      throw .trial(error)
    }
  }

  /// libpam takes a missing module for a refusal, which some control words pass over: so it is looked for beforehand.
  private func checkModules() throws(TrialProblem) {
    let file = ServiceFile(plan.stack)
    if let index = file.lines.indices.first(where: { !file.isUnderstood($0) }) {
      throw .noLine(index + 1, file: plan.service.stackName)
    }
    let lines = file.parsed
    guard lines.contains(where: \.asksOwnModule) else { throw .asksNothing }
    for line in lines where !line.isInclusion && !line.mayBeMissing && !line.moduleIsThere(in: moduleFolders) {
      throw .noModule(line.module, file: plan.service.stackName)
    }
    guard !plan.service.changesPasswords else { return }
    // What libpam cannot understand it takes for PAM_PERM_DENIED, as some modules answer, too: no trial shows it. One shows what
    // it cannot read.
    for entry in reader.entries(of: plan.service.name, in: "auth") where !entry.isSubstack && entry.line != .unreadable
    {
      guard entry.line.isWellFormed else { throw .noLine(entry.place.line, file: entry.place.path) }
      if entry.line.action(of: "module_unknown").refuses, !entry.line.moduleIsThere(in: moduleFolders) {
        throw .noModule(entry.line.module, file: "\(entry.place.path):\(entry.place.line)")
      }
    }
  }

  /// The module by itself, with the arguments it has in the stack: whether it reaches the core.
  private func tryModule() throws(TrialProblem) -> StackText {
    guard let line = ServiceFile(plan.stack).parsed.first(where: \.asksOwnModule) else { throw .asksNothing }
    let text = (["auth required", line.module] + line.arguments).joined(separator: " ") + "\n"
    let code = try cancelled(Array(text.utf8))
    switch code {
    case PAM_SUCCESS: throw .letsAnybodyIn(service: PAMLine.ownModule)
    case PAM_SYSTEM_ERR: throw .noCore(code)
    case PAM_SERVICE_ERR: throw .configuration
    // What libpam makes of a module that wants to be ignored, which nouserok lets it.
    case PAM_PERM_DENIED where !line.arguments.contains("nouserok"): throw .broken(service: plan.service.name, code)
    default:
      return .triedModule(user: user, code: code)
    }
  }

  /// The stack by itself: what stands before it in the service may let root in without a question.
  private func tryStack() throws(TrialProblem) -> StackText {
    let code = try cancelled(Array("@include \(plan.service.stackName)\n".utf8))
    guard code != PAM_SUCCESS else { throw .letsAnybodyIn(service: plan.service.stackName) }
    return .triedRefused(name: plan.service.stackName, user: user, code: code)
  }

  private func tryService() throws(TrialProblem) -> StackText {
    let service = plan.service.name
    let code = try cancelled(plan.after)
    guard !plan.service.changesPasswords else { return .triedRead(service: service) }
    guard code == PAM_SUCCESS else { return .triedRefused(name: service, user: user, code: code) }
    // `su` lets root in before it asks. That is as it was.
    guard try cancelled(plan.before) == code else { throw .letsAnybodyIn(service: service) }
    try folder.put(plan.after, as: service)
    return .triedAsBefore(name: service, user: user, code: code)
  }

  /// What libpam says to somebody who cancels, when the service's file holds `file`.
  private func cancelled(_ file: [UInt8]) throws(TrialProblem) -> CInt {
    let service = plan.service.name
    try folder.put(file, as: service)
    let code = try tester.cancelled(service, in: folder.path, as: user)
    if code == PAM_ABORT { throw .unreadable(service: service) }
    if Self.broken.contains(code) { throw .broken(service: service, code) }
    return code
  }
}
