import ArgumentParser
import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import SecretMemory
import Synchronization
import UAFAdministration
import UAFCrypto
import UAFMessages
import UAFService

/// The API of a running server, through its Unix socket or over TLS.
struct RemoteLink: AdministrationLink {
  /// The longest answer that is accepted: enough for a page of 200 rows with the longest texts.
  private static let maximumResponse = 8 << 20
  private static let limit = TimeAmount.seconds(60)

  private let address: APIAddress
  /// The token that is sent; nil for the socket, where the kernel identifies the caller.
  private let token: LinkToken?
  private let client: HTTPClient

  /// Makes a link; nothing is sent yet.
  ///
  /// The caller must call ``close()``.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  init(to address: APIAddress, token: LinkToken?, trust: SinkTrust) throws {
    client = try trust.client()
    self.address = address
    self.token = token
  }

  func response(to request: APIRequest) async throws -> [UInt8] {
    let (status, type, bytes) = try await exchange(request)
    if (200..<300).contains(status.code) { return bytes }
    guard type == Problem.mediaType, case .object(let object)? = try? JSONValue(parsing: bytes),
      let code = object.text("code"), let detail = object.text("detail")
    else { throw LinkError.unexpected }
    throw Problem(status, code, detail, field: object.text("field"))
  }

  func close() async { try? await client.shutdown() }

  private func exchange(_ request: APIRequest) async throws -> (HTTPResponseStatus, String?, [UInt8]) {
    var asked = HTTPClientRequest(url: address.base + request.target)
    asked.method = request.method
    if let token { asked.headers.add(name: "Authorization", value: try token.header()) }
    if let body = request.body {
      asked.headers.add(name: "Content-Type", value: "application/json")
      asked.body = .bytes(ByteBuffer(bytes: JSONValue.object(body).bytes))
    }
    do {
      let response = try await client.execute(asked, timeout: Self.limit)
      let bytes = try await response.body.collect(upTo: Self.maximumResponse)
      return (response.status, response.headers.first(name: "Content-Type"), Array(bytes.readableBytesView))
    } catch {
      let reason = SinkFailure(error).description
      throw LinkError.away(address: address.description, reason: reason, mayBeDone: request.method != .GET)
    }
  }
}

/// The API of this process.
///
/// Its caller can read and write the state folder, and so is an administrator.
struct LocalLink: AdministrationLink {
  let environment: AdministrationEnvironment
  private let api: APIResponder
  let caller = Caller(actor: ServerEvents.caller, role: .administrator, address: "")

  init(_ environment: AdministrationEnvironment) {
    self.environment = environment
    api = APIResponder(environment, logger: Logger(label: "uaf-server") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Makes the link of a state folder.
  ///
  /// - Parameters:
  ///   - server: the base URL for payloads; nil for the one that `serve` was last started with.
  ///   - models: the authenticators that policies can name; nil for this project's own.
  /// - Throws: ``ServerError``; ``StoreFailure``.
  init(_ directory: ServerDirectory, store: any ServerStore, server: PublicURL?, models: AuthenticatorModels?) throws {
    self.init(
      AdministrationEnvironment(
        store: store, group: { _ in nil }, now: { Terminal.now }, random: { try RandomBytes.make($0) },
        publicURL: server?.text, host: ServerEvents.host,
        authority: { try CertificateFiles.authority(of: directory, for: $0) },
        verdictKeys: { String(decoding: try Self.keys(of: directory).announcedPEM, as: UTF8.self) },
        comingKeys: { try Self.keys(of: directory).comingVerdictKeys },
        unlocks: { UnlockGrants(keys: try Self.keys(of: directory)) },
        enrolments: { EnrolmentSeal(keys: try Self.keys(of: directory)) }, models: try models ?? .projectOwn()))
  }

  /// The keys that the server of the folder uses.
  ///
  /// - Throws: ``ServerError``.
  private static func keys(of directory: ServerDirectory) throws -> ServerKeys {
    try StateLock.wait(for: directory) { try ServerKeys(state: directory, now: { Terminal.now }) }
  }

  func response(to request: APIRequest) async throws -> [UInt8] {
    do {
      return try await api.routed(request.asked, of: caller).body
    } catch let refusal as AdministrationRefusal {
      throw Problem(refusal)
    }
  }

  func close() async {}

  /// Removes an administrator, even the last one.
  ///
  /// - Throws: ``Problem``; ``StoreFailure``.
  func removeAdministrator(_ name: String) async throws {
    do {
      try await AccessAdministration(environment).removeAdministrator(name, force: true, by: caller)
    } catch let refusal as AdministrationRefusal {
      throw Problem(refusal)
    }
  }
}

/// The address of a running server's API: `unix:PATH`, or `https://HOST:PORT`.
enum APIAddress: Equatable, ExpressibleByArgument, CustomStringConvertible {
  case unixSocket(path: String)
  case network(PublicURL)

  init?(argument: String) {
    if let path = ListenAddress(argument: argument)?.path {
      self = .unixSocket(path: path)
    } else if let url = PublicURL(argument: argument), url.text.dropFirst("https://".count).contains("/") == false {
      self = .network(url)
    } else {
      return nil
    }
  }

  /// The URL to which a request's target is appended.
  var base: String {
    switch self {
    case .unixSocket(let path): "http+unix://" + PathText.encoded(path)
    case .network(let url): url.text
    }
  }

  var description: String {
    switch self {
    case .unixSocket(let path): path
    case .network(let url): url.text
    }
  }
}

/// The token with which a command identifies itself to a remote server.
final class LinkToken: Sendable {
  private let text: Mutex<Secret>

  /// Reads the first line of a file that only its owner can read.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  init(path: String) throws {
    guard let line = try StateFile.readPassword(path: path) else {
      throw ServerError.unusableFile(path: path, reason: "no such file")
    }
    text = Mutex(line)
  }

  /// The value of the header `Authorization` (RFC 6750, section 2.1).
  ///
  /// The HTTP client makes copies and does not wipe them. That is accepted because the command ends soon.
  ///
  /// - Throws: ``ServerError`` if the token contains characters that a header cannot have.
  func header() throws -> String {
    try text.withLock { text in
      let bytes = text.withBytes { bytes in
        var count = bytes.count
        while count > 0, bytes[count - 1] == 0 { count -= 1 }
        return (0..<count).map { bytes[$0] }
      }
      guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw ServerError.invalidArgument("--token-file: its first line is not a token")
      }
      return "Bearer " + String(decoding: bytes, as: UTF8.self)
    }
  }
}
