import FidoResults
import Glibc
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFWire
import Wording

/// The server: reachable from here, with a certificate that this configuration trusts, and a UAF server at each address.
struct ServerCheck {
  let server: ServerSettings
  let owner: UInt32
  let isRoot: Bool
  /// What the server has announced to this machine, in addition to root's files.
  var announced = AnnouncedTrust()
  /// Seconds since 1970, by this machine.
  let now: () -> Int
  let exchange: (FetchRequest) -> FetchAnswer?

  func findings() -> [Finding] {
    let authorities: String?
    do throws(ConfigurationFileProblem) {
      authorities = try readAuthorities()
    } catch {
      let path = server.certificateAuthorityFile ?? ""
      if !isRoot, error.isSecrecy { return [.skipped(ServerText.closed(path: path))] }
      return [.failure(.serverAuthorities, ServerText.authorities(path: path, error))]
    }
    let line = ServerLine(server, authorities: authorities, exchange: exchange)
    var findings: [Finding] = []
    var reached: [String: Bool] = [:]
    var empty: [AddressForm] = []
    for question in ServerQuestion.all(of: server) where reached[question.origin] != false {
      let number = line.answers.count
      let refusal = ask(question, over: line)
      guard line.answers.count > number else {
        findings.append(.failure(.serverAnswer, AnswerText.unfit(key: question.key, refusal?.detail ?? "")))
        continue
      }
      guard let answer = line.answers[number] else {
        return findings + [.failure(.serverUnreachable, ServerText.noFetch(question.origin))]
      }
      let isAnswered = answer.response.outcome == .answered
      if reached[question.origin] == nil {
        findings += OriginCheck(
          server: server, origin: question.origin, host: question.url.host, now: now(), line: line
        )
        .findings(answer)
      }
      reached[question.origin] = isAnswered
      if isAnswered, let exchanged = exchanged(question, refusal, over: line) { return findings + [exchanged] }
      guard isAnswered else { continue }
      findings += judge(question, answer, refusal)
      if AnswerCheck(question: question, dialect: server.dialect).isNothingThere(answer) {
        empty.append(AddressForm(question.url))
      }
    }
    findings += sameAddresses(but: empty)
    if !server.dialect.isWebAuthn, !server.hasDeregistration { findings.append(.ok(AnswerText.noDeregistration)) }
    guard reached.values.contains(true) else { return findings }
    return findings
      + VerdictKeyCheck(
        server: server, owner: owner, isRoot: isRoot, announced: announced, line: line
      ).findings()
  }

  private func readAuthorities() throws(ConfigurationFileProblem) -> String? {
    guard let path = server.certificateAuthorityFile else { return nil }
    return try CertificateAuthorities.read(path: path, requiredOwner: owner).pem + (announced.authorities ?? "")
  }

  /// Asks the server.
  ///
  /// A login goes as far as the core goes before it asks the person for anything, including the list of facets.
  private func ask(_ question: ServerQuestion, over line: ServerLine) -> Refusal? {
    guard question.kind == .login else {
      if let request = question.request(of: server) { line.ask(request) }
      return nil
    }
    let (settings, name) = (clientSettings(question), ServerQuestion.name(at: server))
    var flow = settings.authentication(as: name)
    var line = line
    do throws(Refusal) {
      try flow.start(over: &line)
      _ = try flow.collect(over: &line, among: [])
      return nil
    } catch {
      return error
    }
  }

  /// The finding if a server refuses the request of a login at the address for requests, but answers it at the address for
  /// responses.
  private func exchanged(_ question: ServerQuestion, _ refusal: Refusal?, over line: ServerLine) -> Finding? {
    guard question.kind == .login, refusal?.serverStatus != nil,
      let url = server.authentication.responseURL ?? server.responseURL,
      AddressForm(url) != AddressForm(question.url)
    else { return nil }
    let key = question.key.replacing("request_url", with: "response_url")
    let other = ServerQuestion(key: key, url: url, kind: .login)
    let number = line.answers.count
    let end = ask(other, over: line)
    guard line.answers.count > number, let answer = line.answers[number], answer.response.outcome == .answered,
      end?.serverStatus == nil,
      end.map({ $0.result == .noSuitableAuthenticator || $0.result == .untrustedFacet }) ?? true,
      AnswerCheck(question: other, dialect: server.dialect).objection(to: answer) == nil
    else { return nil }
    return .failure(.serverPath, AnswerText.exchanged(key: question.key, other: key, url: url.text))
  }

