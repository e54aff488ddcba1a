import AuthenticatorTypes
import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

/// The server of this machine: its addresses, its certificate authorities, and the transport to it.
@safe final class ServerAccess {
  /// Makes the way to a server whose certificate must come from these authorities, in PEM; nil for the system's authorities.
  typealias Connecting = (ServerSettings, String?, ExchangeWaiter) throws(Ending) -> Network

  /// The authorities that may issue its certificate; nil for the system's authorities.
  var authorities: CertificateAuthorities? { trust?.authorities }
  /// The keys of which one must have signed a success of the server; nil if root does not require that.
  var verdictKeys: [[UInt8]]? { trust?.keys }
  /// By which keys and authorities the server is known; nil until root's files were read.
  private(set) var trust: ServerTrust?

  private let call: Call
  private let configuration: Configuration
  private let folder: StateFolder
  private let prompter: Prompter
  private let device: DeviceDescription
  private let now: () -> BootTime
  private let startExchange: Connecting
  private let files: TrustFiles
  /// The server, or why there is none; nil until it is looked up.
  private var found: Result<ServerSettings, Ending>?

  init(
    for call: Call, _ configuration: Configuration, _ folder: StateFolder, _ prompter: Prompter,
    device: DeviceDescription, files: TrustFiles, now: @escaping () -> BootTime,
    connecting connect: @escaping Connecting
  ) {
    self.call = call
    self.configuration = configuration
    self.folder = folder
    self.prompter = prompter
    self.device = device
    self.now = now
    self.startExchange = connect
    self.files = files
  }

  // MARK: Root's settings

  /// The server to be asked: the configuration's, or else the server that root trusted with a payload.
  ///
  /// - Throws: ``Ending`` (1001) if neither names a server.
  func settings() throws(Ending) -> ServerSettings {
    if let found { return try found.get() }
    let looked: Result<ServerSettings, Ending>
    do throws(Ending) { looked = .success(try look()) } catch { looked = .failure(error) }
    found = looked
    return try looked.get()
  }

  private func look() throws(Ending) -> ServerSettings {
    if let server = configuration.server { return server }
    if let trusted = try TrustedServer.load(folder.path, owner: folder.owner) { return trusted }
    throw .configuration(
      "no server is configured: set server.request_url, or run 'uafctl trust' as root",
      detail: call.caller.isTool
        ? RootText(
          "no server: set server.request_url, or run 'uafctl trust --code FILE' as root",
          korean: "설정된 서버가 없습니다. server.request_url을 정하거나 root로 'uafctl trust --code FILE' 명령을 실행하십시오") : nil)
  }

  /// Reads root's file of authorities and the keys of signed verdicts, while they can be reached.
  ///
  /// - Throws: ``Ending`` (1001) if one of them cannot be used.
  func readTrust(_ server: ServerSettings) throws(Ending) {
    trust = try ServerTrust.read(
      of: server, pinnedAuthorities: try readAuthorities(server), in: folder.path, owner: folder.owner, from: files)
  }

  /// What the configured server has announced to this machine, for people; nil if that is nothing, or cannot be read.
  var announced: TrustRecord? {
    guard let server = try? settings(), let place = try? ServerPlace.hash(of: server),
      let record = try? TrustRecord.read(in: folder.path, owner: folder.owner), record.place == place
    else { return nil }
    return record.keys.isEmpty && record.authorities.isEmpty ? nil : record
  }

  /// Stores what the server has said about its keys and authorities, which counts from now on.
  ///
  /// - Throws: ``StateError``; the earlier record then stays, and counts.
  func learn(_ record: TrustRecord) throws(StateError) {
    try record.store(in: folder.path, owner: folder.owner)
    trust = trust?.with(record)
  }

  /// The trust with the record as it is stored now: another call may have replaced it since this one began.
  ///
  /// - Returns: nil if root's files were not read.
  /// - Throws: ``StateError`` if the record cannot be read; a damaged one counts as none, and is replaced.
  func storedTrust() throws(StateError) -> ServerTrust? {
    do throws(StateError) {
      return trust?.with(stored: try TrustRecord.read(in: folder.path, owner: folder.owner))
    } catch {
      guard error == .damaged else { throw error }
      return trust?.with(stored: nil, because: "\(error)")
    }
  }

