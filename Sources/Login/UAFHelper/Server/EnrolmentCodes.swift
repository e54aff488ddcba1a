import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// Enrolment payloads and the codes in them, with the checks that are possible without the server.
struct EnrolmentCodes {
  private let call: Call
  private let server: ServerAccess
  private let now: () -> BootTime

  init(for call: Call, _ server: ServerAccess, now: @escaping () -> BootTime) {
    self.call = call
    self.server = server
    self.now = now
  }

  /// The entitlement for a registration or a removal, from the call's payload or from a code without a payload.
  ///
  /// - Returns: the entitlement; and the payload, unless the text is only a code.
  /// - Throws: ``Ending``, as ``payload(_:)``.
  func entitlement(_ settings: ServerSettings) throws(Ending) -> (Entitlement, EnrolmentPayload?) {
    if settings.enrolment == .token { return (try redeeming(text(), settings), nil) }
    // A person who has only the short code is on a machine on which the server is already configured.
    let text = try text()
    if let code = Self.code(in: text, settings) { return (.code(code), nil) }
    // A code of another vendor's server may look like anything, in a file as at the prompt.
    if settings.enrolment == .code, (try? EnrolmentPayload(encoded: text)) == nil {
      return (try entitlement(entered: text, for: nil, settings), nil)
    }
    let payload = try payload()
    return (Self.entitlement(payload), payload)
  }

  private static func entitlement(_ payload: EnrolmentPayload) -> Entitlement {
    payload.code.map { .code($0) } ?? .plainCode(payload.authCode)
  }

  private func text() throws(Ending) -> String {
    guard let bytes = call.begin.payload, let text = String(validating: bytes, as: UTF8.self) else {
      throw Ending(.invalidParameter, because: .codeMissing, log: "no code")
    }
    return text
  }

  /// The call's payload.
  ///
  /// - Throws: ``Ending`` (1001) if there is no payload, or it cannot be read or is for a different operation; 1100 if it has
  ///   expired.
  func payload(_ operation: UAFOperation = .registration) throws(Ending) -> EnrolmentPayload {
    let text = try text()
    let payload: EnrolmentPayload
    do throws(MessageError) { payload = try EnrolmentPayload(encoded: text) } catch {
      throw Self.unreadable(text, orElse: .codeUnreadable, log: "code: \(error)")
    }
    return try checked(payload, operation)
  }

  private func checked(
    _ payload: EnrolmentPayload, _ operation: UAFOperation
  ) throws(Ending) -> EnrolmentPayload {
    guard payload.op == operation else {
      throw Ending(.invalidParameter, because: .codeOfOtherOperation, log: "the code is for a different operation")
    }
    guard payload.expires > now().wallSeconds else {
      throw Ending(
        .requestNotExist, because: operation == .authentication ? .approvalExpired : .codeExpired,
        log: "the code has expired")
    }
    return payload
  }

  /// The entitlement in an entry, which is either a whole payload or only the code.
  ///
  /// - Parameter account: the account for which the code must be; nil if there is no account yet.
  /// - Throws: ``Ending``, as for a payload. Also 1001 if root's configuration shows that the server is `uaf-server`, and the
  ///   text cannot be one of its codes; and if the server could be `uaf-server`, and the text may be a mistyped code.
  func entitlement(
    entered text: String, for account: AccountFile?, _ settings: ServerSettings
  ) throws(Ending) -> Entitlement {
    if settings.enrolment == .token { return try redeeming(text, settings) }
    // A code is extracted from a longer entry only if it is recognised as one of ours: a code of a different server may contain
    // spaces.
    let pasted = PastedCode.enrolment(in: text, keepsOthers: true)
    let found = pasted.code ?? text
    if let code = Self.code(in: found, settings) { return .code(code) }
    if let payload = try? EnrolmentPayload(encoded: found) {
      return Self.entitlement(try judged(checked(payload, .registration), for: account, settings))
    }
    // Such a text must not be sent: the server would refuse it, and an eavesdropper could guess the right code from it.
    guard server.verdictKeys == nil, pasted != .several,
      settings.dialect != .fido || !EnrolmentPayload.mayBeMistyped(text)
    else {
      throw Self.unreadable(
        text, orElse: .enteredCodeUnreadable, log: "code: neither a code from our server nor a payload")
    }
    return .plainCode(text)
  }

  /// The enrolment code of uaf-server that a text is; nil if it is none, or if it may be the code of another vendor's server.
  ///
  /// With other dialects the server is not uaf-server, and its code may pass the check by chance.
  private static func code(in text: String, _ settings: ServerSettings) -> EnrolmentCode? {
    let mayBeOurs = [.fido, .webauthn].contains(settings.dialect)
    return mayBeOurs || EnrolmentCode.isEvident(text) ? EnrolmentCode(typed: text) : nil
  }