  /// The findings if requests and responses go to the same address.
  ///
  /// A server of the dialect `plain` distinguishes them by GET and POST. A server of `fido` must do it by the content of the
  /// body; servers whose addresses end like those of uaf-server do not.
  ///
  /// Some servers distinguish addresses that differ only in the query or in slashes, and others, such as uaf-server, do not. That
  /// is only a warning, because a working server must not fail here.
  ///
  /// - Parameter empty: addresses at which nothing answers, which has been reported.
  private func sameAddresses(but empty: [AddressForm]) -> [Finding] {
    guard server.dialect == .fido else { return [] }
    var keys: [String] = []
    return [("authentication", server.authentication), ("registration", server.registration)].compactMap { name, own in
      guard let url = own.requestURL ?? server.requestURL, let otherURL = own.responseURL ?? server.responseURL else {
        return nil
      }
      let (form, otherForm) = (AddressForm(url), AddressForm(otherURL))
      guard form.isLike(otherForm) || form.mayBe(otherForm), !empty.contains(form), !empty.contains(otherForm) else {
        return nil
      }
      func key(_ own: ServerURL?, _ name: String, in section: String) -> String {
        own == nil ? "server.\(name)" : "server.\(section).\(name)"
      }
      let request = key(own.requestURL, "request_url", in: name)
      guard !keys.contains(request) else { return nil }
      keys.append(request)
      let other = key(own.responseURL, "response_url", in: name)
      guard form.isLike(otherForm) else {
        let text = AnswerText.hosts(key: request, other: other, url: url.text, otherURL: otherURL.text)
        return .warning(.serverPath, text)
      }
      guard form == otherForm else {
        let text = AnswerText.alike(key: request, other: other, url: url.text, otherURL: otherURL.text)
        return .warning(.serverPath, text)
      }
      let text = AnswerText.same(key: request, other: other, url: url.text)
      return form.endsAsOurs ? .failure(.serverPath, text) : .warning(.serverPath, text)
    }
  }

  private func clientSettings(_ question: ServerQuestion) -> ClientSettings {
    let response = server.authentication.responseURL ?? server.responseURL
    var settings = ClientSettings(
      endpoint: ServerEndpoint(requestURL: question.url.text, responseURL: response?.text ?? ""),
      facetID: server.facetID)
    if let interface = WebAuthnInterface(rawValue: server.dialect.rawValue) {
      settings.webAuthn = WebAuthnSettings(
        interface: interface, origin: server.webAuthn.origin, relyingPartyID: server.webAuthn.relyingPartyID,
        tokenType: server.webAuthn.tokenType == .webauthn ? .webauthn : .passkey)
    }
    if server.dialect == .plain { settings.dialect = .plain(PlainRules(contextNames: server.plain.contextNames)) }
    settings.contentType = server.contentType
    settings.appIDs = server.appIDs
    settings.allowsPlainHere = server.allowsInsecure
    settings.takesServersTexts = server.acceptedTransactions == .any
    return settings
  }

  /// The finding about the answer of a WebAuthn server.
  ///
  /// A valid answer has options, or a refusal, for the name that nobody has.
  private func judged(_ question: ServerQuestion, _ refusal: Refusal?) -> Finding {
    guard let refusal, !refusal.saysPlainNo, refusal.result != .noSuitableAuthenticator else {
      return .ok(AnswerText.understoodWebAuthn(key: question.key))
    }
    return .failure(.serverAnswer, AnswerText.unfit(key: question.key, refusal.detail))
  }

  private func judge(_ question: ServerQuestion, _ answer: FetchAnswer, _ refusal: Refusal?) -> [Finding] {
    if let objection = AnswerCheck(question: question, dialect: server.dialect).objection(to: answer) {
      return [objection]
    }
    guard !server.dialect.isWebAuthn else { return [judged(question, refusal)] }
    let fine = Finding.ok(AnswerText.understood(key: question.key))
    guard question.kind == .login, let refusal else { return [fine] }
    if refusal.result == .untrustedFacet {
      let isUnread = refusal.cause == .facetsNotRead
      let text = isUnread ? FacetText.noList(refusal.detail) : .refused(server.facetID, refusal.detail)
      return [fine, .failure(.facetList, text)]
    }
    // There is no key for that name, so a valid request ends with this result.
    if refusal.result == .noSuitableAuthenticator, !refusal.spokenByServer {
      return [fine, .ok(FacetText.listed(server.facetID))]
    }
    if refusal.serverStatus != nil { return [fine, .ok(FacetText.unread(server.facetID))] }
    return [.failure(.serverAnswer, AnswerText.unfit(key: question.key, refusal.detail))]
  }
}

