import Authenticator
import FidoResults
import ServiceNames
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

extension Session {
  /// The server to be asked: the configuration's, or else the one root trusted with a payload.
  ///
  /// - Throws: ``Ending`` (1001) where neither names one.
  func server() throws(Ending) -> ServerSettings {
    let found: Result<ServerSettings, Ending>
    if let foundServer {
      found = foundServer
    } else {
      do throws(Ending) { found = .success(try findServer()) } catch { found = .failure(error) }
      foundServer = found
    }
    return try found.get()
  }

  private func findServer() throws(Ending) -> ServerSettings {
    if let server = configuration.server { return server }
    if let trusted = try TrustedServer.load(configuration.state.directory, owner: surroundings.owner) { return trusted }
    throw .configuration(
      "no server is configured: set server.request_url, or run 'uafctl trust' as root",
      detail: caller.isTool ? "no server: set server.request_url, or run 'uafctl trust --code FILE' as root" : nil)
  }

  /// The server's name for an account.
  ///
  /// - Throws: ``Ending`` (1011) where root's mapping gives none.
  func serverUserName(_ account: [UInt8], _ server: ServerSettings) throws(Ending) -> String {
    guard let name = String(validating: account, as: UTF8.self).flatMap({ server.username.name(of: $0) }) else {
      throw Ending(.invalidUsername, because: .nameNotMapped, log: "server.username gives no name for this account")
    }
    return name
  }

  /// The way to a server; while an answer is owed the front end hears of it, or it would take the core for dead.
  ///
  /// - Parameter isForLogin: whether nothing is waited for any more once the front end is gone.
  func network(_ server: ServerSettings, isForLogin: Bool = false) throws(Ending) -> Network {
    let waiter = ExchangeWaiter(
      firstNoticeMilliseconds: showsNoticesAtOnce ? ExchangePatience.firstNotice : nil,
      waiting: { [frontEnd, language] in
        // A front end that is gone is noticed at the next message that matters.
        try? frontEnd.send(.info(PromptText.waitingForServer.text(in: language)))
      }, frontEnd: isForLogin ? frontEnd : nil)
    return try surroundings.network(server, authorities, waiter)
  }

  /// Whether the host shows a notice on the person's terminal when it comes.
  ///
  /// sshd keeps notices back until the next prompt or the end. Lockers and display managers put them over what they show.
  /// There a notice would come too late, or hide something.
  private var showsNoticesAtOnce: Bool {
    if caller.isTool { return true }
    guard caller.isRoot, let service = caller.service else { return false }
    return Self.terminalPrograms.contains(ServiceFamily.of(service)?.main ?? service)
  }

  private static let terminalPrograms: Set<String> = ["sudo", "su", "login"]

  /// Whether the front end is still there, before anything is signed or sent for it.
  ///
  /// - Throws: ``Ending``: nobody waits for what the person confirmed.
  func requireFrontEnd() throws(Ending) {
    guard frontEnd.isGone else { return }
    throw Ending(.applicationCancel, log: "the front end went away: nothing more was signed or sent")
  }

  /// The end of a login whose front end went away after its answer was sent; nil for another one.
  private func unused() -> Ending? {
    guard frontEnd.isGone else { return nil }
    var ending = Ending(.applicationCancel, log: "the front end went away: the answer was sent, and is of no use")
    ending.isUnused = true
    return ending
  }

  /// Takes the server's word on an answer, unless nobody waits for it any more.
  ///
  /// - Throws: ``Ending``.
  func stillWanted(_ refusal: Refusal) throws(Ending) -> Refusal {
    if let unused = unused() { throw unused }
    return refusal
  }

  /// What the client flows need to know.
  func clientSettings(_ server: ServerSettings) throws(Ending) -> ClientSettings {
    var settings = ClientSettings(
      registration: try endpoint(server, server.registration),
      authentication: try endpoint(server, server.authentication),
      deregistration: try endpoint(server, server.deregistration), facetID: server.facetID,
      device: server.sendsDevice
        ? surroundings.device.context(named: server.deviceName, of: try openState().identifier) : DeviceContext())
    settings.dialect = Self.dialect(server)
    settings.contentType = server.contentType
    settings.appIDs = server.appIDs
    settings.takesServersTexts = server.acceptedTransactions == .any
    settings.allowsPlainHere = server.allowsInsecure
    return settings
  }

  /// The text of root's file of authorities; nil where the system's are to be trusted.
  ///
  /// - Throws: ``Ending`` (1001) where it cannot be read.
  func authorities(of server: ServerSettings) throws(Ending) -> String? {
    guard let path = server.certificateAuthorityFile else { return nil }
    do throws(ConfigurationFileProblem) {
      let bytes = try ConfigurationFile.read(path: path, requiredOwner: surroundings.owner)
      guard bytes.count <= WireLimit.certificateAuthorities, let text = String(validating: bytes, as: UTF8.self) else {
        throw ConfigurationFileProblem.tooLarge
      }
      return text
    } catch {
      throw .configuration("server.ca_file: \(path): \(error)", isRoots: error.isRoots)
    }
  }