  /// The ending for a text that is no code.
  ///
  /// For a mistyped code, it says so, and names the wrong group if the text shows it, or the keyboard.
  private static func unreadable(_ text: String, orElse cause: EndCause, log: String) -> Ending {
    if EnrolmentCode.isTypedInHangul(text) { return Ending(.invalidParameter, because: .codeInHangul, log: log) }
    let isMistyped = EnrolmentCode.mayBeMistyped(text)
    let told = isMistyped ? .codeMistyped(inGroup: EnrolmentCode.wrongGroup(typed: text)) : PromptText.cause(cause)
    return Ending(.invalidParameter, text: told, log: log)
  }

  /// The entitlement in a token of the server's, or in a payload that names the token and where it is redeemed.
  ///
  /// Nothing is sent to the address in a payload: it must be the one that root has configured.
  ///
  /// - Throws: ``Ending`` (1001) if the text is neither, or the payload names another address.
  private func redeeming(_ text: String, _ settings: ServerSettings) throws(Ending) -> Entitlement {
    let read: RedeemableToken
    let found = PastedCode.enrolment(in: text, keepsOthers: true).code ?? text
    do throws(MessageError) { read = try RedeemableToken(parsing: found) } catch {
      throw Ending(.invalidParameter, because: .codeUnreadable, log: "code: \(error)")
    }
    let configured = settings.registration.requestURL ?? settings.requestURL
    // A code of uaf-server is for no other server.
    guard !EnrolmentCode.isEvident(read.token),
      read.address.map({ $0.utf8.elementsEqual(configured?.text.utf8 ?? "".utf8) }) ?? true
    else {
      throw Ending(
        .invalidParameter, because: .codeOfOtherServer,
        log: "code: it is to be redeemed at a different address from the one for registrations")
    }
    return .plainCode(read.token)
  }

  /// The entitlement in the call's payload or code, checked to be for this account and the configured server.
  ///
  /// - Throws: ``Ending``, as ``code(_:for:_:)``.
  func entitlement(for account: AccountFile, _ settings: ServerSettings) throws(Ending) -> Entitlement {
    let (entitlement, payload) = try entitlement(settings)
    if let payload { _ = try judged(payload, for: account, settings) }
    return entitlement
  }

  /// The one-time code in the call's payload, which is checked to be for this account and the configured server.
  ///
  /// - Throws: ``Ending`` (1001) if the payload is for a different operation, server or account; 1100 if it has expired.
  func code(
    _ operation: UAFOperation, for account: AccountFile, _ settings: ServerSettings
  ) throws(Ending) -> String {
    try judged(payload(operation), for: account, settings).authCode
  }

  /// The payload, checked to be for this account and the configured server.
  private func judged(
    _ payload: EnrolmentPayload, for account: AccountFile?, _ settings: ServerSettings
  ) throws(Ending) -> EnrolmentPayload {
    try requireTrusted(payload, settings)
    if let name = account?.identity.serverUserName, payload.username != name {
      let isApproval = payload.op == .authentication
      throw Ending(
        .invalidParameter, text: isApproval ? .approvalOfOtherAccount(than: name) : .codeOfOtherAccount(than: name),
        log: "\(isApproval ? "approval" : "code") is for a different account, not \(name)")
    }
    return payload
  }

  /// Refuses a payload whose server or authority is not the one in root's configuration.
  func requireTrusted(_ payload: EnrolmentPayload, _ settings: ServerSettings) throws(Ending) {
    let isApproval = payload.op == .authentication
    let own = isApproval ? settings.authentication : settings.registration
    let named = ServerURL(payload.server + "/")
    let isConfigured = [settings.requestURL, own.requestURL].compactMap { $0 }.contains { configured in
      configured.isSecure == named?.isSecure && configured.host == named?.host && configured.port == named?.port
    }
    guard isConfigured else {
      throw Ending(
        .invalidParameter, because: isApproval ? .approvalOfOtherServer : .codeOfOtherServer,
        log: "\(isApproval ? "approval" : "code") of another server")
    }
    guard let authority = payload.ca else { return }
    let theirs = (try? CertificateAuthorities(parsing: Array(authority.utf8)))?.certificates
    let known = server.authorities?.certificates ?? []
    guard let theirs, theirs.allSatisfy(known.contains) else {
      throw Ending(
        .invalidParameter, because: isApproval ? .approvalOfOtherAuthority : .codeOfOtherAuthority,
        log: "\(isApproval ? "approval" : "code") of another authority")
    }
  }
}