/// An address of the configuration, and the request that doctor sends to it.
///
/// No such request changes anything at a server.
///
/// - A login is begun for a name that nobody has, which any stranger can do. Nothing is signed or sent after that. A
///   server may keep its challenge until that expires.
/// - A registration or deregistration is never requested in the dialects `fido` and `webauthn`: the body is an empty object,
///   which names neither an operation nor an account. `plain` has no bodies, so it is a GET for that name; if the address
///   cannot contain the name, deregistration is not requested.
/// - The address for responses gets an empty object or, in `plain`, an empty list: nothing that could be verified.
struct ServerQuestion: Equatable {
  /// The kind of request.
  enum Kind: Equatable {
    case login
    case otherRequest
    case response
  }

  /// The key that has the address, as named in the configuration.
  let key: String
  let url: ServerURL
  let kind: Kind

  /// The name that nobody has: no name of this kind can be registered in the DNS (RFC 2606).
  static let nobody = "uafctl-doctor.invalid"

  /// The requests for a configuration; no address gets the same one twice.
  static func all(of server: ServerSettings) -> [ServerQuestion] {
    if server.dialect.derivesAddresses, let base = server.authentication.requestURL {
      // What the other addresses want cannot be sent without a person's password.
      return [ServerQuestion(key: "server.base_url", url: base, kind: .login)]
    }
    var questions: [ServerQuestion] = []
    func add(_ section: String, _ own: ServerURL?, _ general: ServerURL?, _ name: String, _ kind: Kind) {
      guard let url = own ?? general else { return }
      let isKnown = questions.contains {
        AddressForm($0.url) == AddressForm(url) && ($0.kind == .response) == (kind == .response)
      }
      guard !isKnown else { return }
      let key = own == nil ? "server.\(name)" : "server.\(section).\(name)"
      questions.append(ServerQuestion(key: key, url: url, kind: kind))
    }
    add("authentication", server.authentication.requestURL, server.requestURL, "request_url", .login)
    add("registration", server.registration.requestURL, server.requestURL, "request_url", .otherRequest)
    if carriesName(server, server.deregistration.requestURL ?? server.requestURL) {
      add("deregistration", server.deregistration.requestURL, server.requestURL, "request_url", .otherRequest)
    }
    add("authentication", server.authentication.responseURL, server.responseURL, "response_url", .response)
    add("registration", server.registration.responseURL, server.responseURL, "response_url", .response)
    return questions
  }

  /// Whether a deregistration at this address is for the name that nobody has.
  private static func carriesName(_ server: ServerSettings, _ url: ServerURL?) -> Bool {
    server.dialect != .plain || server.plain.contextNames["username"] != nil || url?.text.contains("{user}") == true
  }

  /// The origin that is contacted: scheme, host and port.
  var origin: String {
    let host = url.host.contains(":") ? "[\(url.host)]" : url.host
    return "\(url.isSecure ? "https" : "http")://\(host):\(url.port)"
  }

  /// The HTTP request, for every kind but the beginning of a login; nil for an address that cannot be contacted.
  func request(of server: ServerSettings) -> TransportRequest? {
    let user = Self.name(at: server)
    guard
      let url = URLTemplate(url.text).expanded(
        user: user, appID: server.appIDs.first ?? server.facetID, transaction: "")
    else { return nil }
    let type =
      server.contentType ?? (server.dialect == .fido ? "application/fido+uaf; charset=utf-8" : "application/json")
    if server.dialect != .plain { return .post(Array("{}".utf8), to: url, contentType: type) }
    if kind == .response { return .post(Array("[]".utf8), to: url, contentType: type) }
    let value = URLTemplate("{user}").expanded(user: user, appID: "", transaction: "") ?? ""
    let name = server.plain.contextNames["username"].map { (url.contains("?") ? "&" : "?") + "\($0)=\(value)" }
    return .get(url + (name ?? ""), accept: type)
  }

  /// The name that nobody has, in the form that this configuration gives to names.
  static func name(at server: ServerSettings) -> String { server.username.name(of: nobody) ?? nobody }
}

/// The transport for doctor's requests to the server, with the settings of the core; it keeps the answers.
final class ServerLine: Transport {
  private let server: ServerSettings
  private let authorities: String?
  private let exchange: (FetchRequest) -> FetchAnswer?
  private var begun: TransportRequest?
  /// The answers, in the order of the requests; nil if uaf-fetch failed.
  private(set) var answers: [FetchAnswer?] = []

  // Long enough for any server that logins could wait for.
  private static let longestMilliseconds: UInt32 = 10_000

