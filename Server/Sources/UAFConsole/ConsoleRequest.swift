import NIOCore
import NIOHTTP1
import UAFAdministration
import UAFService
import WebMessages

/// One request to the console with its cookies and language, and helpers for its responses.
struct ConsoleRequest {
  let web: WebRequest
  let address: String
  /// The name under which the limits count the address.
  let name: String
  let environment: ConsoleEnvironment
  let cookies: Cookies
  let language: PageLanguage
  let zone: ViewerZone

  init(web: WebRequest, address: String, countedAs name: String, environment: ConsoleEnvironment) {
    self.web = web
    self.address = address
    self.name = name
    self.environment = environment
    cookies = Cookies(web.header("cookie"))
    zone = ViewerZone(cookie: cookies[.zone])
    language =
      cookies[.language].flatMap(PageLanguage.init(rawValue:))
      ?? PageLanguage(accepted: web.header("accept-language"))
  }

  /// Counts the request as one without a session, and returns whether it is answered.
  func allowsAnonymous() -> Bool { environment.allowsAnonymous(name) }

  /// The person who has signed in; nil if nobody has.
  func signedIn() async throws -> SignedIn? {
    try await SessionCheck(environment: environment).signedIn(cookie: cookies[.session], address: address)
  }

  /// The fields of the form in the body; nil if the body is not such a form.
  func formFields() -> FormFields? {
    if UploadLimit.paths.contains(web.path) {
      guard let parts = MultipartForm(Array(web.body.readableBytesView), type: web.header("content-type"))
      else { return nil }
      return FormFields(parts)
    }
    guard web.header("content-type")?.hasPrefix("application/x-www-form-urlencoded") == true else { return nil }
    return FormFields(Array(web.body.readableBytesView))
  }

  func call(_ signedIn: SignedIn, _ fields: FormFields) -> PageCall {
    PageCall(
      signedIn: signedIn, language: language, zone: zone, path: web.path, fields: fields, environment: environment)
  }

  /// A time as pages show it.
  func time(_ seconds: Int64) -> PageTime {
    PageTime(seconds, now: environment.now, zone: zone, machine: environment.timeText(seconds), language)
  }

  // MARK: Answers

  /// A redirect to the sign-in page.
  func withoutSession() -> WebResponse {
    ConsoleResponses.redirect(
      to: "/console/sign-in", cookies: cookies[.session] == nil ? [] : [Cookies.removing(.session)])
  }

  /// A page.
  func page(
    _ content: PageContent, _ signedIn: SignedIn?, notice: PageText? = nil, status: HTTPResponseStatus = .ok,
    cookies: [(name: StaticString, value: String)] = []
  ) throws -> WebResponse {
    let html = try PageTemplates.render(context(content, signedIn, notice: notice.map { language.text($0) }))
    return ConsoleResponses.page(html, status: status, asks: content.asks, cookies: cookies)
  }

  /// A page that says why the request was refused.
  func refused(
    _ text: PageText, _ status: HTTPResponseStatus, _ signedIn: SignedIn? = nil,
    cookies: [(name: StaticString, value: String)] = []
  ) -> WebResponse {
    refused(language.text(text), status, signedIn, cookies: cookies)
  }

  /// A page about the refusal of a passkey.
  func refused(_ refusal: ServiceRefusal, _ signedIn: SignedIn? = nil) -> WebResponse {
    refused(PasskeyRefusalText(refusal).text(in: language), .forbidden, signedIn)
  }

  /// A page about the refusal of an operation.
  func refused(_ refusal: AdministrationRefusal, _ signedIn: SignedIn? = nil) -> WebResponse {
    switch refusal {
    case .notAllowed, .privileged: refused(.notAllowed, .forbidden, signedIn)
    case .auditUnsigned: refused(.auditUnsigned, .serviceUnavailable, signedIn)
    case .signatureNeeded: refused(.signatureNeeded, .forbidden, signedIn)
    case .lastAdministrator: refused(.lastAdministrator, .conflict, signedIn)
    case .unknown: refused(.notFound, .notFound, signedIn)
    case .conflict(let conflict): refused(language.text(.refused, language.text(conflict)), .conflict, signedIn)
    case .invalid(let field, let problem):
      refused(language.text(.refused, language.text(problem, of: field)), .badRequest, signedIn)
    }
  }

  private func refused(
    _ text: String, _ status: HTTPResponseStatus, _ signedIn: SignedIn?,
    cookies: [(name: StaticString, value: String)] = []
  ) -> WebResponse {
    let content = PageContent(title: language.text(.problem), blocks: [.paragraph(text)])
    do {
      return try page(content, signedIn, status: status, cookies: cookies)
    } catch {
      environment.report(error)
      return WebResponse(status: .internalServerError)
    }
  }

  private func context(_ content: PageContent, _ signedIn: SignedIn?, notice: String?) -> [String: Any] {
    let csrf = signedIn?.csrf ?? ""
    var context: [String: Any] = [
      "language": language.rawValue, "title": content.title, "style": StyleSheet.path,
      "now": environment.timeText(environment.now), "hasChosenZone": zone.isChosen,
      "skip": language.text(.skip), "languageLabel": language.text(.languages), "menuLabel": language.text(.menu),
      "hasNotice": notice != nil, "notice": notice ?? "", "comfort": ["comfortPath": ComfortScript.path],
      "languages": PageLanguage.allCases.map { other -> [String: Any] in
        [
          "code": other.rawValue, "shown": other.name, "href": "/console/language?to=\(other.rawValue)",
          "isCurrent": other == language,
        ]
      },
      "hasMenu": signedIn != nil, "places": [[String: Any]](), "back": false, "zone": false,
      "head": content.head.map { $0.context(more: language.text(.more), csrf: csrf) as Any } ?? false,
      "blocks": content.blocks.enumerated().map { $1.context(number: $0, csrf: csrf) },
    ]
    if content.hasPasskey { context["script"] = ["path": ConsoleResponses.scriptPath] }
    if let signedIn {
      // Only the first word: the text of a role continues with a description in parentheses.
      let role = call(signedIn, FormFields()).roleText(signedIn.session.role).split(separator: " ").first
      context["session"] = [
        "csrf": csrf, "signOut": language.text(.signOut),
        "who": language.text(.signedInAs, signedIn.session.username, String(role ?? "")),
      ]
      let menu = PlaceMenu(path: web.path, role: signedIn.caller.role, language: language)
      context.merge(menu.context) { $1 }
      if let back = menu.back { context["back"] = ["backLink": back.link ?? "", "backText": back.text] }
      context["zone"] = [
        "zoneText": language.text(.timesAreIn, zone.name), "zoneChange": language.text(.changeZone),
      ]
    }
    return context
  }
}
