import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFCrypto
import UAFWire

/// One call: the front end's *begin* packet, and the identity of the caller.
final class Call {
  let begin: Begin
  private(set) var caller: CallerIdentity

  init(_ begin: Begin, by caller: CallerIdentity) {
    self.begin = begin
    self.caller = caller
  }

  /// Whether the operation is a login, or the approval of a text that waits at the server.
  var isLogin: Bool { begin.operation == .authenticate }

  /// Records the name under which the opened account was registered; nil if there is no such account.
  func recognise(registeredName: [UInt8]?) { caller.recognise(registeredName: registeredName) }

  /// The account's name as it is shown to people.
  var shownName: String { Text.cleaned(String(decoding: caller.shownName ?? [], as: UTF8.self), limit: 64) }
}

/// The policy for one call, from root's configuration and the module arguments.
final class CallPolicy {
  let arguments: ModuleArguments
  let configuration: Configuration
  /// The configuration as it applies to the caller's service.
  let settings: ServiceSettings
  /// The language of texts for the person.
  let language: Language
  /// The keeper of the server's policy, which also has root's own configuration.
  let keeper: PolicyKeeper
  /// The server's policy, as far as it applies to this call.
  let standing: PolicyStanding
  private let call: Call

  /// Reads the module arguments, root's configuration, and the server's policy if the configuration follows one.
  ///
  /// - Parameters:
  ///   - now: called only if there is a server policy.
  ///   - keeping: makes the keeper of that policy, from root's configuration.
  /// - Throws: ``Ending`` (1001) if arguments or configuration cannot be used; 1007 if a file cannot be read at the moment.
  init(
    for call: Call, defaultPath: String, requiredOwner owner: UInt32, now: () -> BootTime,
    keeping: (Configuration) -> PolicyKeeper
  ) throws(Ending) {
    self.call = call
    let caller = call.caller
    // A peer that is not root can state any service name, so the name does not select a section of the configuration.
    let service = caller.isRoot ? caller.service : nil
    let own: Configuration
    do throws(ConfigurationError) {
      arguments = try ModuleArguments(parsing: call.begin.arguments.map { String(decoding: $0, as: UTF8.self) })
      // The configuration path of such a peer is ignored too: it could name any file that only root can read.
      own = try Configuration.load(
        path: caller.isRoot ? arguments.configurationPath : nil, defaultPath: defaultPath, requiredOwner: owner)
      try own.check(arguments, service: service)
      guard arguments.accountCheck == nil || call.begin.operation == .account else {
        throw .argument("account_check", problem: .notAccount)
      }
    } catch {
      throw .configuration(
        "\(error)", detail: caller.isRoot && caller.isTool ? .configuration(error) : nil, isRoots: error.isRoots)
    }
    keeper = keeping(own)
    standing = try keeper.standing(at: now)
    configuration = standing.configuration
    settings = configuration.settings(for: service)
    language = Language.matching(call.begin.localeText, default: settings.general.language)
  }

  // MARK: Texts and prompts

  /// Whether this caller must not be able to distinguish a wrong secret, a lock, an unregistered account and an unknown name.
  var hidesState: Bool {
    let caller = call.caller
    return caller.isRoot && !caller.isTool && settings.general.hidesState(remote: caller.origin == .remote)
  }

  /// Who can give the account a new secret with an enrolment code; the texts of this call depend on it.
  ///
  /// A person's code proves nothing unless verdicts are signed and the server certainly checks the code.
  var codeUse: CodeUse {
    let isRoot = call.caller.isRoot && call.caller.isTool
    if let server = configuration.server, !server.enrolment.takesCodes {
      return .noCodes(root: isRoot ? call.shownName : nil)
    }
    if isRoot { return .root(of: call.shownName) }
    return provesCodes ? .persons : .roots
  }

  /// Whether a code from a person who is not root can set a secret for an account that already has one.
  var provesCodes: Bool {
    guard let server = configuration.server else { return false }
    return server.requiresSignedVerdict && server.dialect == .fido
  }

  /// Whether one call may show more than one prompt.
  ///
  /// Some programs answer every prompt with the only string that they have, even the prompt for a list number. Except for
  /// uafctl, peers that are not root get only one prompt too.
  var isInteractive: Bool { call.caller.isTool || call.caller.isRoot && settings.prompt.interactive == true }