  /// - Parameter authorities: the text of `ca_file`; nil without one.
  init(_ server: ServerSettings, authorities: String?, exchange: @escaping (FetchRequest) -> FetchAnswer?) {
    self.server = server
    self.authorities = authorities
    self.exchange = exchange
  }

  /// Asks the server, and stores the answer.
  ///
  /// - Parameter isVerified: whether the certificate must be valid, if the configuration requires that.
  @discardableResult
  func ask(_ question: TransportRequest, isVerified: Bool = true) -> FetchAnswer? {
    let timeout = UInt32(clamping: server.timeout.components.seconds * 1000)
    var request = FetchRequest(
      question.method == .get ? .get : .post, url: question.url,
      timeoutMilliseconds: max(1, min(timeout, Self.longestMilliseconds)))
    request.contentType = question.contentType
    request.accept = question.accept
    if question.method == .post { request.body = question.body }
    request.certificateAuthorities = authorities
    request.cookies = question.cookies
    request.headers = question.headers.map(\.line)
    request.proxy = server.proxy?.text
    if !server.verifiesTLS || !isVerified { request.skipsVerification = true }
    let answer = exchange(request)
    answers.append(answer)
    return answer
  }

  func begin(_ request: TransportRequest) throws(TransportFailure) { begun = request }

  /// The failure for a log, which need not distinguish what ``answers`` does.
  private static func failure(_ outcome: FetchOutcome) -> TransportFailure {
    switch outcome {
    case .nameNotResolved: .noHandshake(.dns)
    case .refused: .noHandshake(.refused)
    case .timedOut: .noHandshake(.timeOut)
    case .certificateRefused: .certificateRefused
    case .unacceptableRequest: .requestNotAcceptable
    case .tooLarge: .answerTooLarge
    case .ownMeans: .ownMeans
    case .unreachable, .connectionLost, .stalled, .proxyRefused, .tlsFailed, .answered, .other:
      .noHandshake(.unreachable)
    }
  }

  func finish() throws(TransportFailure) -> TransportResponse {
    guard let question = begun, let answer = ask(question) else { throw .ownMeans }
    guard answer.response.outcome == .answered else { throw Self.failure(answer.response.outcome) }
    let response = answer.response
    return TransportResponse(
      status: Int(response.status), contentType: response.contentType ?? "", body: answer.body,
      serverCertificate: response.certificate ?? [],
      redirect: response.redirect.map { Redirect(url: $0.url, isAuthorized: $0.isAuthorized) },
      cookies: response.cookies, session: response.session)
  }
}

/// Doctor's texts about the server.
enum ServerText: FindingCatalogue {
  case closed(path: String)
  case authorities(path: String, ConfigurationFileProblem)
  case noFetch(String)
  case unreachable(String, ServerSilence)
  case proxy(String, proxy: String, ServerSilence)
  case proxyRefuses(String, proxy: String, detail: String?)
  case certificate(String, host: String, CertificateCheck.Fault, ca: String?, detail: String?)
  case certificateEnds(String, days: Int64)
  case certificateWeak(String, X509.Weakness)
  case trusted(String, status: UInt16, days: Int64)
  case verified(String, status: UInt16)
  case unverified(String, status: UInt16)
  case clock(String)
  case clocksApart(String, seconds: Int, isFatal: Bool)
  case sandbox(missing: String)

