import AuthenticatorTypes
import Doctor
import FidoResults
import Glibc
import SecretMemory
import TerminalPrompts
import UAFConfiguration
import UAFWire
import Wording

/// Checks one passcode against the rules, and prints what is wrong with it.
struct ValueTrial {
  private let context: ToolContext
  private let source: PolicySource
  private let rules: TrialRules

  /// - Throws: ``ToolError/configuration(_:)`` if the server's policy contradicts the configuration file.
  init(_ source: PolicySource, in context: ToolContext) throws(ToolError) {
    self.context = context
    self.source = source
    rules = try TrialRules(source, core: StatusQuery(in: context, configuration: source.path))
  }

  /// Asks for a passcode and prints each problem with it on its own line.
  ///
  /// - Returns: whether the passcode would be accepted, or that the server's policy could not be applied and might refuse it.
  /// - Throws: ``ToolError``: `noValue`, `terminalFailed`, `outOfMemory`.
  func run() throws(ToolError) -> ToolExit {
    let problems = try problems()
    for problem in problems { context.output.result(line(problem)) }
    if let untried = rules.untried {
      context.failure(PolicyTrialText.untried(untried))
    } else if problems.isEmpty {
      context.note(ToolText.meetsRules)
    }
    if context.caller.isRoot { tellWaiting() }
    guard problems.isEmpty else { return .refused }
    return rules.untried == nil ? .success : .unreachable
  }

  private func line(_ found: TrialRules.Problem) -> String {
    let origin = found.policy.map { " " + ToolText.ofPolicy($0).text(in: context.language) } ?? ""
    return "\(found.problem.key): \(found.problem.message(in: context.language))\(origin)"
  }

  /// For root, prints the accounts for which new lock options have no effect yet (3015).
  private func tellWaiting() {
    let folder = source.configuration.state.directory
    do throws(StatusFailure) {
      let survey = try AccountSurvey(
        folder, of: context.installation.registered(folder), accounts: context.caller.accounts,
        core: StatusQuery(in: context, configuration: source.path))
      if !survey.waiting.isEmpty { context.failure(PeopleText.waiting(survey.waiting)) }
    } catch {
      context.failure(PeopleText.unasked(error))
    }
  }

  private func problems() throws(ToolError) -> [TrialRules.Problem] {
    if let terminal = context.terminal {
      let person = TerminalPerson(terminal, in: context)
      let form = EntryForm(display: person.hiddenDisplay, capacity: WireLimit.answer)
      switch try person.ask(ToolText.valueQuestion.text(in: context.language), form) {
      case .value(let value): return value.withBytes { rules.problems($0) }
      case .cancelled: throw .noValue
      }
    }
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try LineInput(descriptor: context.input).next(capacity: WireLimit.answer)
    }
    switch consume line {
    case .bytes(let value): return value.withBytes { rules.problems($0) }
    // The policy treats a NUL like any other control character.
    case .unusable: return rules.problems([0 as UInt8].span)
    case .end: throw .noValue
    }
  }
}

/// The rules for passcodes that apply: those of the configuration file and, if that file follows the server, those of the
/// server's policy in force.
struct TrialRules {
  /// A problem with a passcode, and the source of the rule.
  struct Problem: Equatable {
    let problem: PasscodeProblem
    /// The version of the server's policy that has the rule; nil if the configuration file has it.
    let policy: Int64?
  }

  /// The rules of the configuration file.
  private let own: PasscodePolicy
  /// The rules of the file and of the server's policy merged; nil if no policy of the server is in force.
  private let followed: (policy: PasscodePolicy, version: Int64)?
  /// Why the server's policy could not be applied; nil if it was, or none is in force.
  let untried: StatusFailure?

  /// Finds the rules.
  ///
  /// If the configuration file lets the server decide `[passcode]`, this asks the core for the server's policy.
  ///
  /// A file that root did not write is used alone, because no core uses it.
  ///
  /// - Throws: ``ToolError/configuration(_:)`` if the server's policy contradicts the file.
  init(_ source: PolicySource, core: some StatusSource) throws(ToolError) {
    let configuration = source.configuration
    own = configuration.passcode.policy
    guard source.isRoots, configuration.server != nil, configuration.policy.followed.contains(.passcode) else {
      (followed, untried) = (nil, nil)
      return
    }
    let state: FollowedPolicyState?
    do throws(StatusFailure) { state = try core.own().policy } catch {
      (followed, untried) = (nil, error)
      return
    }
    guard let version = state?.version else {
      (followed, untried) = (nil, nil)
      return
    }
    guard let text = state?.text else {
      (followed, untried) = (nil, StatusFailure(PolicyTrialText.notTold(version: version)))
      return
    }
    do throws(ConfigurationError) {
      let lent = try LentSettingsReader.settings(text, version: version)
      let merged = try PolicyMerge(own: configuration, lent: lent).merged()
      (followed, untried) = ((merged.passcode.policy, version), nil)
    } catch { throw .configuration(.unusable(error)) }
  }

