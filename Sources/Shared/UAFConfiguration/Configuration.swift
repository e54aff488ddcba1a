// Purpose: everything that root has configured, checked, with defaults for everything else.

import AuthenticatorTypes
import ServiceNames

/// Root's configuration: what `pam_uaf.conf` and the files of `pam_uaf.conf.d` say, with defaults for what they leave out.
public struct Configuration: Sendable {
  /// The enabled types, at least one, none twice.
  public internal(set) var authenticators: [AuthenticatorType] = AuthenticatorType.allCases.filter(
    \.isEnabledByDefault)
  /// `[server]`; nil without it; then nobody can log in.
  public internal(set) var server: ServerSettings?
  /// `[state]`.
  public internal(set) var state = StateSettings()
  /// `[tpm]`.
  public internal(set) var tpm = TPMSettings()
  /// `[general]`.
  public internal(set) var general = GeneralSettings()
  /// `[passcode]`.
  public internal(set) var passcode = PasscodeSettings()
  /// `[pattern]`.
  public internal(set) var pattern = PatternSettings()
  /// `[biometric]`.
  public internal(set) var biometric = BiometricSettings()
  /// `[face]`.
  public internal(set) var face = FaceSettings()
  /// `[prompt]`.
  public internal(set) var prompt = PromptSettings()

  /// `[keyring]`.
  public internal(set) var keyring = KeyringSettings()

  /// `[policy]`.
  public internal(set) var policy = PolicySettings()

  /// The files that it was read from, in order; empty if there are only the defaults.
  public internal(set) var files: [String] = []

  var lock = LockSettings()
  var remoteLock = LockSettings()
  var typeLocks: [AuthenticatorType: LockSettings] = [:]
  var services: [String: ServiceSettings] = [:]
  /// The server's policy that applies in addition; nil for none.
  var followed: LentSettings?
  /// The line of each key.
  var lines: [String: ConfigurationLine] = [:]

  /// Defaults, without a server.
  public init() {}

  /// Where the configuration is unless `conf=` says otherwise.
  public static let defaultPath = "/etc/security/pam_uaf.conf"

  /// Whether uid 0 can be locked permanently.
  public var rootPermanentLock: Bool { lock.rootPermanentLock ?? false }

  /// Whether any login is allowed without the server.
  public var allowsOffline: Bool {
    general.offline == .allow || services.values.contains { $0.general.offline == .allow }
  }

  /// The enabled types with a sensor that may be used although the device key is bound to no chip.
  public var sensorsWithoutChip: [AuthenticatorType] {
    biometric.requiresChip ? [] : authenticators.filter { !$0.isTyped }
  }

  /// Whether an authenticator of a type can let somebody in without a typed secret.
  public func countsAlone(_ type: AuthenticatorType) -> Bool { type != .face || face.countsAlone }

  /// The keys of `[face]` without which an enabled face cannot be registered.
  public var missingOfFace: [String] {
    guard authenticators.contains(.face) else { return [] }
    let needsTemplates = biometric.isBoundToPrints && face.templates == nil
    return (face.busName == nil ? ["bus_name"] : []) + (needsTemplates ? ["templates"] : [])
  }

  /// When wrong entries lock an authenticator; remote attempts, and those of other users, have one policy for all types.
  ///
  /// Attempts of other users lock as remote ones do, but never permanently: another account must not be able to cause that.
  public func lockPolicy(for type: AuthenticatorType, origin: AttemptOrigin) -> LockPolicy {
    var policy = remoteLock.laid(over: .remoteDefault)
    switch origin {
    case .local:
      let own = typeLocks[type] ?? LockSettings()
      return own.laid(over: lock.laid(over: type.defaultLock))
    case .remote: return policy
    case .otherUser:
      policy.maxLockCount = nil
      return policy
    }
  }

  /// The settings for entries of a type: from its section, or the type's defaults if it has none.
  public func rules(for type: AuthenticatorType) -> any EntryRules {
    let sections: [AuthenticatorType: any EntryRules] = [.passcode: passcode.rules, .pattern: pattern.rules]
    return sections[type] ?? type.defaultRules()
  }

  /// The settings for a PAM service; nil stands for callers that are not allowed to name their service.
  ///
  /// The section of a program's main name applies to its other names, too: `[service.sudo]` applies to `sudo -i`.
  public func settings(for service: String?) -> ServiceSettings {
    let names = service.map { [$0] + (ServiceFamily.of($0).map { [$0.main] } ?? []) } ?? []
    var settings =
      names.lazy.compactMap { services[$0] }.first ?? ServiceSettings(general: general, prompt: prompt)
    let isInteractive = names.contains(where: PromptSettings.interactiveServices.contains)
    settings.prompt.interactive = settings.prompt.interactive ?? isInteractive
    return settings
  }

  /// Whether some service hides the states of accounts from such callers.
  public func hidesStates(remote: Bool) -> Bool {
    general.hidesState(remote: remote) || services.values.contains { $0.general.hidesState(remote: remote) }
  }

  /// Reads the configuration: its file, then the files `*.conf` of the folder of the same name with `.d`, in the order of their
  /// names.
  ///
  /// - Parameters:
  ///   - path: `conf=`; nil for the default, which may be missing: then the defaults apply, without a server.
  ///   - defaultPath: a parameter for tests.
  ///   - requiredOwner: the uid that must own the files.
  /// - Throws: ``ConfigurationError``.
  public static func load(
    path: String?, defaultPath: String = defaultPath, requiredOwner: UInt32 = 0
  ) throws(ConfigurationError) -> Configuration {
    let documents = try documents(path: path, defaultPath: defaultPath, requiredOwner: requiredOwner)
    return try Configuration(documents, path: path ?? defaultPath)
  }

