import NIOCore
import NIOHTTP1
import UAFConsole
import UAFMessages
import UAFService
import WebAuthn
import WebMessages

/// The routes of WebAuthn: the FIDO Alliance's interface for server tests ("FIDO2 Conformance Server API").
///
/// Requests and replies are JSON. Each reply has `status`, which is `ok` or `failed`, and `errorMessage`. A refusal also has
/// `reason`, the word that the log has. An accepted answer has `verdict`, the signed token.
struct PasskeyRoutes: Sendable {
  let environment: ServiceEnvironment
  let admission: Admission
  let refusals: AnswerRefusals
  let log: RequestLog

  private var service: PasskeyService { PasskeyService(environment: environment) }

  // MARK: Options

  /// Makes the options of a registration; the enrolment code is the bearer token of the request (RFC 6750, section 2.1).
  func registrationOptions(_ request: WebRequest, from address: SocketAddress?) async throws -> WebResponse {
    try await options(request, .registration, from: address) { service, question in
      guard let username = question.username else { throw ServiceRefusal.invalidUsername }
      let asked = PasskeyService.RegistrationQuestion(
        username: username, code: Self.bearer(request.header("Authorization")), attachment: question.attachment)
      return try await service.creationOptions(asked).json
    }
  }

  /// Makes the options of an authentication; without a name, for any passkey that the authenticator finds by itself.
  func authenticationOptions(_ request: WebRequest, from address: SocketAddress?) async throws -> WebResponse {
    try await options(request, .authentication, from: address) { service, question in
      try await service.requestOptions(for: question.username).json
    }
  }

  /// What a client asks for options.
  private struct Question {
    /// A valid name; nil if the client gives none.
    var username: String?
    var attachment: AuthenticatorAttachment?

    /// Reads a question; members that are not used are ignored, as in WebAuthn.
    ///
    /// - Throws: ``ServiceRefusal``.
    init(_ body: [UInt8]) throws(ServiceRefusal) {
      guard case .object(let object)? = try? JSONValue(parsing: body) else { throw .malformedRequest }
      switch object["username"] {
      case nil, .null, .string(""): username = nil
      case .string(let name):
        guard Username.isValid(name) else { throw .invalidUsername }
        username = name
      default: throw .malformedRequest
      }
      guard case .object(let selection)? = object["authenticatorSelection"],
        case .string(let attachment)? = selection["authenticatorAttachment"]
      else { return }
      self.attachment = AuthenticatorAttachment(rawValue: attachment)
    }
  }

  private func options(
    _ request: WebRequest, _ operation: UAFOperation, from address: SocketAddress?,
    _ make: (PasskeyService, Question) async throws -> JSONValue
  ) async throws -> WebResponse {
    try RequestBody.requireShort(request)
    let now = environment.now()
    guard let standing = admission.admits(nil, from: address, now: now) else {
      throw log.limited(.address, .passkeyOptions, operation, from: address)
    }
    var account: String?
    return try await answer(request, .passkeyOptions, operation, of: { account }, from: address) { body in
      let question = try Question(body)
      account = question.username
      let limit = admission.limit(of: nil, for: account, as: standing, from: address, now: now)
      if let limit { throw log.limited(limit, .passkeyOptions, operation, from: address, for: account) }
      guard case .object(let options) = try await make(service, question) else { return [:] }
      log.issued(operation, to: account, .passkeyOptions)
      return options
    }
  }

  // MARK: Results

  /// Verifies a new passkey, and stores it.
  func registrationResult(_ request: WebRequest, from address: SocketAddress?) async throws -> WebResponse {
    try await result(request, .registration, from: address) { body in
      do throws(WebAuthnError) { return .registration(try AttestationResponse(parsing: body)) } catch {
        throw ServiceRefusal.malformedMessage
      }
    }
  }

  /// Verifies an assertion, and stores that it was made.
  func authenticationResult(_ request: WebRequest, from address: SocketAddress?) async throws -> WebResponse {
    try await result(request, .authentication, from: address) { body in
      do throws(WebAuthnError) { return .authentication(try AssertionResponse(parsing: body)) } catch {
        throw ServiceRefusal.malformedMessage
      }
    }
  }

  private func result(
    _ request: WebRequest, _ operation: UAFOperation, from address: SocketAddress?,
    _ parse: ([UInt8]) throws -> PasskeyMessage
  ) async throws -> WebResponse {
    var received: ReceivedPasskeyResponse?
    // The account of the passkey, once it has signed.
    var owner: String?
    return try await answer(
      request, .passkeyResult, operation, of: { owner ?? received?.username }, from: address,
      refusing: { try await countWrong(received, $0, signedBy: owner, address) },
      { body in
        let answer = try service.read(parse(body))
        received = answer
        if !admission.admits(answerTo: answer.challengeHash, now: environment.now()) {
          _ = try await countWrong(answer, nil, signedBy: nil, address)
        }
        let from = AnswerRefusals.text(address)
        let accepted =
          operation == .registration
          ? try await service.register(answer, at: from)
          : try await service.authenticate(answer, signed: { owner = $0 }, at: from)
        log.accepted(operation, accepted)
        return ["username": .string(accepted.username), "verdict": .string(accepted.token.value)]
      })
  }