  private func readAuthorities(_ server: ServerSettings) throws(Ending) -> CertificateAuthorities? {
    guard let path = server.certificateAuthorityFile else { return nil }
    do throws(ConfigurationFileProblem) {
      return try CertificateAuthorities.read(path: path, requiredOwner: folder.owner)
    } catch {
      throw .configuration("server.ca_file: \(path): \(error)", isRoots: error.isRoots)
    }
  }

  /// The server's name for an account.
  ///
  /// - Throws: ``Ending`` (1011) if root's mapping gives none.
  func userName(of account: [UInt8], _ server: ServerSettings) throws(Ending) -> String {
    guard let name = String(validating: account, as: UTF8.self).flatMap({ server.username.name(of: $0) }) else {
      throw Ending(.invalidUsername, because: .nameNotMapped, log: "server.username gives no name for this account")
    }
    return name
  }

  /// The characters of a text to be confirmed: UTF-8 if both the server and the terminal support it, otherwise ASCII.
  var charset: TransactionCharset {
    guard let server = try? settings(), server.transactionCharset == .utf8 else { return .ascii }
    return Language.hasUTF8(locale: call.begin.localeText) ? .utf8 : .ascii
  }

  // MARK: What the client flows need

  /// The settings for the client flows.
  ///
  /// - Throws: ``Ending``: an address is missing, or the state cannot be opened.
  func clientSettings(_ server: ServerSettings) throws(Ending) -> ClientSettings {
    let authentication = try endpoint(server, server.authentication)
    var settings = ClientSettings(
      registration: try endpoint(server, server.registration), authentication: authentication,
      deregistration: server.hasDeregistration ? try endpoint(server, server.deregistration) : authentication,
      facetID: server.facetID,
      device: server.sendsDevice
        ? device.context(named: server.deviceName, of: try folder.identifier()) : DeviceContext())
    settings.deregisters = server.hasDeregistration
    settings.redeemsTokens = server.enrolment == .token
    settings.dialect = Self.dialect(server)
    settings.webAuthn = Self.webAuthn(server)
    settings.contentType = server.contentType
    settings.appIDs = server.appIDs
    settings.takesServersTexts = server.acceptedTransactions == .any
    settings.allowsPlainHere = server.allowsInsecure
    settings.demandsPurpose = verdictKeys != nil
    // Only our server has a use for it, and only its challenges are bound to what was sent.
    if settings.demandsPurpose, server.sendsDevice { settings.service = call.caller.toldService }
    return settings
  }

  private static func webAuthn(_ server: ServerSettings) -> WebAuthnSettings? {
    guard let interface = WebAuthnInterface(rawValue: server.dialect.rawValue) else { return nil }
    return WebAuthnSettings(
      interface: interface, origin: server.webAuthn.origin, relyingPartyID: server.webAuthn.relyingPartyID,
      codeMember: server.plain.contextNames["authCode"],
      tokenType: server.webAuthn.tokenType == .webauthn ? .webauthn : .passkey)
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
    try ServerPlace.endpoint(server, own)
  }

  // MARK: The exchange

  /// The way to a server.
  ///
  /// - Parameters:
  ///   - account: the account of the requests; nil for an account that has no file.
  ///   - isForLogin: whether the wait for an answer ends when the front end goes away.
  /// - Throws: ``Ending`` if uaf-fetch could not be started.
  func network(
    _ server: ServerSettings, for account: AccountFile?, isForLogin: Bool = false
  ) throws(Ending) -> Network {
    let network = try startExchange(server, authorities?.pem, prompter.waiter(isForLogin: isForLogin))
    network.prove(by: try? MachineProver(try machine(server, of: account), from: call.caller.origin, now: now))
    return network
  }

