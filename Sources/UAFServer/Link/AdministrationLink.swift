import NIOHTTP1
import UAFMessages

/// What carries the requests of a command to the API: of this process, or of a server that runs.
///
/// So that a command does the same from everywhere, there is one way for all of them.
protocol AdministrationLink: Sendable {
  /// Sends a request.
  ///
  /// - Throws: ``Problem`` if it is refused; ``LinkError``; the store's failures.
  func answer(to request: APIRequest) async throws -> [UInt8]

  /// Must be called when nothing is asked any more.
  func close() async
}

extension AdministrationLink {
  /// Sends a request, and reads the object of its answer; without members for an answer without a body.
  func ask(_ request: APIRequest) async throws -> JSONObject {
    let bytes = try await answer(to: request)
    if bytes.isEmpty { return [:] }
    guard case .object(let object)? = try? JSONValue(parsing: bytes) else { throw LinkError.unexpected }
    return object
  }

  /// Hands over each row of a list, page by page.
  ///
  /// - Parameters:
  ///   - request: for the first page; `limit` and `after` are added.
  ///   - name: the member that has the rows.
  ///   - after: where to begin; nil for the beginning.
  ///   - begin: is called once, when the first page has come.
  func forEach(
    _ request: APIRequest, _ name: String, after: String? = nil, atMost most: Int = .max, begin: () -> Void = {},
    _ body: (JSONObject) -> Void
  ) async throws {
    var (after, left, isFirst) = (after, most, true)
    while left > 0 {
      var request = request
      request.query.append(("limit", String(min(left, 200))))
      request.query.append(("after", after))
      let page = try await ask(request)
      if isFirst { begin() }
      isFirst = false
      let rows = page.objects(name)
      for row in rows { body(row) }
      left -= rows.count
      guard let next = page.text("next") else { return }
      // A page may be empty and have a next one, but never itself.
      guard next != after else { throw LinkError.unexpected }
      after = next
    }
  }
}
