// Purpose: from TOML documents to a configuration: later documents over earlier ones, then each table by its rows, then the rules
// for several keys together. Every refusal names file, line and key.

import AuthenticatorTypes
import Glibc
import ServiceNames

/// Fills a configuration from its documents.
struct ConfigurationReader {
  private let tables: TableReader
  private var configuration: Configuration

  /// - Parameters:
  ///   - path: the file for refusals that concern no file.
  ///   - defaults: the values of everything that the documents leave out.
  init(path: String, filling defaults: Configuration) {
    configuration = defaults
    tables = TableReader(path: path)
  }

  /// Reads documents, of which a later one replaces settings of an earlier one.
  mutating func read(_ documents: [ConfigurationDocument]) throws(ConfigurationError) -> Configuration {
    let root = TOMLTable(.header)
    for document in documents {
      do { root.layOver(try TOMLParser.parse(document.bytes, path: document.path)) } catch {
        throw .syntax(path: document.path, line: error.line, problem: error.problem)
      }
    }
    for key in root.keys {
      guard let node = root[key] else { continue }
      try section(key, node)
    }
    // The keys of a service replace those of the general sections, in whatever order they are written.
    if let services = root["service"] { try readServices(services) }
    try checkTogether()
    configuration.lines = tables.lines
    return configuration
  }

  private mutating func section(_ key: String, _ node: TOMLNode) throws(ConfigurationError) {
    switch key {
    case "authenticators": try readAuthenticators(node)
    case "server": try readServer(node)
    case "state": try tables.fill(&configuration.state, key, node, StateSettings.settings)
    case "tpm": try tables.fill(&configuration.tpm, key, node, TPMSettings.settings)
    case "general": try tables.fill(&configuration.general, key, node, GeneralSettings.settings)
    case "lock": try readLock(node)
    case "passcode": try readPasscode(node)
    case "pattern": try readPattern(node)
    case "biometric": try tables.fill(&configuration.biometric, key, node, BiometricSettings.settings)
    case "face":
      try readTypeLock(key, try tables.fill(&configuration.face, key, node, FaceSettings.settings, tables: ["lock"]))
    case "prompt": try tables.fill(&configuration.prompt, key, node, PromptSettings.settings)
    case "keyring": try tables.fill(&configuration.keyring, key, node, KeyringSettings.settings)
    case "policy": try tables.fill(&configuration.policy, key, node, PolicySettings.settings)
    case "service": break
    case _ where AuthenticatorType(rawValue: key) != nil:
      // A type without keys of its own has only a lock.
      try readTypeLock(key, try tables.table(key, node))
      try tables.refuseOthers(in: try tables.table(key, node), of: key, but: ["lock"])
    default: throw tables.refused(key, node.line, .unknownSection)
    }
  }

  // MARK: Sections

  private mutating func readAuthenticators(_ node: TOMLNode) throws(ConfigurationError) {
    guard case .array(let elements) = node.value, !elements.isEmpty else {
      throw tables.refused("authenticators", node.line, .form(.authenticators))
    }
    var types: [AuthenticatorType] = []
    for element in elements {
      guard case .string(let name) = element.value, let type = AuthenticatorType(rawValue: name),
        !types.contains(type)
      else { throw tables.refused("authenticators", element.line, .form(.authenticators)) }
      types.append(type)
    }
    configuration.authenticators = types
  }

  private mutating func readServer(_ node: TOMLNode) throws(ConfigurationError) {
    var server = ServerSettings()
    let inner = ["registration", "authentication", "deregistration", "context", "success"]
    let table = try tables.fill(&server, "server", node, ServerSettings.settings, tables: inner)
    let plain = [("context", PlainSettings.contextSettings), ("success", PlainSettings.successSettings)]
    for (name, settings) in plain {
      guard let node = table[name] else { continue }
      // Of the context, a server of WebAuthn can only get the code.
      let isCode = server.dialect == .webauthn && name == "context"
      guard server.dialect == .plain || isCode else {
        throw tables.refused("server.\(name)", node.line, .onlyPlainDialect)
      }
      try tables.fill(
        &server.plain, "server.\(name)", node, isCode ? settings.filter { $0.name == "authCode" } : settings)
    }
    let allowed = ServerSettings.OperationURLs.settings
    let requestOnly = ServerSettings.OperationURLs.requestOnlySettings
    if let node = table["registration"] { try tables.fill(&server.registration, "server.registration", node, allowed) }
    if let node = table["authentication"] {
      try tables.fill(&server.authentication, "server.authentication", node, allowed)
    }
    if let node = table["deregistration"] {
      try tables.fill(&server.deregistration, "server.deregistration", node, requestOnly)
    }
    if tables.lines["server.enrolment"] == nil, let usual = server.dialect.enrolment { server.enrolment = usual }
    server.fillAddresses()
    configuration.server = server
  }