  /// The machine secret that a server gave with an account, or when the machine joined; nil if there is none.
  ///
  /// - Throws: ``Ending``: an address is missing.
  func machine(_ server: ServerSettings, of account: AccountFile?) throws(Ending) -> MachineRecord? {
    let place = try place(try endpoint(server, server.authentication))
    // A record that cannot be read counts as missing: the server gives a new one.
    let record = account.flatMap { try? MachineRecord.of($0) } ?? joined()
    return record.flatMap { $0.place == place ? $0 : nil }
  }

  /// The machine secret that a server gave when the machine joined, for a registration; with its success, the server gives a new
  /// one.
  private func joined() -> MachineRecord? {
    guard call.begin.operation == .register else { return nil }
    return (try? JoinRecord.read(in: folder.path, owner: folder.owner))?.machine
  }

  /// The machine secret that this server gave when the machine joined; nil if it has not joined, or joined a different server.
  ///
  /// - Throws: ``Ending``: an address is missing, or somebody else could have written the record.
  func joined(_ server: ServerSettings) throws(Ending) -> JoinRecord? {
    let place = try place(try endpoint(server, server.authentication))
    do throws(StateError) {
      return try JoinRecord.read(in: folder.path, owner: folder.owner).flatMap { $0.machine.place == place ? $0 : nil }
    } catch { throw Ending(.cannotUse, detail: RootText(error), log: "\(error)") }
  }

  /// The secret that this server gave to the machine when it joined; nil if it did not join.
  ///
  /// - Throws: ``Ending``, as ``joined(_:)``.
  func joinedSecret(_ server: ServerSettings) throws(Ending) -> MachineSecret? {
    try joined(server).flatMap { try? MachineSecret(machineID: $0.machine.machineID, secret: $0.machine.secret) }
  }

  /// What identifies root's server: its addresses, its authorities, the key of its verdicts, and the relying party.
  ///
  /// Once root changes any of these, an earlier success is no longer valid. What the server itself announces changes nothing:
  /// otherwise each rotation would end all logins without the server.
  ///
  /// - Throws: ``Ending``.
  func terms(_ endpoint: ServerEndpoint) throws(Ending) -> [UInt8] {
    let pinned = trust?.pinnedAuthorities?.pem ?? "the system's"
    var texts = [endpoint.requestURL, endpoint.responseURL, pinned]
    let server = try settings()
    if server.dialect.isWebAuthn {
      texts += [server.dialect.rawValue, server.webAuthn.origin ?? "", server.webAuthn.relyingPartyID ?? ""]
      if server.dialect == .privacyIDEA { texts.append(server.webAuthn.tokenType.rawValue) }
    }
    return try hash(texts, Array((trust?.pinnedKeys ?? []).joined()))
  }

  /// The hash of root's server's addresses: secrets that this server gave are used for proofs to no other server.
  ///
  /// - Throws: ``Ending``.
  func place(_ endpoint: ServerEndpoint) throws(Ending) -> [UInt8] { try ServerPlace.hash(endpoint) }