  /// The files that ``load(path:defaultPath:requiredOwner:)`` reads, in their order.
  ///
  /// Each was checked: only its owner can have written it.
  ///
  /// - Throws: ``ConfigurationError/file(path:_:)``.
  public static func documents(
    path: String?, defaultPath: String = defaultPath, requiredOwner: UInt32 = 0
  ) throws(ConfigurationError) -> [ConfigurationDocument] {
    let main = path ?? defaultPath
    var documents: [ConfigurationDocument] = []
    do throws(ConfigurationFileProblem) {
      let bytes = try ConfigurationFile.read(path: main, requiredOwner: requiredOwner)
      documents.append(ConfigurationDocument(path: main, bytes: bytes))
    } catch {
      guard path == nil, error == .missing else { throw .file(path: main, error) }
    }
    return documents + (try DropInFolder.documents(of: main, requiredOwner: requiredOwner))
  }

  /// Reads one file, without a folder next to it.
  ///
  /// - Throws: ``ConfigurationError``.
  public static func load(
    onlyFile path: String, requiredOwner: UInt32
  ) throws(ConfigurationError) -> Configuration {
    let bytes: [UInt8]
    do {
      bytes = try ConfigurationFile.read(path: path, requiredOwner: requiredOwner)
    } catch {
      throw .file(path: path, error)
    }
    return try Configuration(parsing: bytes, path: path)
  }

  /// Reads a configuration's text; `path` is only for errors.
  ///
  /// - Throws: ``ConfigurationError``.
  public init(parsing bytes: [UInt8], path: String) throws(ConfigurationError) {
    try self.init([ConfigurationDocument(path: path, bytes: bytes)], path: path)
  }

  /// Reads documents in their order; `path` is for errors that concern none of them.
  ///
  /// - Throws: ``ConfigurationError``; this does not check for too many files.
  public init(_ documents: [ConfigurationDocument], path: String) throws(ConfigurationError) {
    var reader = ConfigurationReader(path: path, filling: Configuration())
    self = try reader.read(documents)
    files = documents.map(\.path)
  }
}

extension Configuration {
  /// Each section with settings for logins: `general`, and `service.NAME` for every service that has its own.
  public var sections: [(name: String, settings: ServiceSettings)] {
    let own = services.sorted { $0.key < $1.key }.map { (name: "service.\($0.key)", settings: $0.value) }
    return [(name: "general", settings: ServiceSettings(general: general, prompt: prompt))] + own
  }
}

// Arguments and configuration that contradict each other.

extension Configuration {
  /// Refuses arguments that contradict this configuration.
  ///
  /// A secret that was typed at another module's prompt was typed without the shuffled keypad and the text of the transaction,
  /// so `try_first_pass` and `use_first_pass` are refused with either. `nouserok` together with `hide_state` is not an error,
  /// it just has no effect: an error would be PAM_SERVICE_ERR, after which the profile of pam-auth-update would ask everybody
  /// only for the password.
  ///
  /// - Throws: ``ConfigurationError/argument(_:problem:)``.
  public func check(_ arguments: ModuleArguments, service: String?) throws(ConfigurationError) {
    let settings = settings(for: service)
    if arguments.firstPass != .ignored {
      let name = arguments.firstPass == .used ? "use_first_pass" : "try_first_pass"
      guard passcode.keypad == .plain else { throw .argument(name, problem: .shuffledKeypad) }
      guard !settings.transaction else { throw .argument(name, problem: .transaction) }
      guard server?.acceptedTransactions != .any else { throw .argument(name, problem: .anyTransaction) }
    }
    if let type = arguments.authenticator.flatMap(AuthenticatorType.init(nameOrAAID:)) {
      guard authenticators.contains(type) else {
        throw .argument("authenticator", problem: .notEnabled(type.rawValue))
      }
    }
  }
}

extension Configuration {
  /// The version of the policy that applies in addition to root's values; nil for none.
  public var policyVersion: Int64? { followed?.version }

  /// When wrong entries lock an authenticator of anybody but root: for each key, the stricter of root's and the server's values.
  ///
  /// Attempts of other users still never cause a permanent lock.
  public func followedLockPolicy(for type: AuthenticatorType, origin: AttemptOrigin) -> LockPolicy {
    let own = lockPolicy(for: type, origin: origin)
    guard let followed, policy.followed.contains(.lock) else { return own }
    let lent = origin == .local ? followed.lock : followed.remoteLock
    var stricter = own.stricter(lent.laid(over: own))
    if origin == .otherUser { stricter.maxLockCount = nil }
    return stricter
  }
}

extension Configuration {
  /// Settings that this version reads and checks although they change nothing: each as section and key.
  public var withoutEffect: [String] {
    var names: [String] = []
    if general.offlineMaximumAge != nil, !allowsOffline { names.append("general.offline_max_age") }
    let canJoin = server?.requiresSignedVerdict == true && server?.dialect.isWebAuthn == false
    if !policy.followed.isEmpty, !canJoin { names.append("policy.follow") }
    for (name, service) in services.sorted(by: { $0.key < $1.key }) where service.general.offline == .deny {
      // A service inherits keys from [general], or from its program's main name. Inherited keys are reported only there.
      let above = ServiceFamily.of(name).flatMap { name == $0.main ? nil : services[$0.main]?.general } ?? general
      guard service.general.offlineMaximumAge != above.offlineMaximumAge else { continue }
      names.append("service.\(name).offline_max_age")
    }
    return names
  }
}
