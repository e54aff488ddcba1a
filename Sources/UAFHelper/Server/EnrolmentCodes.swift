import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// Enrolment payloads and the codes in them, checked as far as that is possible without the server.
struct EnrolmentCodes {
  private let call: Call
  private let server: ServerAccess
  private let now: () -> BootTime

  init(for call: Call, _ server: ServerAccess, now: @escaping () -> BootTime) {
    self.call = call
    self.server = server
    self.now = now
  }

  /// The call's payload.
  ///
  /// - Throws: ``Ending`` (1001) where there is none, or it cannot be read, is for something else, or has expired.
  func payload(_ operation: UAFOperation = .registration) throws(Ending) -> EnrolmentPayload {
    guard let bytes = call.begin.payload, let text = String(validating: bytes, as: UTF8.self) else {
      throw Ending(.invalidParameter, because: .codeMissing, log: "no code")
    }
    let payload: EnrolmentPayload
    do throws(MessageError) { payload = try EnrolmentPayload(encoded: text) } catch {
      throw Ending(.invalidParameter, because: .codeUnreadable, log: "code: \(error)")
    }
    return try checked(payload, operation)
  }

  private func checked(
    _ payload: EnrolmentPayload, _ operation: UAFOperation
  ) throws(Ending) -> EnrolmentPayload {
    guard payload.op == operation else {
      throw Ending(.invalidParameter, because: .codeOfOtherOperation, log: "code of another operation")
    }
    guard payload.expires > now().wallSeconds else {
      throw Ending(
        .requestNotExist, because: operation == .authentication ? .approvalExpired : .codeExpired,
        log: "the code has expired")
    }
    return payload
  }

  /// The code of an entry, which is a whole payload or its code alone.
  ///
  /// - Throws: ``Ending``, as for a payload.
  func code(entered text: String, for account: AccountFile, _ settings: ServerSettings) throws(Ending) -> String {
    guard let payload = try? EnrolmentPayload(encoded: text) else { return text }
    return try code(of: checked(payload, .registration), for: account, settings)
  }

  /// The one-time code of a payload that is for an account of this machine and its server.
  ///
  /// - Throws: ``Ending`` (1001) for a payload of another operation, server or account; 1100 after its time.
  func code(
    _ operation: UAFOperation = .registration, for account: AccountFile, _ settings: ServerSettings
  ) throws(Ending) -> String {
    try code(of: payload(operation), for: account, settings)
  }

  private func code(
    of payload: EnrolmentPayload, for account: AccountFile, _ settings: ServerSettings
  ) throws(Ending) -> String {
    try requireTrusted(payload, settings)
    guard payload.username == account.identity.serverUserName else {
      throw Ending(
        .invalidParameter, because: .codeOfOtherAccount,
        log: "code of another account than \(account.identity.serverUserName)")
    }
    return payload.authCode
  }

  /// Refuses a payload that names another server or authority than root's configuration does.
  func requireTrusted(_ payload: EnrolmentPayload, _ settings: ServerSettings) throws(Ending) {
    let own = payload.op == .authentication ? settings.authentication : settings.registration
    let named = ServerURL(payload.server + "/")
    let isConfigured = [settings.requestURL, own.requestURL].compactMap { $0 }.contains { configured in
      configured.isSecure == named?.isSecure && configured.host == named?.host && configured.port == named?.port
    }
    guard isConfigured else {
      throw Ending(
        .invalidParameter, because: .codeOfOtherServer,
        log: "code of another server")
    }
    guard let authority = payload.ca else { return }
    let known = Self.withoutWhiteSpace(server.authorities ?? "")
    guard known.contains(Self.withoutWhiteSpace(authority)) else {
      throw Ending(
        .invalidParameter, because: .codeOfOtherAuthority,
        log: "code of another authority")
    }
  }

  private static func withoutWhiteSpace(_ text: String) -> String {
    String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self)
  }
}