  private mutating func readLock(_ node: TOMLNode) throws(ConfigurationError) {
    let table = try tables.fill(&configuration.lock, "lock", node, LockSettings.settingsWithRoot, tables: ["remote"])
    if let remote = table["remote"] {
      try tables.fill(&configuration.remoteLock, "lock.remote", remote, LockSettings.settings)
    }
  }

  private mutating func readTypeLock(_ type: String, _ table: TOMLTable) throws(ConfigurationError) {
    guard let node = table["lock"], let type = AuthenticatorType(rawValue: type) else { return }
    var lock = LockSettings()
    try tables.fill(&lock, "\(type.rawValue).lock", node, LockSettings.settings)
    configuration.typeLocks[type] = lock
  }

  private mutating func readPasscode(_ node: TOMLNode) throws(ConfigurationError) {
    let table = try tables.fill(
      &configuration.passcode, "passcode", node, PasscodeSettings.settings,
      tables: ["rules", "ignore", "regex", "lock"])
    try readTypeLock("passcode", table)
    try tables.fillRules(&configuration.passcode, from: table)
  }

  private mutating func readPattern(_ node: TOMLNode) throws(ConfigurationError) {
    let table = try tables.fill(
      &configuration.pattern, "pattern", node, PatternSettings.settings, tables: ["appearance", "lock"])
    try readTypeLock("pattern", table)
    if let appearance = table["appearance"] {
      try tables.fill(&configuration.pattern.appearance, "pattern.appearance", appearance, PatternAppearance.settings)
    }
  }

  private mutating func readServices(_ node: TOMLNode) throws(ConfigurationError) {
    let services = try tables.table("service", node)
    // The keys of a name replace those of its program's main name, wherever they are in the file.
    let members = Set(ServiceFamily.all.flatMap(\.members))
    for name in services.keys.filter({ !members.contains($0) }) + services.keys.filter(members.contains) {
      guard let node = services[name] else { continue }
      guard AllowedText.serviceName(name) != nil else {
        throw tables.refused("service.\(name)", node.line, .notAService)
      }
      let keys = try tables.table("service.\(name)", node)
      if let key = keys.keys.first(where: { LockSettings.names.contains($0) || $0 == "lock" }), let lock = keys[key] {
        throw tables.refused("service.\(name).\(key)", lock.line, .lockOfService)
      }
      let above = ServiceFamily.of(name).flatMap { configuration.services[$0.main] }
      var service = above ?? ServiceSettings(general: configuration.general, prompt: configuration.prompt)
      try tables.fill(&service, "service.\(name)", node, ServiceSettings.settings)
      configuration.services[name] = service
    }
  }

  // MARK: What several keys decide together

  private func checkTogether() throws(ConfigurationError) {
    try checkServer()
    try checkRanges()
    let policy = configuration.passcode.policy
    guard policy.minimumLength <= policy.maximumLength else {
      let key = tables.lines["passcode.min_length"] == nil ? "passcode.max_length" : "passcode.min_length"
      throw tables.refused(
        key,
        .lengths(
          minimum: policy.minimumLength, maximum: policy.maximumLength, range: PasscodePolicy.lengthRange))
    }
    guard configuration.passcode.keypad == .plain || policy.uiType != .normal || policy.digitsOnly else {
      throw tables.refused("passcode.keypad", .shuffledWithoutDigits)
    }
    try checkServices()
    try checkOffline()
    try checkOfferReset()
  }

  /// Anybody at the prompt can set a new value with a code that the server accepts.
  ///
  /// So the verdict must be signed.
  private func checkOfferReset() throws(ConfigurationError) {
    let isWebAuthn = configuration.server?.dialect.isWebAuthn == true
    guard isWebAuthn || configuration.server?.requiresSignedVerdict != true else { return }
    let services = configuration.services.sorted { $0.key < $1.key }.map { ("service.\($0.key)", $0.value.prompt) }
    for (name, prompt) in [("prompt", configuration.prompt)] + services where prompt.offersReset {
      throw tables.refused("\(name).offer_reset", isWebAuthn ? .notWithWebAuthn : .resetWithoutVerdict)
    }
  }

  private func checkOffline() throws(ConfigurationError) {
    let services = configuration.services.sorted { $0.key < $1.key }
    for (name, general) in [("general", configuration.general)]
      + services.map({ ("service.\($0.key)", $0.value.general) })
    where general.offline == .allow && general.offlineMaximumAge == nil {
      throw tables.refused("\(name).offline", .offlineWithoutAge)
    }
    for (name, service) in services where service.transaction && service.general.offline == .allow {
      // If [general] allows it, it applies to the other services. If it is set for this service, it is a contradiction.
      guard tables.lines["service.\(name).offline"] == nil else {
        throw tables.refused("service.\(name).offline", .offlineWithTransaction)
      }
    }
  }

