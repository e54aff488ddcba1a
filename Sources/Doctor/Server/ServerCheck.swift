import FidoResults
import Glibc
import UAFClient
import UAFConfiguration
import UAFWire

/// The server: reachable from here, with a certificate this configuration trusts, and a UAF server at each address.
struct ServerCheck {
  let server: ServerSettings
  let owner: UInt32
  let isRoot: Bool
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
      if isAnswered { findings += judge(question, answer, refusal) }
    }
    guard reached.values.contains(true) else { return findings }
    return findings + VerdictKeyCheck(server: server, owner: owner, isRoot: isRoot, line: line).findings()
  }

  private func readAuthorities() throws(ConfigurationFileProblem) -> String? {
    guard let path = server.certificateAuthorityFile else { return nil }
    return try CertificateAuthorities.read(path: path, requiredOwner: owner).pem
  }

  /// Asks the server.
  ///
  /// A login goes as far as the core goes before a value is asked for, with the list of facets.
  private func ask(_ question: ServerQuestion, over line: ServerLine) -> Refusal? {
    guard question.kind == .login else {
      if let request = question.request(of: server) { line.ask(request) }
      return nil
    }
    var flow = AuthenticationFlow(settings: clientSettings(question), username: ServerQuestion.name(at: server))
    var line = line
    do throws(Refusal) {
      try flow.start(over: &line)
      _ = try flow.collect(over: &line, among: [])
      return nil
    } catch {
      return error
    }
  }

  private func clientSettings(_ question: ServerQuestion) -> ClientSettings {
    let response = server.authentication.responseURL ?? server.responseURL
    var settings = ClientSettings(
      endpoint: ServerEndpoint(requestURL: question.url.text, responseURL: response?.text ?? ""),
      facetID: server.facetID)
    if server.dialect == .plain { settings.dialect = .plain(PlainRules(contextNames: server.plain.contextNames)) }
    settings.contentType = server.contentType
    settings.appIDs = server.appIDs
    settings.allowsPlainHere = server.allowsInsecure
    settings.takesServersTexts = server.acceptedTransactions == .any
    return settings
  }

  private func judge(_ question: ServerQuestion, _ answer: FetchAnswer, _ refusal: Refusal?) -> [Finding] {
    if let objection = AnswerCheck(question: question, dialect: server.dialect).objection(to: answer) {
      return [objection]
    }
    let fine = Finding.ok(AnswerText.understood(key: question.key))
    guard question.kind == .login, let refusal else { return [fine] }
    if refusal.result == .untrustedFacet {
      let isUnread = refusal.cause == .facetsNotRead
      let text = isUnread ? FacetText.noList(refusal.detail) : .refused(server.facetID, refusal.detail)
      return [fine, .failure(.facetList, text)]
    }
    // There is no key for that name, so a request that is right ends with this.
    if refusal.result == .noSuitableAuthenticator, !refusal.spokenByServer {
      return [fine, .ok(FacetText.listed(server.facetID))]
    }
    if refusal.serverStatus != nil { return [fine, .ok(FacetText.unread(server.facetID))] }
    return [.failure(.serverAnswer, AnswerText.unfit(key: question.key, refusal.detail))]
  }
}