  /// Whether the host of this login shows the options of a prompt as a list, and takes what the person picks in it.
  ///
  /// Not with `hide_state`: the list would tell which authenticators the account has.
  var showsLists: Bool { call.isLogin && call.caller.isRoot && call.begin.showsLists && !hidesState }

  /// Whether the person can choose one of several authenticators.
  var canChoose: Bool { isInteractive || showsLists }

  /// Whether a stale secret is changed right after the login.
  ///
  /// uafctl has no account stage that would ask for the change.
  var changesStaleValue: Bool { isInteractive && !call.caller.isTool }

  /// How many entries one call allows; 1 if the call may show only one prompt.
  var tries: Int {
    guard isInteractive else { return 1 }
    return arguments.tries ?? settings.prompt.tries ?? (call.caller.isTool ? Self.triesOfTool : 1)
  }

  /// The limit for uafctl; sudo, sshd and login start a new call themselves.
  private static let triesOfTool = 3

  /// Root's text about what else a person who cancels can do to log in; nil if the operation is not a login.
  var cancelText: String? { call.isLogin ? settings.prompt.cancelTexts[language] : nil }

  /// Root's text that states the purpose of the prompt, in the person's language.
  var rootsReason: String? { settings.reason?.text(in: language) }

  /// Whether the last entry of the list of authenticators is to register anew.
  var offersNewRegistration: Bool {
    // Only our own server is known to check codes. With any other server, anybody might be able to set a new secret.
    settings.prompt.offersReset && call.isLogin && isInteractive && !hidesState
      && (configuration.server?.dialect ?? .fido) == .fido
  }

  /// Whether the account stage of this call may send a request to the server.
  var asksForState: Bool { settings.general.accountCheckOnline && !call.begin.isUnattended }

  // MARK: Authenticators

  /// The types that root has enabled, in the configuration's order.
  var enabledTypes: [AuthenticatorType] { configuration.authenticators }

  /// The type that the caller, root's module argument or the service's settings name for this call, in this order of
  /// precedence.
  ///
  /// - Returns: nil if none of them names one.
  /// - Throws: ``Ending``: 1012 for an unknown type, 2002 for a type that root has not enabled.
  func namedType() throws(Ending) -> AuthenticatorType? {
    let named = call.begin.authenticator.map { String(decoding: $0, as: UTF8.self) }
    guard let wanted = named ?? arguments.authenticator ?? settings.authenticator else { return nil }
    guard let type = AuthenticatorType(nameOrAAID: wanted) else {
      let isRoots = named == nil
      throw Ending(
        .invalidAuthenticatorType, text: isRoots ? .configurationError : nil, log: "no such authenticator type",
        isRoots ? .rootsFault : nil)
    }
    // Even an enabled type is refused here if its authenticators have no secret to change or reset.
    if !type.isTyped, let result = untyped {
      throw Ending(result, log: "\(type.rawValue) has no value that can be typed")
    }
    guard enabledTypes.contains(type) else {
      throw Ending(
        .noSuitableAuthenticator, because: .namedNotEnabled,
        log: "\(type.rawValue) is not in the configuration's authenticators")
    }
    return type
  }

  /// Whether a login that names a sensor may go on with a typed secret if the sensor cannot be used.
  var allowsValueAsFallback: Bool {
    call.isLogin && call.begin.payload == nil && configuration.biometric.allowsValueAsFallback
  }

  /// The result for a type without a typed secret; nil if the operation does not need one.
  private var untyped: FidoResult? {
    switch call.begin.operation {
    case .change: .changeInvalid
    case .reset: .resetInvalidType
    // A finger yields no secret that the password could be sealed under.
    case .keyringSet: .noSuitableAuthenticator
    default: nil
    }
  }

  /// The cause to report if the server does not accept the named type: either the caller or root's configuration named it.
  var namedNotAccepted: EndCause { call.begin.authenticator == nil ? .configuredNotAccepted : .namedNotAccepted }

  /// The types that a prompt names if registrations are hidden; they depend on the configuration only.
  var hiddenTypes: [AuthenticatorType] {
    if let named = try? namedType(), named.isTyped { return [named] }
    // They are in the order of ``AuthenticatorType``, not of the configuration. With hidden registrations, a sensor is never
    // used.
    let typed = AuthenticatorType.allCases.filter(\.isTyped)
    let enabled = typed.filter(enabledTypes.contains)
    return enabled.isEmpty ? typed : enabled
  }

