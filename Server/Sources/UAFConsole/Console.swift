import NIOCore
import NIOHTTP1
import UAFAdministration
import UAFMessages
import UAFService
import WebMessages

/// Answers requests for the console's pages and forms.
package struct Console: Sendable {
  private let environment: ConsoleEnvironment

  package init(_ environment: ConsoleEnvironment) { self.environment = environment }

  /// The handler of a route, and who may use it.
  private enum Target: Sendable {
    /// A page for everybody, even without a session.
    case open(@Sendable (Console, ConsoleRequest) throws -> WebResponse)
    /// A form that is part of the sign-in.
    case signIn(@Sendable (Console, ConsoleRequest, FormFields) async throws -> WebResponse)
    /// A page for people who have signed in.
    case page(PageRoutes.Route)
    /// A form for people who have signed in.
    case form(FormRoutes.Route)
    /// An operation on the session itself.
    case session(@Sendable (Console, ConsoleRequest, SignedIn, FormFields) async throws -> WebResponse)
  }

  private static let table = RouteTable<Target>(
    [
      .init(.GET, "/", .open { _, _ in ConsoleResponses.redirect(to: "/console") }),
      .init(.GET, StyleSheet.path, .open { _, _ in ConsoleResponses.styleSheet() }),
      .init(.GET, ConsoleResponses.scriptPath, .open { _, _ in ConsoleResponses.script() }),
      .init(.GET, ComfortScript.path, .open { _, _ in ConsoleResponses.comfortScript() }),
      .init(.GET, "/console/language", .open { $0.language($1) }),
      .init(
        .GET, "/console/sign-in",
        .open { console, request in
          try request.allowsAnonymous() ? console.waiting(request) : console.tooMany(request)
        }),
      .init(.POST, "/console/sign-in", .signIn { try $0.beginSignIn($1, $2) }),
      .init(
        .POST, "/console/sign-in/continue", .signIn { console, request, _ in try await console.endSignIn(request) }),
      .init(.POST, "\(passkeySignIn)/options", .signIn { try await $0.signInOptions($1, $2) }),
      .init(.POST, passkeySignIn, .signIn { try await $0.signIn($1, $2) }),
      .init(
        .POST, "\(passkeyStep)/options",
        .session { console, request, signedIn, _ in
          // The account is not counted: strangers can use up its limit, and must not keep anybody from a step.
          guard console.environment.passkeyGuard.admitsQuestion(nil, request.address) else {
            return console.tooMany(request)
          }
          return try await console.options { try await $0.stepOptions(signedIn) }
        }),
      .init(.POST, passkeyStep, .session { try await $0.confirmByPasskey($1, $2, $3) }),
      .init(
        .GET, "/console/confirm",
        .session { console, request, signedIn, _ in try console.confirmation(request, signedIn) }),
      .init(.POST, "/console/confirm", .session { try await $0.confirm($1, $2, $3) }),
      .init(
        .POST, "/console/confirm/cancel",
        .session { console, _, signedIn, _ in
          try await StepConfirmation(environment: console.environment).cancel(signedIn)
          return ConsoleResponses.redirect(to: "/console")
        }),
      .init(.POST, AccessPages.zonePath, .session { console, request, _, fields in console.zone(request, fields) }),
      .init(
        .POST, "/console/sign-out",
        .session { console, _, signedIn, _ in
          try await SignIn(environment: console.environment).end(signedIn)
          return ConsoleResponses.redirect(to: "/console/sign-in", cookies: [Cookies.removing(.session)])
        }),
    ] + PageRoutes.all.map { .init(.GET, $0.path, .page($0)) }
      + FormRoutes.all.map { .init(.POST, $0.key, .form($0.value)) }
  )

  /// Where the scripts send the answers of passkeys.
  private static let passkeySignIn = "/console/sign-in/passkey"
  private static let passkeyStep = "/console/confirm/passkey"

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - address: the address that the request came from, for the audit.
  ///   - name: the name under which the limits count this address.
  package func response(to web: WebRequest, from address: String, countedAs name: String) async -> WebResponse {
    let request = ConsoleRequest(web: web, address: address, countedAs: name, environment: environment)
    do {
      switch web.method {
      case .GET, .HEAD: return try await get(request)
      case .POST: return try await post(request)
      default:
        return request.refused(.badRequest, .methodNotAllowed)
      }
    } catch let refusal as AdministrationRefusal {
      return request.refused(refusal)
    } catch {
      environment.report(error)
      return request.refused(.failed, .serviceUnavailable)
    }
  }

  /// The handler for a method and the request's path; nil if there is none.
  private func target(_ method: HTTPMethod, _ request: ConsoleRequest) -> Target? {
    guard case .route(let target, _) = Self.table.match(method, request.web.path) else { return nil }
    return target
  }

  // MARK: Pages

  private func get(_ request: ConsoleRequest) async throws -> WebResponse {
    let target = target(.GET, request)
    if case .open(let page) = target { return try page(self, request) }
    // Without a session, nobody learns which paths exist.
    guard let signedIn = try await request.signedIn() else { return withoutSession(request) }
    switch target {
    case .session(let page): return try await page(self, request, signedIn, FormFields())
    case .page(let route):
      guard let fields = FormFields(Array((request.web.query ?? "").utf8)) else {
        return request.refused(.badRequest, .badRequest, signedIn)
      }
      do {
        let content = try await route.content(request.call(signedIn, fields))
        return try request.page(content, signedIn, status: content.isMissing ? .notFound : .ok)
      } catch let refusal as AdministrationRefusal {
        return request.refused(refusal, signedIn)
      }
    case .open, .signIn, .form, nil: return request.refused(.notFound, .notFound, signedIn)
    }
  }

  private func tooMany(_ request: ConsoleRequest) -> WebResponse { request.refused(.tooMany, .tooManyRequests) }

  private func withoutSession(_ request: ConsoleRequest) -> WebResponse {
    request.allowsAnonymous() ? request.withoutSession() : tooMany(request)
  }

  /// Sets the language, and redirects to the first page.
  ///
  /// It does not redirect to a path in the query, which anybody could have put into a link.
  private func language(_ request: ConsoleRequest) -> WebResponse {
    guard
      let language = FormFields(Array((request.web.query ?? "").utf8)).flatMap({ PageLanguage(rawValue: $0["to"]) })
    else { return request.refused(.badRequest, .badRequest) }
    return ConsoleResponses.redirect(to: "/console", cookies: [Cookies.setting(.language, to: language.rawValue)])
  }

  /// Sets the zone in which times are shown; an empty field leaves it to the browser.
  private func zone(_ request: ConsoleRequest, _ fields: FormFields) -> WebResponse {
    guard !fields["offset"].isEmpty else {
      return ConsoleResponses.redirect(to: "/console/about", cookies: [Cookies.removing(.zone)])
    }
    guard let offset = Int(fields["offset"]), ViewerZone.minutes.contains(offset) else {
      return request.refused(.badRequest, .badRequest)
    }
    let zone = ViewerZone(offset: offset, isChosen: true)
    return ConsoleResponses.redirect(
      to: "/console/about", cookies: [Cookies.setting(.zone, to: zone.chosenCookie)])
  }

  /// The page with the sign-in form, or with the sign-in that waits for its confirmation in this browser.
  private func waiting(_ request: ConsoleRequest) throws -> WebResponse {
    let signIn = SignIn(environment: environment)
    guard let code = try signIn.code(cookie: request.cookies[.signIn]) else {
      return try request.page(
        ConfirmationPages.signIn(passkeys: Self.passkeySignIn, request.language), nil)
    }
    return try request.page(try waitingPage(code, request), nil)
  }

  private func waitingPage(_ code: ConfirmationCode, _ request: ConsoleRequest) throws -> PageContent {
    ConfirmationPages.waiting(
      .confirmSignIn, shown: code.signInText(at: try environment.publicURL()), number: code.shownNumber,
      end: request.time(code.expiresAt), line: try SignIn(environment: environment).payload(code),
      action: "/console/sign-in/continue", request.language)
  }

  /// The page of the step that waits for its confirmation.
  private func confirmation(_ request: ConsoleRequest, _ signedIn: SignedIn) throws -> WebResponse {
    let confirmation = StepConfirmation(environment: environment)
    guard let step = signedIn.session.step, let code = try confirmation.code(signedIn.session) else {
      return request.refused(.noStep, .conflict, signedIn)
    }
    let passkey = PasskeyButton(action: Self.passkeyStep, button: .confirmByPasskey, request.language)
    let cancel = PageForm(
      title: request.language.text(.cancel), action: "/console/confirm/cancel", button: request.language.text(.cancel),
      isQuiet: true)
    let page = ConfirmationPages.waiting(
      .confirmStep, shown: step.text, number: code.shownNumber, end: request.time(code.expiresAt),
      line: try SignIn(environment: environment).payload(code), action: "/console/confirm", passkey: passkey,
      cancel: cancel, request.language)
    let sentence = DangerousStep(stored: step.action).map { PageBlock.paragraph($0.sentence(request.language)) }
    return try request.page(
      PageContent(title: page.title, blocks: [sentence].compactMap(\.self) + page.blocks), signedIn)
  }

  // MARK: Forms

  private func post(_ request: ConsoleRequest) async throws -> WebResponse {
    guard RequestOrigin.isOwn(request.web) else { return request.refused(.forged, .forbidden) }
    let target = target(.POST, request)
    if case .signIn(let form) = target {
      guard let fields = request.formFields() else { return request.refused(.badRequest, .badRequest) }
      guard request.allowsAnonymous() else { return tooMany(request) }
      return try await form(self, request, fields)
    }
    guard let signedIn = try await request.signedIn() else { return withoutSession(request) }
    // Only now is the body parsed, which may contain an uploaded file.
    guard let fields = request.formFields() else { return request.refused(.badRequest, .badRequest, signedIn) }
    guard fields["csrf"].isIdentical(to: signedIn.csrf) else { return request.refused(.forged, .forbidden, signedIn) }
    do {
      switch target {
      case .session(let form): return try await form(self, request, signedIn, fields)
      case .form(let route): return try await act(route, request, signedIn, fields)
      case .open, .signIn, .page, nil:
        try environment.administration.requireSignedAudit()
        return request.refused(.notFound, .notFound, signedIn)
      }
    } catch let refusal as AdministrationRefusal {
      return request.refused(refusal, signedIn)
    }
  }

  private func beginSignIn(_ request: ConsoleRequest, _ fields: FormFields) throws -> WebResponse {
    try environment.administration.requireSignedAudit()
    guard environment.admitsSignIn(request.name) else { return tooMany(request) }
    guard Username.isValid(fields["name"]) else { return request.refused(.badRequest, .badRequest) }
    let code = try SignIn(environment: environment).code(for: fields["name"])
    return ConsoleResponses.redirect(
      to: "/console/sign-in", cookies: [Cookies.setting(.signIn, to: try code.browserText(keys: environment.keys))])
  }

  private func endSignIn(_ request: ConsoleRequest) async throws -> WebResponse {
    try environment.administration.requireSignedAudit()
    let signIn = SignIn(environment: environment)
    guard let code = try signIn.code(cookie: request.cookies[.signIn]) else {
      return request.refused(.signInEnded, .conflict, cookies: [Cookies.removing(.signIn)])
    }
    switch try await signIn.openSession(code, address: request.address) {
    case .waiting: return try request.page(try waitingPage(code, request), nil, notice: .notConfirmed)
    case .ended: return request.refused(.signInEnded, .conflict, cookies: [Cookies.removing(.signIn)])
    case .refused: return request.refused(.signInRefused, .forbidden, cookies: [Cookies.removing(.signIn)])
    case .done(let token):
      return ConsoleResponses.redirect(
        to: "/console", cookies: [Cookies.setting(.session, to: token.text), Cookies.removing(.signIn)])
    }
  }

  // MARK: Passkeys

  /// Replies to a script with options, or with the reason of a refusal.
  private func options(_ make: (ConsolePasskeys) async throws -> JSONValue) async throws -> WebResponse {
    do {
      guard case .object(var object) = try await make(ConsolePasskeys(environment: environment)) else {
        throw ServiceRefusal.malformedRequest
      }
      object.set("status", .string("ok"))
      return ConsoleResponses.json(object)
    } catch let refusal as ServiceRefusal {
      return ConsoleResponses.json(
        ["status": .string("failed"), "reason": .string(refusal.rawValue)], status: .forbidden)
    }
  }

  private func signInOptions(_ request: ConsoleRequest, _ fields: FormFields) async throws -> WebResponse {
    let name = fields["name"]
    guard environment.admitsSignIn(request.name),
      environment.passkeyGuard.admitsQuestion(Username.isValid(name) ? name : nil, request.address)
    else { return tooMany(request) }
    return try await options { try await $0.signInOptions(for: name) }
  }

  private func signIn(_ request: ConsoleRequest, _ fields: FormFields) async throws -> WebResponse {
    try environment.administration.requireSignedAudit()
    let passkeys = ConsolePasskeys(environment: environment)
    do {
      guard let token = try await passkeys.openSession(fields["answer"], address: request.address) else {
        return request.refused(.signInRefused, .forbidden)
      }
      return ConsoleResponses.redirect(
        to: "/console", cookies: [Cookies.setting(.session, to: token.text), Cookies.removing(.signIn)])
    } catch let refusal as ConsolePasskeyRefusal {
      return self.refused(refusal, request)
    }
  }

  private func refused(
    _ refusal: ConsolePasskeyRefusal, _ request: ConsoleRequest, _ signedIn: SignedIn? = nil
  ) -> WebResponse {
    switch refusal {
    case .refused(let reason): request.refused(reason, signedIn)
    case .limited: request.refused(.tooMany, .tooManyRequests, signedIn)
    }
  }

  /// Performs the waiting step, if a passkey has confirmed it.
  private func confirmByPasskey(
    _ request: ConsoleRequest, _ signedIn: SignedIn, _ fields: FormFields
  ) async throws -> WebResponse {
    try environment.administration.requireSignedAudit()
    let passkeys = ConsolePasskeys(environment: environment)
    do {
      guard let step = try await passkeys.takeStep(fields["answer"], signedIn, address: request.address) else {
        return request.refused(.noStep, .conflict, signedIn)
      }
      return try await perform(step, request, signedIn, fields)
    } catch let refusal as ConsolePasskeyRefusal {
      return self.refused(refusal, request, signedIn)
    }
  }

  private func act(
    _ form: FormRoutes.Route, _ request: ConsoleRequest, _ signedIn: SignedIn, _ fields: FormFields
  ) async throws -> WebResponse {
    try environment.administration.requireSignedAudit()
    switch try await form.perform(request.call(signedIn, fields)) {
    case .redirect(let path): return ConsoleResponses.redirect(to: path)
    case .file(let name, let text): return ConsoleResponses.file(name, text)
    case .page(let content): return try request.page(content, signedIn)
    case .confirm(let step): return try await begin(step, isChecked: false, signedIn)
    case .confirmChecked(let step): return try await begin(step, isChecked: true, signedIn)
    }
  }

  private func begin(_ step: DangerousStep, isChecked: Bool, _ signedIn: SignedIn) async throws -> WebResponse {
    try await StepConfirmation(environment: environment).begin(step, isChecked: isChecked, signedIn)
    return ConsoleResponses.redirect(to: "/console/confirm")
  }

  /// Performs the waiting step, if it was confirmed.
  private func confirm(
    _ request: ConsoleRequest, _ signedIn: SignedIn, _ fields: FormFields
  ) async throws -> WebResponse {
    try environment.administration.requireSignedAudit()
    switch try await StepConfirmation(environment: environment).takeConfirmed(signedIn) {
    case .waiting: return request.refused(.notConfirmed, .conflict, signedIn)
    case .ended: return request.refused(.noStep, .conflict, signedIn)
    case .confirmed(let step): return try await perform(step, request, signedIn, fields)
    }
  }

  /// Performs a step that was confirmed, and shows what it has made.
  private func perform(
    _ step: DangerousStep, _ request: ConsoleRequest, _ signedIn: SignedIn, _ fields: FormFields
  ) async throws -> WebResponse {
    let made = try await step.perform(in: environment.administration, by: signedIn.caller.havingSigned)
    let call = request.call(signedIn, fields)
    let content = made.map { AccessForms.made($0, call) } ?? PageContent(title: call.text(.done), blocks: [])
    return try request.page(content, signedIn, notice: .done)
  }
}