  private func hash(_ texts: [String], _ more: [UInt8]) throws(Ending) -> [UInt8] {
    let bytes = texts.flatMap { Array($0.utf8) + [0] } + more
    do throws(CryptoError) { return try SHA256.hash(bytes) } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// Whether a program that controls uaf-fetch could forge the server's answer to a code, or use the code itself.
  ///
  /// The answer comes through uaf-fetch. Without a signature, a code must neither set nor remove a value for an account that is
  /// in use. In WebAuthn the code itself goes through uaf-fetch.
  var isVerdictUnsigned: Bool { verdictKeys == nil || ((try? settings())?.dialect.isWebAuthn ?? true) }

  /// Checks the signature of the server's success, if root requires one.
  ///
  /// - Throws: ``Ending`` (1002) if the signature is missing or wrong. The server has answered, so no stack may continue with
  ///   a password.
  func believe(_ acceptance: Acceptance) throws(Ending) -> Acceptance {
    guard let verdictKeys else { return acceptance }
    do throws(SignedVerdict.Fault) {
      return try SignedVerdict.check(acceptance, publicKeys: verdictKeys, now: now().wallSeconds)
    } catch {
      throw Self.ending(error)
    }
  }

  /// Checks that the server has signed which keys it has deleted, if root requires signatures.
  ///
  /// - Throws: ``Ending`` (1002), as for a success.
  func believe(_ order: DeregistrationOrder) throws(Ending) {
    guard let verdictKeys else { return }
    do throws(SignedVerdict.Fault) {
      try SignedVerdict.check(order, publicKeys: verdictKeys, now: now().wallSeconds)
    } catch { throw Self.ending(error) }
  }

  private static func ending(_ fault: SignedVerdict.Fault) -> Ending {
    // The connection was as required, so the text does not blame the certificate.
    let cause: EndCause =
      switch fault {
      case .missing: .verdictNotSigned
      case .stale: .verdictStale
      case .otherLogin, .otherPurpose, .widerUse, .otherKeys, .otherText, .otherMachine: .verdictOfOther
      }
    return Ending(
      .channelBinding, because: cause, log: fault.rawValue, server: ServerPart(hasSpoken: true, hasRefused: true))
  }
}

/// Codes that show the server that an account's key is on the machine that reports.
///
/// They need the account's secret, which the server gave with that key, and name the machine by its ID from joining.
struct AccountCodes {
  private let secret: [UInt8]?
  private let machineID: [UInt8]

  init(of account: AccountFile, on joined: JoinRecord) {
    let record = try? MachineRecord.of(account)
    // A secret from a different server would prove nothing here.
    secret = record.flatMap { $0.place == joined.machine.place ? $0.secret : nil }
    machineID = joined.machine.machineID
  }

  /// nil if the server has given no secret for the account.
  func code(of note: OfflineLoginNote) -> [UInt8]? { code(over: note.authenticated(on: machineID)) }

  /// nil if the server has given no secret for the account.
  func code(of lock: ReportedLock) -> [UInt8]? { code(over: lock.authenticated(on: machineID)) }

  /// nil if the server has given no secret for the account.
  func code(of attempts: ReportedAttempts) -> [UInt8]? { code(over: attempts.authenticated(on: machineID)) }

  private func code(over message: [UInt8]) -> [UInt8]? {
    secret.flatMap { try? HMACSHA256.authenticate(message, keyInOrdinaryMemory: $0) }
  }
}

/// Proves to the server that it knows this machine.
///
/// A machine that the server does not know sends an invented proof of the same length. Otherwise, the length of the message
/// would show an observer of the network whether somebody is registered.
struct MachineProver {
  private let machineID: [UInt8]
  private let secret: [UInt8]
  private let queue: MachineQueue
  private let now: () -> BootTime

  /// - Parameters:
  ///   - record: the secret that the server gave; nil makes an invented proof.
  ///   - origin: the origin of the attempts. Each origin has its own budget at the server, and its own count here.
  /// - Throws: ``CryptoError`` if there is no randomness.
  init(_ record: MachineRecord?, from origin: AttemptOrigin, now: @escaping () -> BootTime) throws(CryptoError) {
    self.now = now
    queue =
      switch origin {
      case .local: .own
      case .remote: .remote
      case .otherUser: .otherUser
      }
    if let record {
      (machineID, secret) = (record.machineID, record.secret)
    } else {
      machineID = try RandomBytes.make(MachineSecret.machineIDByteCount)
      secret = try RandomBytes.make(MachineSecret.secretByteCount)
    }
  }

  /// The proof for one request; nil if none can be made; the request is then sent without one.
  func proof(of claim: MachineClaim) -> String? { make(claim)?.text }

  /// The proof for one request, with the values that the response must repeat.
  func make(_ claim: MachineClaim) -> (proof: MachineProof, text: String)? {
    guard let nonce = try? RandomBytes.make(MachineProof.nonceByteCount),
      let proof = MachineProof(
        machineID: machineID, claim: claim, queue: queue, madeAt: now().wallSeconds, nonce: nonce),
      let code = try? HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret)
    else { return nil }
    return (proof, proof.text(with: code))
  }
}
