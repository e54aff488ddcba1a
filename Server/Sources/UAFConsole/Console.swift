import NIOCore
import NIOHTTP1
import UAFAdministration
import UAFService
import WebMessages

/// Answers requests for the console's pages and forms.
package struct Console: Sendable {
  private let environment: ConsoleEnvironment

  package init(_ environment: ConsoleEnvironment) { self.environment = environment }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - address: where it came from, for the audit.
  ///   - name: under which the limits count that address.
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

  // MARK: Pages

  private func get(_ request: ConsoleRequest) async throws -> WebResponse {
    let path = request.web.path
    switch path {
    case "/": return ConsoleResponses.redirect(to: "/console")
    case StyleSheet.path: return ConsoleResponses.styleSheet()
    case "/console/language": return language(request)
    case "/console/sign-in": return try request.allowsAnonymous() ? waiting(request) : tooMany(request)
    default: break
    }
    guard let signedIn = try await request.signedIn() else { return withoutSession(request) }
    if path == "/console/confirm" { return try confirmation(request, signedIn) }
    guard let route = PageRoutes.all.first(where: { $0.path == path }) else {
      return request.refused(.notFound, .notFound, signedIn)
    }
    guard let fields = FormFields(Array((request.web.query ?? "").utf8)) else {
      return request.refused(.badRequest, .badRequest, signedIn)
    }
    do {
      return try request.page(try await route.content(request.call(signedIn, fields)), signedIn)
    } catch let refusal as AdministrationRefusal {
      return request.refused(refusal, signedIn)
    }
  }

  private func tooMany(_ request: ConsoleRequest) -> WebResponse { request.refused(.tooMany, .tooManyRequests) }

  private func withoutSession(_ request: ConsoleRequest) -> WebResponse {
    request.allowsAnonymous() ? request.withoutSession() : tooMany(request)
  }

  /// Sets the language, and goes to the first page: a path that a link brings along is not followed.
  private func language(_ request: ConsoleRequest) -> WebResponse {
    guard
      let language = FormFields(Array((request.web.query ?? "").utf8)).flatMap({ PageLanguage(rawValue: $0["to"]) })
    else { return request.refused(.badRequest, .badRequest) }
    return ConsoleResponses.redirect(to: "/console", cookies: [Cookies.setting(.language, to: language.rawValue)])
  }

  /// The form of a sign-in, or the sign-in that this browser waits for.
  private func waiting(_ request: ConsoleRequest) throws -> WebResponse {
    let signIn = SignIn(environment: environment)
    guard let code = try signIn.code(cookie: request.cookies[.signIn]) else {
      return try request.page(ConfirmationPages.signIn(request.language), nil)
    }
    return try request.page(try waitingPage(code, request), nil)
  }

  private func waitingPage(_ code: ConfirmationCode, _ request: ConsoleRequest) throws -> PageContent {
    ConfirmationPages.waiting(
      .confirmSignIn, shown: code.signInText(at: try environment.publicURL()), number: code.shownNumber,
      line: try SignIn(environment: environment).payload(code), action: "/console/sign-in/continue", request.language)
  }

  /// The step that waits to be confirmed.
  private func confirmation(_ request: ConsoleRequest, _ signedIn: SignedIn) throws -> WebResponse {
    let confirmation = StepConfirmation(environment: environment)
    guard let step = signedIn.session.step, let code = try confirmation.code(signedIn.session) else {
      return request.refused(.noStep, .conflict, signedIn)
    }
    let page = ConfirmationPages.waiting(
      .confirmStep, shown: step.text, number: code.shownNumber,
      line: try SignIn(environment: environment).payload(code), action: "/console/confirm", request.language)
    let cancel = PageForm(
      title: request.language.text(.cancel), action: "/console/confirm/cancel", button: request.language.text(.cancel))
    return try request.page(PageContent(title: page.title, blocks: page.blocks + [.form(cancel)]), signedIn)
  }

  // MARK: Forms

  private func post(_ request: ConsoleRequest) async throws -> WebResponse {
    guard RequestOrigin.isOwn(request.web) else { return request.refused(.forged, .forbidden) }
    if request.web.path.hasPrefix("/console/sign-in") {
      guard let fields = request.formFields() else { return request.refused(.badRequest, .badRequest) }
      guard request.allowsAnonymous() else { return tooMany(request) }
      switch request.web.path {
      case "/console/sign-in": return try beginSignIn(request, fields)
      case "/console/sign-in/continue": return try await endSignIn(request)
      default: return withoutSession(request)
      }
    }
    guard let signedIn = try await request.signedIn() else { return withoutSession(request) }
    // A file is not looked at before that.
    guard let fields = request.formFields() else { return request.refused(.badRequest, .badRequest, signedIn) }
    guard fields["csrf"].isIdentical(to: signedIn.csrf) else { return request.refused(.forged, .forbidden, signedIn) }
    do {
      return try await act(request, signedIn, fields)
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
    switch try await signIn.outcome(code, address: request.address) {
    case .waiting: return try request.page(try waitingPage(code, request), nil, notice: .notConfirmed)
    case .ended: return request.refused(.signInEnded, .conflict, cookies: [Cookies.removing(.signIn)])
    case .refused: return request.refused(.signInRefused, .forbidden, cookies: [Cookies.removing(.signIn)])
    case .done(let token):
      return ConsoleResponses.redirect(
        to: "/console", cookies: [Cookies.setting(.session, to: token.text), Cookies.removing(.signIn)])
    }
  }

  private func act(_ request: ConsoleRequest, _ signedIn: SignedIn, _ fields: FormFields) async throws -> WebResponse {
    switch request.web.path {
    case "/console/sign-out":
      try await SignIn(environment: environment).end(signedIn)
      return ConsoleResponses.redirect(to: "/console/sign-in", cookies: [Cookies.removing(.session)])
    case "/console/confirm":
      try environment.administration.requireSignedAudit()
      return try await confirm(request, signedIn, fields)
    case "/console/confirm/cancel":
      try await StepConfirmation(environment: environment).cancel(signedIn)
      return ConsoleResponses.redirect(to: "/console")
    default: break
    }
    try environment.administration.requireSignedAudit()
    guard let form = FormRoutes.route(request.web.path) else {
      return request.refused(.notFound, .notFound, signedIn)
    }
    switch try await form.perform(request.call(signedIn, fields)) {
    case .redirect(let path): return ConsoleResponses.redirect(to: path)
    case .file(let name, let text): return ConsoleResponses.file(name, text)
    case .page(let content): return try request.page(content, signedIn)
    case .confirm(let step):
      try await StepConfirmation(environment: environment).begin(step, signedIn)
      return ConsoleResponses.redirect(to: "/console/confirm")
    }
  }

  /// Does the step that waits, if it was confirmed.
  private func confirm(
    _ request: ConsoleRequest, _ signedIn: SignedIn, _ fields: FormFields
  ) async throws -> WebResponse {
    switch try await StepConfirmation(environment: environment).outcome(signedIn) {
    case .waiting: return request.refused(.notConfirmed, .conflict, signedIn)
    case .ended: return request.refused(.noStep, .conflict, signedIn)
    case .confirmed(let step):
      let made = try await step.perform(in: environment.administration, by: signedIn.caller.signing)
      let call = request.call(signedIn, fields)
      let content =
        made.map { AccessForms.made($0, call) } ?? PageContent(title: call.text(.done), blocks: [])
      return try request.page(content, signedIn, notice: .done)
    }
  }
}
