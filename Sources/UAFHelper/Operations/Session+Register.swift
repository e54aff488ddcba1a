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
    let types = try registrable(account, named)
    let identity: AccountIdentity
    let word: RegistrationWord
    if begin.payload != nil {
      let payload = try payload()
      try requireTrusted(payload, server)
      identity = try self.identity(uid, account, for: payload.username, server)
      word = .code(payload.authCode)
    } else {
      identity = try self.identity(uid, account, for: nil, server)
      word = try self.word(on: account, types, named, client, server)
    }
    let run = try RegistrationRun(self, client, server, account, identity, word, among: types, in: directory)
    let acceptance = try run.run(named: named)
    return Success(text: .registered(user: identity.serverUserName), token: acceptance.token)
  }

  /// What allows an account a key where no payload was given: the word of a registered authenticator, else what root says that
  /// this server wants.
  private func word(
    on account: AccountFile?, _ types: [AuthenticatorType], _ named: AuthenticatorType?, _ client: ClientSettings,
    _ server: ServerSettings
  ) throws(Ending) -> RegistrationWord {
    guard server.enrolment != .payload else {
      guard let account, let token = try proof(account, but: named.map { [$0] } ?? [], client, server).token else {
        throw Self.noPayload
      }
      return .proof(token)
    }
    // The value of a type that is registered anew is asked for by the registration itself.
    let known: (isVerified: Bool, token: String?) =
      if let account { try proof(account, but: named.map { [$0] } ?? types, client, server) } else { (false, nil) }
    if let token = known.token { return .proof(token) }
    return RegistrationWord(
      code: server.enrolment == .code ? try askCode() : nil, isVerifiedHere: known.isVerified)
  }

  /// The types a registration may be for: the named one, else those whose keys the server knows no more, else those without a
  /// value, else the only one there is.
  private func registrable(
    _ account: AccountFile?, _ named: AuthenticatorType?
  ) throws(Ending) -> [AuthenticatorType] {
    guard named == nil, let account else { return enabledTypes }
    let dead = try deadTypes(account)
    guard dead.isEmpty else { return dead }
    let enrolled = try enrolledTypes(account)
    let open = enabledTypes.filter { !enrolled.contains($0) }
    if !open.isEmpty || enabledTypes.count == 1 { return open.isEmpty ? enabledTypes : open }
    throw Ending(
      .noSuitableAuthenticator, because: .nothingLeftToRegister,
      log: "every authenticator is registered already")
  }

  /// A fresh verification with an authenticator that is registered, in place of a code.
  ///
  /// - Returns: whether there was one, and the server's token for it if it hands out any.
  private func proof(
    _ account: AccountFile, but excluded: [AuthenticatorType], _ client: ClientSettings, _ server: ServerSettings
  ) throws(Ending) -> (isVerified: Bool, token: String?) {
    let types = try enrolledTypes(account).filter { !excluded.contains($0) }
    guard !types.isEmpty else { return (false, nil) }
    let held = AccountAuthenticators(account, types, named: nil, in: try openState())
    return (true, try AuthenticationRun(self, held, client, server, for: .proof(.registration)).run().token)
  }

  /// Asks for an enrolment code.
  ///
  /// A code is no secret like a value: it is good once, and the server must read it.
  ///
  /// - Throws: ``Ending``: cancelled, or 1001 for an empty one.
  private func askCode() throws(Ending) -> String {
    guard let code = try enteredCode() else {
      throw Ending(.invalidParameter, because: .codeNotEntered, log: "no code was entered")
    }
    return code
  }

  /// What was entered where an enrolment code was asked for; nil for an empty line.
  private func enteredCode() throws(Ending) -> String? {
    var prompt = Prompt(
      echo: true, check: .code, step: .current, text: PromptText.enrolmentCode.text(in: language))
    prompt.reason = reason
    let entry = try ask(prompt)
    guard entry.count > 0 else { return nil }
    return entry.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  private static var noPayload: Ending {
    Ending(.invalidParameter, because: .codeMissing, log: "no code")
  }

  /// Whose state it is, or will be.
  ///
  /// The server's name must be what root's mapping makes of the account's.
  ///
  /// - Parameter username: the name in the payload; nil without one.
  private func identity(
    _ uid: UInt32, _ account: AccountFile?, for username: String?, _ server: ServerSettings
  ) throws(Ending) -> AccountIdentity {
    let name = account?.identity.name ?? caller.name ?? caller.ownName
    guard let name else {
      throw Ending(.invalidUsername, because: .notInPasswd, log: "uid \(uid) is not in /etc/passwd")
    }
    let serverName = try serverUserName(name, server)
    guard username.map({ $0 == serverName }) ?? true else {
      throw Ending(
        .invalidParameter, because: .codeOfOtherAccount, log: "code of another account than \(serverName)")
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
    guard let text = try enteredCode() else {
      return Ending(.resetChosen, log: "registering anew was chosen, and no code entered")
    }
    let server = try server()
    let client = try clientSettings(server)
    let code = try code(entered: text, for: held.account, server)
    let run = try RegistrationRun(
      self, client, server, held.account, held.account.identity, .code(code), among: [type], in: try openState())
    run.replacesValues = true
    _ = try run.run(named: type)
    log(.keys, "\(type.rawValue) was registered anew with an enrolment code")
    return Ending(.resetChosen, text: .registeredAgain(type.kind), log: "registered anew; not a login")
  }
}