  private func checkServices() throws(ConfigurationError) {
    for (name, service) in configuration.services.sorted(by: { $0.key < $1.key }) {
      guard let type = service.authenticator.flatMap(AuthenticatorType.init(nameOrAAID:)) else { continue }
      guard configuration.authenticators.contains(type) else {
        let enabled = configuration.authenticators.map(\.rawValue)
        throw tables.refused("service.\(name).authenticator", .notEnabled(type.rawValue, enabled: enabled))
      }
    }
  }

  private func checkServer() throws(ConfigurationError) {
    guard let server = configuration.server else { return }
    try checkWebAuthn(server)
    guard server.isComplete else {
      throw tables.refused("server", server.dialect.isWebAuthn ? .incompleteRelyingParty : .incompleteServer)
    }
    guard server.urls.allSatisfy({ $0.isSecure || $0.isLoopback && server.allowsInsecure }) else {
      throw tables.refused("server.request_url", .insecureURL)
    }
    let questions = [
      server.requestURL, server.registration.requestURL, server.authentication.requestURL,
      server.deregistration.requestURL,
    ]
    guard !server.appIDs.isEmpty || !questions.contains(where: { $0?.text.contains("{appID}") == true }) else {
      throw tables.refused("server.request_url", .unknownAppID)
    }
    guard server.verifiesTLS || server.isLoopbackOnly || server.allowsInsecure else {
      throw tables.refused("server.tls_verify", .unverified)
    }
    guard (server.plain.successMember == nil) == (server.plain.successValue == nil) else {
      throw tables.refused("server.success", .incompleteSuccess)
    }
    guard Set(server.plain.contextNames.values).count == server.plain.contextNames.count else {
      throw tables.refused("server.context", .sameContextNames)
    }
    guard !server.requiresSignedVerdict || server.verdictKeyFile != nil else {
      throw tables.refused("server.require_signed_verdict", .verdictWithoutKey)
    }
  }

  /// The keys of WebAuthn go with WebAuthn alone, and those that it has no place for do not go with it.
  private func checkWebAuthn(_ server: ServerSettings) throws(ConfigurationError) {
    guard server.dialect == .privacyIDEA || tables.lines["server.token_type"] == nil else {
      throw tables.refused("server.token_type", .onlyPrivacyIDEA)
    }
    guard server.dialect.isWebAuthn else {
      for key in ["base_url", "origin", "rp_id"] where tables.lines["server.\(key)"] != nil {
        throw tables.refused("server.\(key)", .onlyWebAuthn)
      }
      guard server.enrolment != .password else { throw tables.refused("server.enrolment", .onlyWebAuthn) }
      guard server.enrolment != .token || server.dialect == .fido else {
        throw tables.refused("server.enrolment", .enrolmentOfDialect("payload\", \"code\" or \"open"))
      }
      return
    }
    try checkDialect(server)
    // One address cannot serve two operations, and nothing is deregistered at the server.
    for key in ["request_url", "response_url", "deregistration"] where tables.lines["server.\(key)"] != nil {
      throw tables.refused("server.\(key)", .notWithWebAuthn)
    }
    // Of the servers with a dialect of WebAuthn, only uaf-server signs its verdict.
    guard !server.requiresSignedVerdict || server.dialect == .webauthn else {
      throw tables.refused("server.require_signed_verdict", .notWithWebAuthn)
    }
    guard server.acceptedTransactions == .ours else {
      throw tables.refused("server.accept_transaction", .notWithWebAuthn)
    }
    for (name, service) in configuration.services.sorted(by: { $0.key < $1.key }) where service.transaction {
      throw tables.refused("service.\(name).transaction", .notWithWebAuthn)
    }
  }

  /// A dialect other than FIDO's has its own addresses, and its own start of a registration.
  private func checkDialect(_ server: ServerSettings) throws(ConfigurationError) {
    guard let enrolment = server.dialect.enrolment else {
      guard server.enrolment != .password, server.enrolment != .token else {
        throw tables.refused("server.enrolment", .enrolmentOfDialect("code\" or \"open"))
      }
      return
    }
    for key in ["registration", "authentication"] where tables.lines["server.\(key)"] != nil {
      throw tables.refused("server.\(key)", .onlyConformance)
    }
    guard server.webAuthn.baseURL != nil else { throw tables.refused("server", .withoutBase) }
    guard server.enrolment == enrolment else {
      throw tables.refused("server.enrolment", .enrolmentOfDialect(enrolment.rawValue))
    }
    guard !server.dialect.needsWebOrigin || server.webAuthn.hasWebOrigin else {
      throw tables.refused("server", .needsWebOrigin(server.dialect.rawValue))
    }
  }

