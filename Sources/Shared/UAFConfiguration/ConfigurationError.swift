import AuthenticatorTypes
import FidoResults

/// Why there is no usable configuration: result 1001, logged before the person is asked anything.
public enum ConfigurationError: Error, Equatable, Sendable {
  /// The file is not trusted or cannot be read.
  case file(path: String, ConfigurationFileProblem)
  /// The file is not TOML.
  case syntax(path: String, line: Int, problem: TOMLProblem)
  /// A key is unknown or its value is refused.
  case key(path: String, line: Int, key: String, problem: SettingProblem)
  /// A module argument is unknown or its value is refused.
  case argument(String, problem: ModuleArgumentProblem)
}

extension ConfigurationError {
  /// The name of the module argument that is wrong; nil for anything else.
  public var argument: String? {
    if case .argument(let name, _) = self { name } else { nil }
  }

  /// Whether root's text is at fault; false if the machine could not read it now.
  public var isRoots: Bool {
    if case .file(_, let problem) = self { return problem.isRoots }
    return true
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// Where the error is, what is wrong, and what is allowed; one line, fit for a log.
  public var description: String {
    switch self {
    case .file(let path, let problem): "\(Self.shown(path)): \(problem)"
    case .syntax(let path, let line, let problem): "\(Self.shown(path)):\(line): \(Self.shown("\(problem)"))"
    case .key(let path, let line, let key, let problem):
      "\(Self.shown(path)):\(line): \(Self.shown(key)): \(Self.shown("\(problem)"))"
    case .argument(let argument, let problem): "module argument \(Self.shown(argument)): \(Self.shown("\(problem)"))"
    }
  }

  private static func shown(_ text: String) -> String { Text.cleaned(text, limit: 256) }
}

/// The origin of a setting's value, for settings that root can let the server decide.
public struct SettingOrigin: Equatable, Sendable {
  /// The setting's section and name, as in the configuration.
  public let key: String
  /// The value that applies, for people.
  public let value: String
  /// `default`, a file with its line, or the policy with its version.
  public let origin: String
}

/// Finds the origin of each value that a server's policy can change.
public struct SettingOrigins {
  private let own: Configuration
  private let now: Configuration

  /// - Parameters:
  ///   - own: root's configuration.
  ///   - now: the configuration with the policy that is in force, if there is one.
  public init(own: Configuration, now: Configuration) {
    self.own = own
    self.now = now
  }

  /// All of them, in the order of the sections.
  public var all: [SettingOrigin] {
    passcodeOrigins()
      + [origin("pattern.min_nodes", own: own.pattern.minimumNodes, now: now.pattern.minimumNodes)]
      + lockOrigins("lock", .localDefault, own.lock, now.followed?.lock)
      + lockOrigins("lock.remote", .remoteDefault, own.remoteLock, now.followed?.remoteLock)
      + now.prompt.cancelTexts.sorted { $0.key.rawValue < $1.key.rawValue }.map { language, text in
        let isServers = own.policy.followed.contains(.promptTexts) && now.followed?.cancelTexts[language] != nil
        return SettingOrigin(
          key: "prompt.cancel_text.\(language.rawValue)", value: text,
          origin: isServers ? policyName : place("prompt.cancel_text"))
      }
  }

  private func passcodeOrigins() -> [SettingOrigin] {
    let (before, after) = (own.passcode.policy, now.passcode.policy)
    var origins = [
      origin("passcode.min_length", own: before.minimumLength, now: after.minimumLength),
      origin("passcode.max_length", own: before.maximumLength, now: after.maximumLength),
    ]
    for rule in PasscodeRule.allCases {
      let key = "passcode.rules.\(rule.rawValue)"
      origins.append(origin(key, own: before.rules[rule] != nil, now: after.rules[rule] != nil))
    }
    for (table, counts) in [
      ("ignore", (before.ignored.count, after.ignored.count)),
      ("regex", (before.expressions.count, after.expressions.count)),
    ] {
      if counts.0 > 0 {
        origins.append(
          SettingOrigin(key: "passcode.\(table)", value: "\(counts.0)", origin: place("passcode.\(table)")))
      }
      if counts.1 > counts.0 {
        origins.append(
          SettingOrigin(key: "passcode.\(table)", value: "\(counts.1 - counts.0)", origin: policyName))
      }
    }
    return origins
  }

  private func lockOrigins(
    _ section: String, _ preset: LockPolicy, _ settings: LockSettings, _ lent: LockSettings?
  ) -> [SettingOrigin] {
    let before = settings.laid(over: preset)
    let isLent = own.policy.followed.contains(.lock)
    let after = isLent ? lent.map { before.stricter($0.laid(over: before)) } ?? before : before
    func permanent(_ policy: LockPolicy) -> String { policy.maxLockCount.map { "\($0)" } ?? "never" }
    return [
      origin("\(section).retry_count_to_lock", own: before.retryCountToLock, now: after.retryCountToLock),
      origin(
        "\(section).lock_time", own: before.lockTime.components.seconds, now: after.lockTime.components.seconds),
      origin("\(section).max_lock_count", own: permanent(before), now: permanent(after)),
    ]
  }

  private func origin<Value: Equatable>(_ key: String, own: Value, now: Value) -> SettingOrigin {
    SettingOrigin(key: key, value: "\(now)", origin: own == now ? place(key) : policyName)
  }

  private var policyName: String { now.followed.map { LentSettings.name(of: $0.version) } ?? "default" }

  /// The file and line in which root has set a key; `default` if root has not set it.
  private func place(_ key: String) -> String { own.lines[key].map { "\($0.path):\($0.number)" } ?? "default" }
}