  /// The name for ``hiddenTypes`` in texts.
  var hiddenKind: ValueKind { .oneOf(hiddenTypes.map(\.kind)) }

  // MARK: Attempts

  /// The lock policy for attempts of an origin.
  ///
  /// For root's own account, only root's configuration applies: no server can lock root out.
  func lockPolicy(_ type: AuthenticatorType, uid: UInt32, _ origin: AttemptOrigin) -> LockPolicy {
    guard uid != 0 else { return ownLockPolicy(type, uid: uid, origin) }
    return configuration.followedLockPolicy(for: type, origin: origin)
  }

  /// The lock policy according to root's configuration only.
  private func ownLockPolicy(_ type: AuthenticatorType, uid: UInt32, _ origin: AttemptOrigin) -> LockPolicy {
    var policy = configuration.lockPolicy(for: type, origin: origin)
    if uid == 0, !configuration.rootPermanentLock { policy.maxLockCount = nil }
    return policy
  }

  /// How many wrong secrets in a row the chip allows for an authenticator of an account.
  ///
  /// This depends only on root's configuration: the limit would stay in the chip even after the server's policy is gone.
  func shareLimit(_ type: AuthenticatorType, uid: UInt32) -> UInt32 {
    LockPolicy.shareLimit(
      local: ownLockPolicy(type, uid: uid, .local), remote: ownLockPolicy(type, uid: uid, .remote),
      otherUser: ownLockPolicy(type, uid: uid, .otherUser))
  }

  /// The cost of a key derivation.
  var derivationCost: Scrypt.Parameters { cost(StateSettings.defaultKDFCost) }

  /// The cost of a key derivation if the chip counts wrong secrets.
  var countedCost: Scrypt.Parameters { cost(StateSettings.defaultKDFCostWithIndex) }

  private func cost(_ preset: Int) -> Scrypt.Parameters {
    Scrypt.Parameters(logN: configuration.state.kdfCost ?? preset, r: 8, p: 2)
  }

  /// The maximum age of the server's last success, if it may replace an answer of the server.
  ///
  /// Nil if it must not: root does not allow it, there is a text to be confirmed, the caller is not root, or this is not a
  /// login.
  var offlineLimit: Duration? {
    guard call.isLogin, call.begin.payload == nil, call.caller.isRoot, !settings.transaction,
      call.begin.transaction == nil, settings.general.offline == .allow
    else { return nil }
    return settings.general.offlineMaximumAge
  }
}

/// The folder with the machine's state, and the uid that must own it.
final class StateFolder {
  let path: String
  let owner: UInt32
  private let key: DeviceKeySource
  /// What stores the shares of the accounts' keys.
  private let shares: any ShareKeeper
  /// The open folder, if it is kept for the next call of ``open()``.
  private var kept: StateDirectory?

  init(path: String, owner: UInt32, key: DeviceKeySource, shares: any ShareKeeper) {
    self.path = path
    self.owner = owner
    self.key = key
    self.shares = shares
  }

  /// Opens the folder.
  ///
  /// - Throws: ``Ending``.
  func open() throws(Ending) -> StateDirectory {
    if let directory = kept.take() { return directory }
    let opened = try key.key()
    do throws(StateError) { return try StateDirectory(path, owner: owner, unsealed: opened, shares: shares) } catch {
      throw Ending(error)
    }
  }

  /// Opens the folder with a device key that was recovered.
  ///
  /// - Throws: ``Ending``.
  func open(with key: consuming Secret) throws(Ending) -> StateDirectory {
    do throws(StateError) { return try StateDirectory(path, owner: owner, unsealed: key, shares: shares) } catch {
      throw Ending(error)
    }
  }

  /// Reserves the folder for moving the device key.
  ///
  /// - Throws: ``Ending`` with a text for root.
  func beginMove() throws(Ending) -> KeyMove {
    do throws(StateError) { return try KeyMove(in: path, owner: owner) } catch { throw Ending(moving: error) }
  }

  /// The folder's own random bytes; nil for a folder that an earlier version made.
  ///
  /// The folder stays open for the next call of ``open()``, so that its path is checked only once.
  ///
  /// - Throws: ``Ending``.
  func identifier() throws(Ending) -> [UInt8]? {
    let directory = try open()
    let identifier = directory.identifier
    kept = consume directory
    return identifier
  }
}