  /// Short locks and fast key derivation are for demonstrations, in which the server is this machine.
  private func checkRanges() throws(ConfigurationError) {
    guard configuration.server?.isLoopbackOnly != true else { return }
    guard StateSettings.kdfCostRange.contains(configuration.state.kdfCost ?? StateSettings.defaultKDFCost) else {
      throw tables.refused("state.kdf_cost", .form(.derivationCost))
    }
    let locks =
      [("lock", configuration.lock), ("lock.remote", configuration.remoteLock)]
      + AuthenticatorType.allCases.map { ("\($0.rawValue).lock", configuration.typeLocks[$0] ?? LockSettings()) }
    for (name, lock) in locks {
      guard let time = lock.lockTime, !LockPolicy.lockTimeRange.contains(time) else { continue }
      throw tables.refused("\(name).lock_time", .form(.lockTime))
    }
  }
}

/// Reads tables by their rows, remembering the file and line of every key for later checks.
final class TableReader {
  private let path: String
  private(set) var lines: [String: ConfigurationLine] = [:]

  /// - Parameter path: the file for refusals that concern no file.
  init(path: String) {
    self.path = path
  }

  /// Fills a section from a table whose keys are the rows' names and `tables`, which the caller reads.
  @discardableResult
  func fill<Section>(
    _ section: inout Section, _ name: String, _ node: TOMLNode, _ settings: [Setting<Section>], tables: [String] = []
  ) throws(ConfigurationError) -> TOMLTable {
    let table = try table(name, node)
    lines[name] = node.line
    try refuseOthers(in: table, of: name, but: settings.map(\.name) + tables)
    for setting in settings {
      guard let entry = table[setting.name] else { continue }
      lines["\(name).\(setting.name)"] = entry.line
      do {
        try setting.store(entry.value, &section)
      } catch {
        throw refused("\(name).\(setting.name)", entry.line, error)
      }
    }
    return table
  }

  /// Fills in the tables of `[passcode]`: rules, refused texts, and expressions.
  func fillRules(_ passcode: inout PasscodeSettings, from table: TOMLTable) throws(ConfigurationError) {
    if let rules = table["rules"] { try fill(&passcode, "passcode.rules", rules, PasscodeSettings.ruleSettings) }
    try each(in: table["ignore"], "passcode.ignore") { key, value throws(SettingProblem) in
      try passcode.ignore(key, value)
    }
    try each(in: table["regex"], "passcode.regex") { key, value throws(SettingProblem) in
      try passcode.require(key, value)
    }
  }

  /// Reads a table whose keys the administrator chooses.
  private func each(
    in node: TOMLNode?, _ name: String, _ take: (String, TOMLNode.Value) throws(SettingProblem) -> Void
  ) throws(ConfigurationError) {
    guard let node else { return }
    let table = try table(name, node)
    lines[name] = node.line
    for key in table.keys {
      guard let entry = table[key] else { continue }
      do { try take(key, entry.value) } catch { throw refused("\(name).\(key)", entry.line, error) }
    }
  }

  func table(_ name: String, _ node: TOMLNode) throws(ConfigurationError) -> TOMLTable {
    guard case .table(let table) = node.value else { throw refused(name, node.line, .form(.table(name))) }
    return table
  }

  func refuseOthers(in table: TOMLTable, of name: String, but allowed: [String]) throws(ConfigurationError) {
    for key in table.keys where !allowed.contains(key) {
      throw refused("\(name).\(key)", table[key]?.line ?? firstLine, .unknownKey(allowed: allowed))
    }
  }

  /// A refusal of a key; if there was no memory to examine its value, this counts as a file that could not be read.
  func refused(_ key: String, _ line: ConfigurationLine, _ problem: SettingProblem) -> ConfigurationError {
    if problem == .expression(.outOfMemory) { return .file(path: line.path, .system(ENOMEM)) }
    return .key(path: line.path, line: line.number, key: key, problem: problem)
  }

  /// A refusal of a key that was read before, or of one that is missing: then it names the line of its table, or else the first
  /// line.
  func refused(_ key: String, _ problem: SettingProblem) -> ConfigurationError {
    let table = key.split(separator: ".").dropLast().joined(separator: ".")
    return refused(key, lines[key] ?? lines[table] ?? firstLine, problem)
  }

  private var firstLine: ConfigurationLine { ConfigurationLine(path: path, number: 1) }
}
