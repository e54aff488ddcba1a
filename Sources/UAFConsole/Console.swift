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
  package func answer(_ request: WebRequest, from address: String, countedAs name: String) async -> WebAnswer {
    let visit = Visit(request: request, address: address, countedAs: name, environment: environment)
    do {
      switch request.method {
      case .GET, .HEAD: return try await get(visit)
      case .POST: return try await post(visit)
      default:
        return visit.refused(.badRequest, .methodNotAllowed)
      }
    } catch let refusal as AdministrationRefusal {
      return visit.refused(refusal)
    } catch {
      environment.report(error)
      return visit.refused(.failed, .serviceUnavailable)
    }
  }

  // MARK: Pages

  private func get(_ visit: Visit) async throws -> WebAnswer {
    let path = visit.request.path
    switch path {
    case "/": return ConsoleAnswers.redirect(to: "/console")
    case StyleSheet.path: return ConsoleAnswers.styleSheet()
    case "/console/language": return language(visit)
    case "/console/sign-in": return try visit.admitsStranger() ? waiting(visit) : tooMany(visit)
    default: break
    }
    guard let signedIn = try await visit.signedIn() else { return withoutSession(visit) }
    if path == "/console/confirm" { return try confirmation(visit, signedIn) }
    guard let route = PageRoutes.all.first(where: { $0.path == path }) else {
      return visit.refused(.notFound, .notFound, signedIn)
    }
    guard let fields = FormFields(Array((visit.request.query ?? "").utf8)) else {
      return visit.refused(.badRequest, .badRequest, signedIn)
    }
    do {
      return try visit.page(try await route.content(visit.call(signedIn, fields)), signedIn)
    } catch let refusal as AdministrationRefusal {
      return visit.refused(refusal, signedIn)
    }
  }

  private func tooMany(_ visit: Visit) -> WebAnswer { visit.refused(.tooMany, .tooManyRequests) }

  private func withoutSession(_ visit: Visit) -> WebAnswer {
    visit.admitsStranger() ? visit.withoutSession() : tooMany(visit)
  }

  /// Sets the language, and goes to the first page: a path that a link brings along is not followed.
  private func language(_ visit: Visit) -> WebAnswer {
    guard
      let language = FormFields(Array((visit.request.query ?? "").utf8)).flatMap({ PageLanguage(rawValue: $0["to"]) })
    else { return visit.refused(.badRequest, .badRequest) }
    return ConsoleAnswers.redirect(to: "/console", cookies: [Cookies.setting(.language, to: language.rawValue)])
  }

  /// The form of a sign-in, or the sign-in that this browser waits for.
  private func waiting(_ visit: Visit) throws -> WebAnswer {
    let signIn = SignIn(environment: environment)
    guard let code = try signIn.code(cookie: visit.cookies[.signIn]) else {
      return try visit.page(ConfirmationPages.signIn(visit.language), nil)
    }
    return try visit.page(try waitingPage(code, visit), nil)
  }

  private func waitingPage(_ code: ConfirmationCode, _ visit: Visit) throws -> PageContent {
    ConfirmationPages.waiting(
      .confirmSignIn, shown: code.signInText(at: try environment.publicURL()), number: code.shownNumber,
      line: try SignIn(environment: environment).payload(code), action: "/console/sign-in/continue", visit.language)
  }

  /// The step that waits to be confirmed.
  private func confirmation(_ visit: Visit, _ signedIn: SignedIn) throws -> WebAnswer {
    let confirmation = StepConfirmation(environment: environment)
    guard let step = signedIn.session.step, let code = try confirmation.code(signedIn.session) else {
      return visit.refused(.noStep, .conflict, signedIn)
    }
    let page = ConfirmationPages.waiting(
      .confirmStep, shown: step.text, number: code.shownNumber,
      line: try SignIn(environment: environment).payload(code), action: "/console/confirm", visit.language)
    let cancel = PageForm(
      title: visit.language.text(.cancel), action: "/console/confirm/cancel", button: visit.language.text(.cancel))
    return try visit.page(PageContent(title: page.title, blocks: page.blocks + [.form(cancel)]), signedIn)
  }

  // MARK: Forms

  private func post(_ visit: Visit) async throws -> WebAnswer {
    guard RequestOrigin.isOwn(visit.request) else { return visit.refused(.forged, .forbidden) }
    if visit.request.path.hasPrefix("/console/sign-in") {
      guard let fields = visit.formFields() else { return visit.refused(.badRequest, .badRequest) }
      guard visit.admitsStranger() else { return tooMany(visit) }
      switch visit.request.path {
      case "/console/sign-in": return try beginSignIn(visit, fields)
      case "/console/sign-in/continue": return try await endSignIn(visit)
      default: return withoutSession(visit)
      }
    }
    guard let signedIn = try await visit.signedIn() else { return withoutSession(visit) }
    // A file is not looked at before that.
    guard let fields = visit.formFields() else { return visit.refused(.badRequest, .badRequest, signedIn) }
    guard fields["csrf"].isIdentical(to: signedIn.csrf) else { return visit.refused(.forged, .forbidden, signedIn) }
    do {
      return try await act(visit, signedIn, fields)
    } catch let refusal as AdministrationRefusal {
      return visit.refused(refusal, signedIn)
    }
  }

  private func beginSignIn(_ visit: Visit, _ fields: FormFields) throws -> WebAnswer {
    try environment.administration.requireSignedAudit()
    guard environment.admitsSignIn(visit.name) else { return tooMany(visit) }
    guard Username.isValid(fields["name"]) else { return visit.refused(.badRequest, .badRequest) }
    let code = try SignIn(environment: environment).code(for: fields["name"])
    return ConsoleAnswers.redirect(
      to: "/console/sign-in", cookies: [Cookies.setting(.signIn, to: try code.browserText(keys: environment.keys))])
  }

  private func endSignIn(_ visit: Visit) async throws -> WebAnswer {
    try environment.administration.requireSignedAudit()
    let signIn = SignIn(environment: environment)
    guard let code = try signIn.code(cookie: visit.cookies[.signIn]) else {
      return visit.refused(.signInEnded, .conflict, cookies: [Cookies.removing(.signIn)])
    }
    switch try await signIn.outcome(code, address: visit.address) {
    case .waiting: return try visit.page(try waitingPage(code, visit), nil, notice: .notConfirmed)
    case .ended: return visit.refused(.signInEnded, .conflict, cookies: [Cookies.removing(.signIn)])
    case .refused: return visit.refused(.signInRefused, .forbidden, cookies: [Cookies.removing(.signIn)])
    case .done(let token):
      return ConsoleAnswers.redirect(
        to: "/console", cookies: [Cookies.setting(.session, to: token.text), Cookies.removing(.signIn)])
    }
  }

  private func act(_ visit: Visit, _ signedIn: SignedIn, _ fields: FormFields) async throws -> WebAnswer {
    switch visit.request.path {
    case "/console/sign-out":
      try await SignIn(environment: environment).end(signedIn)
      return ConsoleAnswers.redirect(to: "/console/sign-in", cookies: [Cookies.removing(.session)])
    case "/console/confirm":
      try environment.administration.requireSignedAudit()
      return try await confirm(visit, signedIn, fields)
    case "/console/confirm/cancel":
      try await StepConfirmation(environment: environment).cancel(signedIn)
      return ConsoleAnswers.redirect(to: "/console")
    default: break
    }
    try environment.administration.requireSignedAudit()
    guard let action = FormRoutes.action(visit.request.path) else {
      return visit.refused(.notFound, .notFound, signedIn)
    }
    switch try await action(visit.call(signedIn, fields)) {
    case .redirect(let path): return ConsoleAnswers.redirect(to: path)
    case .file(let name, let text): return ConsoleAnswers.file(name, text)
    case .page(let content): return try visit.page(content, signedIn)
    case .confirm(let step):
      try await StepConfirmation(environment: environment).begin(step, signedIn)
      return ConsoleAnswers.redirect(to: "/console/confirm")
    }
  }

  /// Does the step that waits, if it was confirmed.
  private func confirm(_ visit: Visit, _ signedIn: SignedIn, _ fields: FormFields) async throws -> WebAnswer {
    switch try await StepConfirmation(environment: environment).outcome(signedIn) {
    case .waiting: return visit.refused(.notConfirmed, .conflict, signedIn)
    case .ended: return visit.refused(.noStep, .conflict, signedIn)
    case .confirmed(let step):
      let made = try await step.perform(in: environment.administration, by: signedIn.caller.signing)
      let call = visit.call(signedIn, fields)
      let content =
        made.map { AccessForms.made($0, call) } ?? PageContent(title: call.text(.done), blocks: [])
      return try visit.page(content, signedIn, notice: .done)
    }
  }
}