  /// Counts a wrong answer.
  ///
  /// - Parameter owner: the account whose passkey has signed; nil if none has.
  /// - Returns: whether the refusal is only counted, and has no row of its own in the audit.
  /// - Throws: ``WebRefusal`` if a limit is reached.
  private func countWrong(
    _ answer: ReceivedPasskeyResponse?, _ refusal: ServiceRefusal?, signedBy owner: String?, _ address: SocketAddress?
  ) async throws -> Bool {
    let event = answer.flatMap { answer in
      refusal.flatMap { refusals.event(answer, $0, signedBy: owner, address) }
    }
    let account = owner ?? answer?.username
    if let limit = try await refusals.limit(nil, address, account: account, event) {
      throw log.limited(limit, .passkeyResult, nil, from: address, for: account)
    }
    return event == nil
  }

  /// The limits and records of these routes, for the console.
  var guarding: PasskeyGuard {
    PasskeyGuard(
      admitsQuestion: { account, address in
        let (address, now) = (Self.socketAddress(address), environment.now())
        return admission.admits(nil, from: address, now: now) != nil
          && admission.limit(of: nil, for: account, as: .stranger, from: address, now: now) == nil
      },
      admitsAnswer: { admission.admits(answerTo: $0.challengeHash, now: environment.now()) },
      refused: { answer, refusal, owner, text in
        let address = Self.socketAddress(text)
        do {
          let isCounted = try await countWrong(answer, refusal, signedBy: owner, address)
          guard let refusal else { return true }
          log.refused(
            refusal, .passkeyResult, .authentication, of: owner ?? answer?.username, from: address,
            isCounted: isCounted)
          return true
        } catch is WebRefusal {
          return false
        }
      })
  }

  private static func socketAddress(_ text: String) -> SocketAddress? { try? SocketAddress(ipAddress: text, port: 0) }

  // MARK: Both

  /// Answers a request, and logs how it ended.
  ///
  /// - Parameters:
  ///   - account: the account, as far as it is known when the request is refused.
  ///   - refusing: is called with each refusal; returns whether the refusal is only counted.
  ///   - body: makes the members of the reply from the bytes of the request.
  /// - Throws: ``WebRefusal``.
  private func answer(
    _ request: WebRequest, _ route: UAFRoute, _ operation: UAFOperation, of account: () -> String?,
    from address: SocketAddress?, refusing: (ServiceRefusal) async throws -> Bool = { _ in true },
    _ body: ([UInt8]) async throws -> JSONObject
  ) async throws -> WebResponse {
    guard try RequestBody.mediaType(of: request) == .json else {
      throw WebRefusal(WebResponse(status: .unsupportedMediaType))
    }
    let bytes = try RequestBody.bytes(of: request)
    do {
      var object = try await body(bytes)
      object.set("status", .string("ok"))
      object.set("errorMessage", .string(""))
      return Self.response(object, .ok)
    } catch let refusal as ServiceRefusal {
      let isCounted = try await refusing(refusal)
      log.refused(refusal, route, operation, of: account(), from: address, isCounted: isCounted)
      return Self.refused(refusal)
    } catch let error as WebRefusal {
      throw error
    } catch let error as any StoreFailure where error.isTemporary {
      throw log.away(error, route, operation)
    } catch {
      log.failed(error, route, operation)
      return Self.refused(.internalError)
    }
  }

  private static func refused(_ refusal: ServiceRefusal) -> WebResponse {
    let status: HTTPResponseStatus =
      switch refusal.statusCode {
      case .badRequest: .badRequest
      case .internalServerError: .internalServerError
      default: .forbidden
      }
    return response(
      [
        "status": .string("failed"), "errorMessage": .string(PasskeyRefusalText.english(refusal)),
        "reason": .string(refusal.rawValue),
      ], status)
  }

  private static func response(_ object: JSONObject, _ status: HTTPResponseStatus) -> WebResponse {
    WebResponse(
      status: status, headers: [("Content-Type", UAFMediaType.json.header), ("Cache-Control", "no-store")],
      body: JSONValue.object(object).bytes)
  }

  /// The token of a header `Authorization: Bearer ...`; nil for anything else.
  private static func bearer(_ header: String?) -> String? {
    let scheme = "bearer "
    guard let header, header.utf8.count < 256, header.lowercased().hasPrefix(scheme) else { return nil }
    return String(header.dropFirst(scheme.count))
  }
}