  /// The key in root's file, where the server's yes has to be signed.
  func verdictKey(of server: ServerSettings) throws(Ending) -> [UInt8]? {
    guard server.requiresSignedVerdict, let path = server.verdictKeyFile else { return nil }
    let pem: [UInt8]
    do throws(ConfigurationFileProblem) {
      pem = try ConfigurationFile.read(path: path, requiredOwner: surroundings.owner)
    } catch {
      throw .configuration("server.verdict_key: \(path): \(error)", isRoots: error.isRoots)
    }
    do throws(CryptoError) { return try P256.publicKey(pem: pem) } catch {
      let log = "server.verdict_key: \(path): is not the public key of a P-256 key pair, PEM"
      throw .configuration(log, isRoots: error == .invalidKey)
    }
  }

  /// Whether whoever controls uaf-fetch could forge the server's answer to a code.
  ///
  /// The answer comes through uaf-fetch. Without a signature a code must neither set nor remove a value of an account that is
  /// in use.
  var isWordUnsigned: Bool { verdictKey == nil }

  /// Believes a yes of the server's, or does not.
  ///
  /// - Throws: ``Ending`` (1002) where root asks for a signed one and this is none; the server has spoken, so no stack
  ///   may go on to a password.
  func believe(_ acceptance: Acceptance) throws(Ending) -> Acceptance {
    guard let verdictKey else { return acceptance }
    do throws(SignedVerdict.Fault) {
      try SignedVerdict.check(acceptance, publicKey: verdictKey, now: surroundings.now().wallSeconds)
      return acceptance
    } catch {
      var ending = Ending(.channelBinding, log: error.rawValue)
      ending.isServers = true
      ending.isServersNo = true
      throw ending
    }
  }

  private static func dialect(_ server: ServerSettings) -> Dialect {
    guard server.dialect == .plain else { return .fido }
    var mark: SuccessMark?
    if let member = server.plain.successMember, let value = server.plain.successValue {
      mark = SuccessMark(member: member, value: value)
    }
    return .plain(PlainRules(contextNames: server.plain.contextNames, success: mark))
  }

  private func endpoint(
    _ server: ServerSettings, _ own: ServerSettings.OperationURLs
  ) throws(Ending) -> ServerEndpoint {
    guard let request = own.requestURL ?? server.requestURL else {
      throw .configuration("server.request_url is missing")
    }
    // Nothing is answered to a deregistration, and the configuration was refused where any other one lacks the address.
    let response = own.responseURL ?? server.responseURL ?? request
    return ServerEndpoint(requestURL: request.text, responseURL: response.text)
  }

  /// What the account's authenticators offer a policy.
  func descriptions(_ types: [AuthenticatorType], keys: [UAFKey]) -> [AuthenticatorDescription] {
    types.compactMap { type in
      guard let aaid = try? AAID(type.aaid) else { return nil }
      var description = AuthenticatorDescription(aaid: aaid, userVerification: type.userVerification)
      let own = keys.filter { $0.type == type }
      description.registrations = Set(own.map(\.appID)).map { appID in
        AuthenticatorDescription.Registrations(
          appID: appID, keyIDs: own.filter { $0.appID == appID }.compactMap { try? KeyID(bytes: $0.keyID) })
      }
      return description
    }
  }
}

extension AuthenticatorType {
  /// The authenticators of some models.
  static func all(named aaids: [AAID]) -> [AuthenticatorType] {
    allCases.filter { type in aaids.contains { $0.text == type.aaid } }
  }
}

extension Ending {
  /// The end of a flow with the server.
  init(_ refusal: Refusal) {
    self.init(refusal.result, text: Self.text(of: refusal), log: refusal.detail)
    handshakeCompleted = refusal.handshakeCompleted
    isServers = refusal.spokenByServer
    forgottenTypes = AuthenticatorType.all(named: refusal.leftOut)
    isServersNo = refusal.isServersNo
  }

  /// What the person is told of a refusal; nil where the result's own text says it.
  private static func text(of refusal: Refusal) -> PromptText? {
    if let failure = refusal.networkFailure { return .noAnswer(failure) }
    let status = refusal.serverStatus.map(UAFStatusCode.init(rawValue:))
    if status == .revokedAuthenticator { return .revoked(said: refusal.serverText) }
    if refusal.spokenByServer, refusal.serverText != nil || refusal.saysPlainNo {
      return .refusedByServer(refusal.serverText)
    }
    if let cause = refusal.cause { return .cause(cause) }
    if refusal.spokenByServer, refusal.result == .invalidParameter {
      return .cause(refusal.serverStatus == nil ? .messageNotValid : .messageNotAccepted)
    }
    switch status {
    case .forbidden: return .serverForbids
    case .accepted: return .serverUndecided
    case .internalServerError: return .serverFailed
    case .some(let status) where refusal.result == .unknown: return .serverStatus(Int(status.rawValue))
    default: break
    }
    // 429, and the gateway's statuses, say that it is busy or away for a while.
    guard let http = refusal.httpStatus, (500...599).contains(http), ![502, 503, 504].contains(http) else { return nil }
    return .serverFailed
  }
}
