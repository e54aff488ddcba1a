import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import UAFMessages

/// The API of a server that runs, at its socket or over TLS.
struct RemoteLink: AdministrationLink {
  /// Bytes of an answer: a page of 200 rows with the longest texts.
  private static let maximumAnswer = 8 << 20
  private static let limit = TimeAmount.seconds(60)

  private let address: APIAddress
  /// nil at the socket, where the kernel says who asks.
  private let token: LinkToken?
  private let client: HTTPClient

  /// Makes a link; nothing is sent yet.
  ///
  /// ``close()`` must be called.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  init(to address: APIAddress, token: LinkToken?, trust: SinkTrust) throws {
    client = try trust.client()
    self.address = address
    self.token = token
  }

  func answer(to request: APIRequest) async throws -> [UInt8] {
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
      let answer = try await client.execute(asked, timeout: Self.limit)
      let bytes = try await answer.body.collect(upTo: Self.maximumAnswer)
      return (answer.status, answer.headers.first(name: "Content-Type"), Array(bytes.readableBytesView))
    } catch {
      let reason = SinkFailure(error).description
      throw LinkError.away(address: address.description, reason: reason, mayBeDone: request.method != .GET)
    }
  }
}
