import Authenticator
import FidoResults
import SecretMemory
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

extension Session {
  /// Makes keys for the account, and keeps them if the server accepts them.
  func register() throws(Ending) -> Success {
    let server = try server()
    let client = try clientSettings(server)
    let named = try namedType()
    let uid = try caller.requireAccount()
    let directory = try openState()
    let account = try openAccount(uid, in: directory)
    let identity: AccountIdentity
    var authorisation: RegistrationRun.Authorisation
    if begin.payload != nil {
      let payload = try payload()
      try requireTrusted(payload, server)
      identity = try self.identity(uid, account, for: payload.username, server)
      authorisation = .code(payload.authCode)
    } else {
      guard let account, let token = try proof(account, but: named, client, server) else { throw Self.noPayload }
      identity = account.identity
      authorisation = .proof(token)
    }
    let run = try RegistrationRun(
      self, client, server, account, identity, authorisation, among: try registrable(account, named), in: directory)
    let acceptance = try run.run(named: named)
    return Success(text: .registered(user: identity.serverUserName), token: acceptance.token)
  }

  /// The types a registration may be for: the named one, else those without a value, else the only one there is.
  private func registrable(
    _ account: AccountFile?, _ named: AuthenticatorType?
  ) throws(Ending) -> [AuthenticatorType] {
    guard named == nil, let account else { return enabledTypes }
    let enrolled = try enrolledTypes(account)
    let open = enabledTypes.filter { !enrolled.contains($0) }
    if !open.isEmpty || enabledTypes.count == 1 { return open.isEmpty ? enabledTypes : open }
    throw Ending(
      .noSuitableAuthenticator, because: .nothingLeftToRegister,
      log: "every authenticator is registered already")
  }

  /// A fresh verification with an authenticator that is registered, in place of a code.
  ///
  /// - Returns: nil where there is none, or the server hands out no token for it.
  private func proof(
    _ account: AccountFile, but named: AuthenticatorType?, _ client: ClientSettings, _ server: ServerSettings
  ) throws(Ending) -> String? {
    let types = try enrolledTypes(account).filter { $0 != named }
    guard !types.isEmpty else { return nil }
    let held = AccountAuthenticators(account, types, named: nil, in: try openState())
    return try AuthenticationRun(self, held, client, server, for: .proof(.registration)).run().token
  }

  private static var noPayload: Ending {
    Ending(.invalidParameter, because: .codeMissing, log: "no payload")
  }

  /// Whose state it is, or will be.
  ///
  /// The server's name must be what root's mapping makes of the account's.
  private func identity(
    _ uid: UInt32, _ account: AccountFile?, for username: String, _ server: ServerSettings
  ) throws(Ending) -> AccountIdentity {
    let name = account?.identity.name ?? caller.name ?? ownName
    guard let name else {
      throw Ending(.invalidUsername, because: .notInPasswd, log: "uid \(uid) is not in /etc/passwd")
    }
    let serverName = try serverUserName(name, server)
    guard serverName == username else {
      throw Ending(
        .invalidParameter, because: .codeOfOtherAccount, log: "payload of another account than \(serverName)")
    }
    return AccountIdentity(uid: uid, name: name, serverUserName: serverName)
  }

  /// Registers anew from the prompt, for a person who has forgotten the value but has a new enrolment code.
  ///
  /// The old value and its attempts stay until the server has accepted the new key.
  ///
  /// - Returns: the ending, 980 whatever was done: nobody is logged in by it.
  func registerAgain(_ held: AccountAuthenticators) throws(Ending) -> Ending {
    let chosen = held.types.count == 1 ? held.types.first : try chooseType(among: held.types)
    guard let type = chosen else {
      return Ending(.resetChosen, log: "registering anew was chosen, and no authenticator")
    }
    var prompt = Prompt(
      echo: true, check: "code", step: .current, text: PromptText.enrolmentCode.text(in: language))
    prompt.reason = reason
    let entry = try ask(prompt)
    guard entry.count > 0 else { return Ending(.resetChosen, log: "registering anew was chosen, and no code entered") }
    let server = try server()
    let client = try clientSettings(server)
    // A code is no secret like a value: it is good once, for minutes, and the server must read it.
    let text = entry.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    let code = try code(entered: text, for: held.account, server)
    let run = try RegistrationRun(
      self, client, server, held.account, held.account.identity, .code(code), among: [type], in: try openState())
    run.replacesValues = true
    _ = try run.run(named: type)
    log(.keys, "\(type.rawValue) was registered anew with an enrolment code")
    return Ending(.resetChosen, text: .registeredAgain(type.kind), log: "registered anew; not a login")
  }
}