  /// The problems with a passcode.
  ///
  /// A problem that it does not have by the file's rules alone comes from the server's policy.
  func problems(_ value: Span<UInt8>) -> [Problem] {
    let ofFile = own.check(value)
    guard let followed else { return ofFile.map { Problem(problem: $0, policy: nil) } }
    return followed.policy.check(value).map { problem in
      Problem(problem: problem, policy: ofFile.contains(problem) ? nil : followed.version)
    }
  }
}

/// The configuration whose rules a passcode is checked against.
///
/// Only the caller sees the outcome, so the caller's own file is allowed as well as root's. A third person's file is refused:
/// its regular expressions would be applied to what the caller types.
struct PolicySource {
  let configuration: Configuration
  /// The path of the file as the caller named it; nil for this machine's configuration.
  let path: String?
  /// Whether root wrote the file, so that the core uses it too.
  let isRoots: Bool

  /// Reads the configuration at `path`.
  ///
  /// Without a path it is that of this machine, or the defaults if the machine has none.
  ///
  /// - Parameter path: the absolute path given with `--conf`.
  /// - Throws: ``ToolError/configuration(_:)`` with file, line and key.
  init(_ path: String?, in context: ToolContext) throws(ToolError) {
    let root = context.installation.owner
    let standard = context.installation.configurationPath
    let caller = context.caller.userID
    do throws(ConfigurationError) {
      if let path, caller != root, Self.isOwned(path, by: caller) {
        configuration = try Configuration.load(path: path, requiredOwner: caller)
        isRoots = false
      } else {
        configuration = try Configuration.load(path: path, defaultPath: standard, requiredOwner: root)
        isRoots = true
      }
      self.path = path
    } catch {
      guard caller != root, case .file(let path, let problem) = error else { throw .configuration(.unusable(error)) }
      switch problem {
      case .owner: throw .configuration(.notYours(path: path))
      // The usual advice, written for root, is to take over the folder. Nobody must do that to a home directory.
      case .directoryOwner(let folder):
        throw .configuration(.folderNotYours(path: path, folder: folder))
      default: throw .configuration(.unusable(error))
      }
    }
  }

  /// Whether the file belongs to this uid, which decides only which rule of ownership applies.
  ///
  /// The rule itself is checked on the open file. A missing file may have been meant as the caller's own.
  private static func isOwned(_ path: String, by userID: uid_t) -> Bool {
    var state = stat()
    // SAFETY: the path lives for the call, and `state` is a stat.
    return unsafe lstat(path, &state) != 0 || state.st_uid == userID
  }
}

/// The texts about the server's policy when a passcode is checked.
enum PolicyTrialText: FindingCatalogue {
  /// The server's policy could not be applied, and may refuse what the file accepts.
  case untried(StatusFailure)
  /// The core says that this version of the policy is in force, but does not report its rules.
  case notTold(version: Int64)

  var english: FindingText {
    switch self {
    case .untried(let failure):
      FindingText(
        "the server's policy was not tried, and may refuse it: \(failure.english.what)", do: failure.english.remedy)
    case .notTold(let version):
      FindingText(
        "the core does not tell the rules of policy \(version)",
        do: "run the core and uafctl of one release (uafctl doctor)")
    }
  }

  var korean: FindingText {
    switch self {
    case .untried(let failure):
      FindingText(
        "서버의 정책으로는 시험하지 못했습니다. 그 정책이 이 값을 거절할 수 있습니다: \(failure.korean.what)", do: failure.korean.remedy)
    case .notTold(let version):
      FindingText(
        "코어가 정책 \(version)의 규칙을 알려 주지 않습니다", do: "코어와 uafctl을 같은 릴리스로 맞추십시오(uafctl doctor)")
    }
  }
}
