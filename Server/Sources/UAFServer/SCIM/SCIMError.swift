import NIOHTTP1
import UAFAdministration
import UAFMessages
import UAFService
import WebMessages

/// Why a SCIM request was refused (RFC 7644, section 3.12).
struct SCIMError: Error, Equatable {
  /// The reasons that RFC 7644 has names for.
  enum Kind: String {
    case invalidFilter
    case invalidPath
    case invalidSyntax
    case invalidValue
    case mutability
    case noTarget
    case tooMany
    case uniqueness
  }

  let status: HTTPResponseStatus
  /// nil if RFC 7644 has no name for the reason.
  let kind: Kind?
  /// The text for people.
  let detail: String
  /// The methods that the path supports, if the request used a different one.
  var allowed: [HTTPMethod] = []

  init(_ status: HTTPResponseStatus, _ detail: String) {
    self.status = status
    kind = nil
    self.detail = detail
  }

  /// A refusal with the status that RFC 7644 requires for its kind.
  init(_ kind: Kind, _ detail: String) {
    status = kind == .uniqueness ? .conflict : .badRequest
    self.kind = kind
    self.detail = detail
  }

  /// The refusal for a condition of `If-Match` that is not met (RFC 7644, section 3.14).
  static let changed = SCIMError(
    .preconditionFailed, "the resource has changed: read it again, and base your change on it")

  // MARK: Refusals of others

  init(_ problem: Problem) {
    self.init(problem.status, problem.detail)
    allowed = problem.allowed
  }

  init(_ refusal: AdministrationRefusal) {
    switch refusal {
    case .unknown(let kind, let name): self.init(.notFound, "there is no \(kind) \(name)")
    case .invalid(let field, let problem): self.init(.invalidValue, "\(Self.attribute(field)) \(problem)")
    case .conflict(.accountExists), .conflict(.externalIDTaken), .conflict(.groupExists), .conflict(.groupIDTaken):
      self.init(.uniqueness, refusal.description)
    case .conflict(.groupIsMapped): self.init(.mutability, refusal.description)
    case .notAllowed, .signatureNeeded, .privileged, .lastAdministrator, .conflict(.isAdministrator):
      self.init(.forbidden, refusal.description)
    case .conflict: self.init(.conflict, refusal.description)
    case .auditUnsigned: self.init(.serviceUnavailable, refusal.description)
    }
  }

  init(_ refusal: ProvisioningRefusal) {
    switch refusal {
    case .nameIsFixed:
      self.init(.mutability, "userName never changes: keys are bound to it. Create a user with the new name")
    case .blockedByOthers(let account, nil):
      self.init(
        .forbidden, "an administrator has disabled or locked \(account), and only an administrator can undo that")
    case .blockedByOthers(let account, let directory?):
      self.init(
        .forbidden,
        "\(account) is disabled because nobody in the directory \(directory) has this account: the directory's sync or an "
          + "administrator can make it active again")
    case .keepsDirectoryID(let id):
      self.init(
        .mutability,
        "externalId stays \(id): the account belongs to a directory, and only an administrator can change that")
    case .ofDirectory(let account, let id):
      self.init(
        .forbidden,
        "\(account) belongs to a directory (externalId \(id)): make it inactive, or let an administrator delete it")
    case .unknownMember(let id): self.init(.invalidValue, "members: no user has the id \(id)")
    case .tooManyToSearch(let most):
      self.init(
        .tooMany, "there are more than \(most) users: search by userName, externalId or id with the operator eq")
    }
  }

  /// The attribute of SCIM for a field of the administration.
  private static func attribute(_ field: String) -> String {
    switch field {
    case "account": "userName"
    case ProfileField.mail.rawValue: "emails.value"
    case ProfileField.externalID.rawValue: "externalId"
    case "name": "displayName"
    default: field
    }
  }

  // MARK: The response

  /// The body in the form of RFC 7644.
  private var json: JSONObject {
    var object: JSONObject = [
      "schemas": .array([.string("urn:ietf:params:scim:api:messages:2.0:Error")]),
      "status": .string(String(status.code)),
    ]
    object.set("scimType", kind.map { .string($0.rawValue) })
    object.set("detail", .string(detail))
    return object
  }

  var webResponse: WebResponse {
    var headers: [(name: StaticString, value: String)] = []
    switch status {
    case .unauthorized: headers.append(("WWW-Authenticate", "Bearer"))
    case .tooManyRequests: headers.append(("Retry-After", "60"))
    case .serviceUnavailable: headers.append(("Retry-After", "5"))
    case .methodNotAllowed: headers.append(("Allow", allowed.map(\.rawValue).joined(separator: ", ")))
    default: break
    }
    return SCIMResponse.json(json, status, headers, isLast: status == .payloadTooLarge)
  }
}

/// Responses in SCIM's media type.
enum SCIMResponse {
  static let mediaType = "application/scim+json"

  static func json(
    _ object: JSONObject, _ status: HTTPResponseStatus = .ok, _ headers: [(name: StaticString, value: String)] = [],
    isLast: Bool = false
  ) -> WebResponse {
    WebResponse(
      status: status, headers: [("Content-Type", mediaType), ("Cache-Control", "no-store")] + headers,
      body: JSONValue.object(object).bytes, isLast: isLast)
  }
}
