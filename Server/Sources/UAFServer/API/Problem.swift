import FidoResults
import Invocation
import NIOHTTP1
import UAFAdministration
import UAFMessages
import WebMessages

/// Why a request of the API was refused (RFC 9457).
struct Problem: Error, Equatable {
  let status: HTTPResponseStatus
  /// The code by which programs distinguish problems; it never changes.
  let code: String
  /// The text for people.
  let detail: String
  /// The parameter or member that is wrong; nil if none is.
  var field: String?
  /// The methods that the path supports, if the request used a different one.
  var allowed: [HTTPMethod] = []

  init(_ status: HTTPResponseStatus, _ code: String, _ detail: String, field: String? = nil) {
    self.status = status
    self.code = code
    self.detail = detail
    self.field = field
  }

  /// Turns a refusal of the administration into a problem.
  init(_ refusal: AdministrationRefusal) {
    switch refusal {
    case .notAllowed: self.init(.forbidden, "not-allowed", refusal.description)
    case .signatureNeeded: self.init(.forbidden, "signature-needed", refusal.description)
    case .lastAdministrator: self.init(.conflict, "last-administrator", refusal.description)
    case .privileged: self.init(.forbidden, "privileged", refusal.description)
    case .unknown(let kind, let name): self.init(.notFound, "unknown", "there is no \(kind) \(name)")
    case .conflict: self.init(.conflict, "conflict", refusal.description)
    case .auditUnsigned: self.init(.serviceUnavailable, "audit-unsigned", refusal.description)
    case .invalid(let field, _): self.init(.badRequest, "invalid", refusal.description, field: field)
    }
  }

  /// The text for the command line.
  ///
  /// It may come from a remote server, so it is cleaned.
  var text: String {
    let isAboutAccount = code == "unknown" && detail.hasPrefix("there is no account ")
    return Text.cleaned(detail, limit: 1024) + (isAboutAccount ? "; 'uaf-server users' lists the accounts" : "")
  }

  /// The exit status of a command that received this problem.
  var exit: ExitStatus { status.code == 429 || status.code >= 500 ? .unreachable : .refused }

  static let mediaType = "application/problem+json"

  /// The object of RFC 9457.
  ///
  /// Its type is `about:blank`, so the title is that of the HTTP status; the member `code` says more.
  var json: JSONObject {
    var object: JSONObject = [
      "type": .string("about:blank"), "title": .string(status.reasonPhrase), "status": .integer(Int64(status.code)),
      "code": .string(code), "detail": .string(detail),
    ]
    object.set("field", field.map(JSONValue.string))
    return object
  }

  /// - Parameter headers: additional headers.
  func webResponse(_ headers: [(name: StaticString, value: String)] = [], isLast: Bool = false) -> WebResponse {
    WebResponse(
      status: status, headers: [("Content-Type", Self.mediaType), ("Cache-Control", "no-store")] + headers,
      body: JSONValue.object(json).bytes, isLast: isLast)
  }
}