  var english: FindingText {
    switch self {
    case .closed(let path): FindingText.asRoot("server: ca_file \(path)")
    case .authorities(let path, let problem):
      FindingText("server: ca_file \(path): \(problem.english)", do: "correct ca_file, or the file")
    case .noFetch(let origin):
      FindingText(
        "server: \(origin): uaf-fetch did not do its work", do: "the log says why; reinstall the libpam-uaf package")
    case .unreachable(let origin, let silence):
      FindingText("server: \(origin): \(silence.english.what)", do: silence.english.remedy)
    case .proxy(let origin, let proxy, let silence):
      FindingText(
        "server: \(origin): by way of proxy \(proxy): \(silence.english.what)",
        do: "correct server.proxy, or take it out where no proxy is needed")
    case .proxyRefuses(let origin, let proxy, let detail):
      FindingText(
        "server: \(origin): proxy \(proxy) does not let the request through" + (detail.map { " (\($0))" } ?? ""),
        do: "have the proxy let this machine reach the server without a password, or correct server.proxy")
    case .certificate(let origin, let host, let fault, let ca, let detail):
      CertificateWords(origin: origin, host: host, fault: fault, ca: ca, detail: detail).english
    case .certificateEnds(let origin, let days):
      FindingText(
        "server: \(origin): its certificate is valid for \(days) more days",
        do: "have it renewed, and restart uaf-server, or nobody can log in after that")
    case .certificateWeak(let origin, let weakness):
      FindingText(
        "server: \(origin): its certificate was accepted, but is weak: \(weakness.english)",
        do: X509.Weakness.remedy.english)
    case .trusted(let origin, let status, let days):
      FindingText("server: \(origin) answers (status \(status)), its certificate is trusted, for \(days) more days")
    case .verified(let origin, let status):
      FindingText("server: \(origin) answers (status \(status)), its certificate is trusted")
    case .unverified(let origin, let status):
      FindingText("server: \(origin) answers (status \(status)), its certificate was not checked")
    case .clock(let origin): FindingText("clock: agrees with that of \(origin)")
    case .clocksApart(let origin, let seconds, let isFatal):
      FindingText(
        "clock: \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") that of \(origin)"
          + (isFatal ? ": every signed success is refused" : ""),
        do: "set the clock that is wrong, for example with timedatectl set-ntp true")
    case .sandbox(let missing):
      FindingText(
        "fetch: its sandbox lacks \(missing) (feature and error number)",
        do: "logins work, without this barrier around the network program; a newer kernel has it")
    }
  }

  var korean: FindingText {
    switch self {
    case .closed(let path): FindingText.asRootKorean("서버: ca_file \(path)")
    case .authorities(let path, let problem):
      FindingText("서버: ca_file \(path): \(problem.korean)", do: "ca_file 또는 그 파일을 바로잡으십시오")
    case .noFetch(let origin):
      FindingText(
        "서버: \(origin): uaf-fetch가 동작하지 않았습니다", do: "로그에서 이유를 확인하고 libpam-uaf 패키지를 다시 설치하십시오")
    case .unreachable(let origin, let silence):
      FindingText("서버: \(origin): \(silence.korean.what)", do: silence.korean.remedy)
    case .proxy(let origin, let proxy, let silence):
      FindingText(
        "서버: \(origin): 프록시 \(proxy) 경유: \(silence.korean.what)",
        do: "server.proxy를 바로잡거나, 프록시가 필요 없으면 지우십시오")
    case .proxyRefuses(let origin, let proxy, let detail):
      FindingText(
        "서버: \(origin): 프록시 \(proxy)이(가) 요청을 통과시키지 않습니다" + FetchWords.quoted(detail),
        do: "이 컴퓨터가 비밀번호 없이 서버에 연결하도록 프록시에서 허용하거나 server.proxy를 바로잡으십시오")
    case .certificate(let origin, let host, let fault, let ca, let detail):
      CertificateWords(origin: origin, host: host, fault: fault, ca: ca, detail: detail).korean
    case .certificateEnds(let origin, let days):
      FindingText(
        "서버: \(origin): 인증서가 \(days)일 뒤에 만료됩니다",
        do: "갱신한 뒤 uaf-server를 다시 시작하십시오. 만료되면 아무도 로그인할 수 없습니다")
    case .certificateWeak(let origin, let weakness):
      FindingText("서버: \(origin): 받아들였으나 약한 인증서입니다. \(weakness.korean)", do: X509.Weakness.remedy.korean)
    case .trusted(let origin, let status, let days):
      FindingText("서버: \(origin): 응답합니다(상태 \(status)). 인증서를 신뢰하며 \(days)일 남았습니다")
    case .verified(let origin, let status): FindingText("서버: \(origin): 응답합니다(상태 \(status)). 인증서를 신뢰합니다")
    case .unverified(let origin, let status):
      FindingText("서버: \(origin): 응답합니다(상태 \(status)). 인증서는 확인하지 않았습니다")
    case .clock(let origin): FindingText("시계: \(origin)와(과) 같습니다")
    case .clocksApart(let origin, let seconds, let isFatal):
      FindingText(
        "시계: \(origin)보다 \(abs(seconds))초 \(seconds < 0 ? "느립니다" : "빠릅니다")"
          + (isFatal ? ". 서명된 승인이 모두 거부됩니다" : ""),
        do: "timedatectl set-ntp true 등으로 틀린 쪽의 시계를 맞추십시오")
    case .sandbox(let missing):
      FindingText(
        "fetch: 샌드박스에 \(missing)이(가) 없습니다(기능과 오류 번호)",
        do: "로그인은 되지만 네트워크를 둘러싼 보호가 하나 줄어듭니다. 더 새로운 커널에는 있습니다")
    }
  }
}
