import UAFClient
import UAFConfiguration

/// An address of the configuration, and the question for it.
///
/// No question changes anything at a server.
///
/// - A login is begun for a name that nobody has, as any stranger can begin one. Nothing is signed or sent after that. A
///   server may keep its challenge until that expires.
/// - A registration or deregistration is never asked for in the dialect `fido`: the body is an empty object, which names neither
///   an operation nor an account. `plain` has no bodies, so it is a GET for that name; if the address cannot contain the name,
///   deregistration is not asked for.
/// - An answer's address is sent an empty object or, in `plain`, an empty list: nothing that could be verified.
struct ServerQuestion: Equatable {
  /// The kind of question.
  enum Kind: Equatable {
    case login
    case otherRequest
    case response
  }

  /// The key that has the address, as the configuration names it.
  let key: String
  let url: ServerURL
  let kind: Kind

  /// The name that nobody has: no name of this kind can be registered in the DNS (RFC 2606).
  static let nobody = "uafctl-doctor.invalid"

  /// The questions of a configuration, no address asked twice in the same way.
  static func all(of server: ServerSettings) -> [ServerQuestion] {
    var questions: [ServerQuestion] = []
    func add(_ section: String, _ own: ServerURL?, _ general: ServerURL?, _ name: String, _ kind: Kind) {
      guard let url = own ?? general else { return }
      let isKnown = questions.contains { $0.url == url && ($0.kind == .response) == (kind == .response) }
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
    server.dialect == .fido || server.plain.contextNames["username"] != nil || url?.text.contains("{user}") == true
  }

  /// The machine that is asked: scheme, host and port.
  var origin: String {
    let host = url.host.contains(":") ? "[\(url.host)]" : url.host
    return "\(url.isSecure ? "https" : "http")://\(host):\(url.port)"
  }

  /// The request for a question that begins no login; nil for an address that cannot be asked.
  func request(of server: ServerSettings) -> TransportRequest? {
    let user = Self.name(at: server)
    guard
      let url = URLTemplate(url.text).expanded(
        user: user, appID: server.appIDs.first ?? server.facetID, transaction: "")
    else { return nil }
    let type =
      server.contentType ?? (server.dialect == .fido ? "application/fido+uaf; charset=utf-8" : "application/json")
    if server.dialect == .fido { return .post(Array("{}".utf8), to: url, contentType: type) }
    if kind == .response { return .post(Array("[]".utf8), to: url, contentType: type) }
    let value = URLTemplate("{user}").expanded(user: user, appID: "", transaction: "") ?? ""
    let name = server.plain.contextNames["username"].map { (url.contains("?") ? "&" : "?") + "\($0)=\(value)" }
    return .get(url + (name ?? ""), accept: type)
  }

  /// The name that nobody has, as this configuration writes names.
  static func name(at server: ServerSettings) -> String { server.username.name(of: nobody) ?? nobody }
}
