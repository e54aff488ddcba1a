import Synchronization
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFService

/// What people have that allows new keys at a server: their codes, the secrets of their machines, and their registered keys.
final class KeyAllowances: Sendable {
  private let keys: ServerKeys
  private let appID: String
  /// The last enrolment code of each account.
  private let codes = Mutex<[String: EnrolmentCode]>([:])
  /// The secrets of machines that have joined, by the machines' ids.
  private let machines = Mutex<[String: MachineSecret]>([:])

  init(keys: ServerKeys, appID: String) {
    self.keys = keys
    self.appID = appID
  }

  /// Keeps the secret of a machine that has joined.
  func take(_ secret: MachineSecret?, ofMachine deviceID: String) {
    machines.withLock { $0[deviceID] = secret }
  }

  /// Keeps a code that somebody else has issued, so that later responses are authenticated with it.
  ///
  /// - Returns: the proof by which a client shows that it has the code.
  @discardableResult func take(_ code: EnrolmentCode, of username: String) throws -> [UInt8] {
    codes.withLock { $0[username] = code }
    return try Self.proof(of: code, for: username, EnrolmentCode.registrationStatement(username: username))
  }

  /// The proof that the last code of an account allows the removal of keys.
  func removalProof(_ context: RequestContext) throws -> [UInt8] {
    let code = try #require(codes.withLock { $0[context.username] })
    return try Self.proof(of: code, for: context.username, EnrolmentCode.removalStatement(context))
  }

  static func proof(of code: EnrolmentCode, for username: String, _ statement: [UInt8]) throws -> [UInt8] {
    let key = try EnteredCodeKey.derive(
      from: code.keyMaterial, for: EnrolmentCode.keyInfo(username: username), isStretched: code.isStretched,
      length: EnrolmentCode.keyByteCount)
    return try HMACSHA256.authenticate(statement, key: key)
  }

  /// What a client sends with new keys that an enrolment code allows; nil if no code allows them.
  func allowance(of response: UAFResponse) throws -> RequestContext? {
    guard case .registration(let registration) = response, let text = registration.header.serverData,
      let challenge = try? FinalChallengeParams(encoded: registration.fcParams).challenge,
      let data = try ServerDataSeal(keys: keys).open(
        text, challenge: Base64URL.decode(challenge, maximumCount: 64)),
      data.purpose == .registrationByCode, let code = codes.withLock({ $0[data.username] })
    else { return nil }
    var context = RequestContext(username: data.username)
    let statement = EnrolmentCode.keysStatement(
      try Self.statement(of: registration, for: data.username, appID: appID))
    context.codeMAC = try Self.proof(of: code, for: data.username, statement)
    return context
  }

  /// The statement about the new keys in a response, which a code or a key authenticates to allow them.
  static func statement(
    of response: RegistrationResponse, for username: String, appID: String
  ) throws -> NewKeysStatement {
    let challenge = try FinalChallengeParams(encoded: response.fcParams).challenge
    let keys = try response.assertions.map { sent in
      let assertion = try UnverifiedRegistrationAssertion(parsing: sent.assertion)
      return NewKeysStatement.Key(aaid: assertion.aaid, keyID: assertion.keyID, publicKey: assertion.publicKey)
    }
    return NewKeysStatement(
      username: username, appID: appID,
      challenge: try ServerChallenge(bytes: Base64URL.decode(challenge, maximumCount: 64)), keys: keys)
  }

  /// The signature with which a registered key allows the new keys of a response.
  ///
  /// - Parameter change: makes the response that is signed for, if it is not to be that response itself.
  func authorization(
    of response: UAFResponse, for username: String, by key: FakeAuthenticator, counter: UInt32,
    signing change: (RegistrationResponse) throws -> RegistrationResponse = { $0 }
  ) throws -> String {
    guard case .registration(let registration) = response else { throw TestServer.Unexpected() }
    let statement = try Self.statement(of: change(registration), for: username, appID: appID)
    let header = OperationHeader(
      upv: registration.header.upv, op: .authentication, appID: registration.header.appID,
      serverData: registration.header.serverData)
    let request = AuthenticationRequest(
      header: header, challenge: try statement.authorization(hash: SHA256.hash), policy: Policy(accepted: []))
    return try key.authenticate(request, counter: counter).text
  }

  /// Adds the proof that the keys of a response were made on a machine, if that machine has joined.
  func prove(
    _ deviceID: String?, made response: UAFResponse, for username: String, in context: inout RequestContext
  ) throws {
    guard let deviceID, let secret = machines.withLock({ $0[deviceID] }),
      case .registration(let registration) = response
    else { return }
    let statement = try Self.statement(of: registration, for: username, appID: appID)
    context.machineID = secret.machineID
    context.machineMAC = try HMACSHA256.authenticate(
      statement.machineStatement(deviceID: deviceID), keyInOrdinaryMemory: secret.secret)
  }
}
