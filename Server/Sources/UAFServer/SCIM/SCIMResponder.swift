import Logging
import NIOCore
import NIOHTTP1
import UAFAdministration
import UAFMessages
import UAFService
import WebMessages

/// Answers the requests of provisioning programs: SCIM 2.0 (RFC 7643, RFC 7644).
///
/// Only tokens of the role ``Role/provisioning`` are accepted. The token, the limits of requests and the administration's
/// operations are those of the API; the form of requests and refusals is that of the RFCs.
struct SCIMResponder: Sendable {
  static let prefix = "/scim/v2"
  /// The longest body in bytes, enough for a group of some thousand people.
  static let maximumBody = 262_144

  private let environment: AdministrationEnvironment
  private let tokens: BearerTokens
  private let logger: Logger
  private let routes = RouteTable(
    SCIMRoutes.all.map { .init($0.method, Self.prefix + $0.path, $0) } as [RouteTable<SCIMRoute>.Route])

  /// Shares the limits of requests with the API.
  init(beside api: APIResponder) {
    environment = api.environment
    tokens = api.tokens
    logger = api.logger
  }

  /// Whether a path belongs to SCIM.
  static func isSCIM(_ path: some StringProtocol) -> Bool { path == "/scim" || path.hasPrefix("/scim/") }

  @Sendable func response(to request: WebRequest) async -> WebResponse {
    do {
      let limit = Self.maximumBody
      guard !RequestBody.announcesTooMuch(request.headers, limit: limit), request.body.readableBytes <= limit else {
        throw SCIMError(.payloadTooLarge, "the body may have at most \(limit) bytes")
      }
      return try await routed(request)
    } catch let error as SCIMError {
      return error.webResponse
    } catch let problem as Problem {
      return SCIMError(problem).webResponse
    } catch let refusal as AdministrationRefusal {
      return SCIMError(refusal).webResponse
    } catch let refusal as ProvisioningRefusal {
      return SCIMError(refusal).webResponse
    } catch let failure as any StoreFailure {
      logger.error("failed", metadata: ["by": "scim", "error": "\(failure.logName)"])
      return SCIMError(
        .serviceUnavailable, "the store cannot be used; it is unknown whether the request was done"
      ).webResponse
    } catch {
      logger.error("failed", metadata: ["by": "scim", "error": "\(type(of: error))"])
      return SCIMError(.internalServerError, "the server failed; its log has details").webResponse
    }
  }

  private func routed(_ request: WebRequest) async throws -> WebResponse {
    let caller = try await tokens.caller(of: request)
    guard caller.role == .provisioning else {
      throw SCIMError(.forbidden, "only a token of the role provisioning is accepted here")
    }
    let route: SCIMRoute
    var path: [String: String] = [:]
    switch routes.match(request.method, request.path) {
    case .nothing: throw SCIMError(.notFound, "there is no such path: see \(Self.prefix)/ResourceTypes")
    case .otherMethods(let methods):
      var error = SCIMError(.methodNotAllowed, "the path does not have this method")
      error.allowed = methods
      throw error
    case .route(let found, let variables):
      route = found
      for (name, segment) in variables {
        guard let text = QueryText.decoded(segment) else { throw SCIMError(.notFound, "there is no such resource") }
        path[name] = text
      }
    }
    let call = SCIMCall(
      caller: caller, environment: environment, id: path["id"] ?? "", query: try Self.query(of: request),
      body: route.hasBody ? try Self.body(of: request) : [:], ifMatch: request.header("If-Match"),
      ifNoneMatch: request.header("If-None-Match"))
    return try await route.handle(call)
  }

  /// The parameters of the URL; unlike at the API, a plus sign stands for a space, as many clients write it.
  private static func query(of request: WebRequest) throws(SCIMError) -> QueryText {
    let text = request.query?.replacing("+", with: "%20")
    // Unlike the API, this names a parameter that is unknown: whoever sets up an identity provider sees only this text.
    for part in (text ?? "").split(separator: "&") {
      guard let name = part.split(separator: "=", omittingEmptySubsequences: false).first,
        let name = QueryText.decoded(name), !SCIMQuery.names.contains(name)
      else { continue }
      throw SCIMError(.invalidValue, "the query has the parameter \(SCIMBody.shown(name)), which is unknown here")
    }
    do throws(Problem) { return try QueryText(text, names: SCIMQuery.names) } catch {
      throw SCIMError(.invalidValue, error.field.map { "\($0) \(error.detail)" } ?? error.detail)
    }
  }

  private static func body(of request: WebRequest) throws(SCIMError) -> JSONObject {
    // This also refuses requests of other websites that a browser sends without a CORS preflight.
    let type = request.header("Content-Type")?.split(separator: ";").first?.lowercased()
    guard type == SCIMResponse.mediaType || type == "application/json" else {
      throw SCIMError(.unsupportedMediaType, "the body must be \(SCIMResponse.mediaType)")
    }
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: Array(request.body.readableBytesView)) } catch {
      throw SCIMError(.invalidSyntax, "the body is not JSON, or an object has a member twice")
    }
    guard case .object(let object) = value else { throw SCIMError(.invalidSyntax, "the body is not a JSON object") }
    try SCIMBody.checkNames(value)
    return object
  }
}

/// One method of one path of SCIM.
struct SCIMRoute: Sendable {
  let method: HTTPMethod
  /// The path below ``SCIMResponder/prefix``, with `{id}` for an id.
  let path: String
  var hasBody = false
  let handle: @Sendable (SCIMCall) async throws -> WebResponse
}

/// One request whose caller is known, and whose query and body are parsed.
struct SCIMCall: Sendable {
  let caller: Caller
  let environment: AdministrationEnvironment
  /// The id in the path; empty if the path has none.
  let id: String
  let query: QueryText
  let body: JSONObject
  let ifMatch: String?
  let ifNoneMatch: String?

  var people: PersonProvisioning { PersonProvisioning(environment) }
  var groups: GroupProvisioning { GroupProvisioning(environment) }

  /// Refuses a change if the header `If-Match` names a different version.
  ///
  /// - Throws: ``SCIMError/changed``.
  func checkVersion(_ document: @autoclosure () -> SCIMDocument) throws {
    guard let ifMatch else { return }
    guard try document().isNamed(in: ifMatch) else { throw SCIMError.changed }
  }

  /// The response with one resource, in the part that the client wants to see.
  func response(_ document: SCIMDocument, _ status: HTTPResponseStatus = .ok) throws -> WebResponse {
    let version = try document.version()
    var headers: [(name: StaticString, value: String)] = [("ETag", version)]
    if status == .created { headers.append(("Location", document.location)) }
    return SCIMResponse.json(try document.json(SCIMQuery.projection(query), version: version), status, headers)
  }

  /// The response to a request for one resource; without a body if the client has this version.
  func found(_ document: SCIMDocument) throws -> WebResponse {
    if let ifNoneMatch, try document.isNamed(in: ifNoneMatch) {
      return WebResponse(
        status: .notModified, headers: [("ETag", try document.version()), ("Cache-Control", "no-store")])
    }
    return try response(document)
  }
}
