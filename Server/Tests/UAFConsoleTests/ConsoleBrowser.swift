import Synchronization
import Testing
import UAFAdministration
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// The browser of one person: it keeps cookies, and sends the headers that browsers send.
final class ConsoleBrowser: Sendable {
  private let console: Console
  private let cookies = Mutex<[String: String]>([:])

  /// - Parameters:
  ///   - administration: nil for the server's own administration.
  ///   - admits: whether requests without a session are answered.
  init(
    _ server: TestServer, administration: AdministrationEnvironment? = nil, guarding: PasskeyGuard = .open,
    admits: @escaping @Sendable () -> Bool = { true }
  ) {
    console = Console(
      ConsoleEnvironment(
        administration: administration ?? server.administration, keys: server.environment.keys,
        passkeys: PasskeyService(environment: server.environment), passkeyGuard: guarding,
        publicURL: { TestServer.publicURL },
        admitsSignIn: { _ in true }, allowsAnonymous: { _ in admits() }, timeText: { String($0) },
        readTime: { Int64($0) }, version: "1", facts: .example,
        report: { Issue.record($0) }))
  }

  /// The browser's session cookie.
  var session: String? { cookies.withLock { $0["__Host-uaf-session"] } }

  var hasSession: Bool { session?.isEmpty == false }

  /// Takes the cookies of a different browser, as a thief could.
  func steal(_ name: String, from other: ConsoleBrowser) {
    let value = other.cookies.withLock { $0[name] }
    cookies.withLock { $0[name] = value }
  }

  func get(_ target: String) async -> WebResponse { await send(target, nil, origin: "https://console.test") }

  func post(_ path: String, _ body: String, origin: String = "https://console.test") async -> WebResponse {
    await send(path, body, origin: origin)
  }

  func put(_ path: String, _ body: String) async -> WebResponse {
    await send(path, body, isPut: true, origin: "https://console.test")
  }

  /// Sends a form that uploads a file.
  func upload(_ path: String, _ body: [UInt8], type: String = "multipart/form-data; boundary=b") async -> WebResponse {
    await send(path, body, type: type, origin: "https://console.test")
  }

  private func send(_ target: String, _ body: String?, isPut: Bool = false, origin: String) async -> WebResponse {
    await send(
      target, body.map { Array($0.utf8) }, isPut: isPut, type: "application/x-www-form-urlencoded", origin: origin)
  }

  private func send(
    _ target: String, _ body: [UInt8]?, isPut: Bool = false, type: String, origin: String
  ) async -> WebResponse {
    let cookie = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
    var fields = [("Host", "console.test"), ("Cookie", cookie)]
    if body != nil { fields += [("Content-Type", type), ("Origin", origin)] }
    let answer = await console.response(
      to: WebRequest(
        method: body == nil ? .GET : isPut ? .PUT : .POST, target: target, headers: .init(fields),
        body: .init(bytes: body ?? []),
        peer: nil), from: "192.0.2.1", countedAs: "192.0.2.1")
    for field in answer.headers where "\(field.name)" == "Set-Cookie" {
      let pair = field.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
      cookies.withLock { $0[String(pair[0])] = pair.count == 2 ? String(pair[1]) : nil }
    }
    return answer
  }

  /// The token that the session's forms must contain.
  func csrf() async throws -> String {
    try #require(Self.text(await get("/console/about")).split(separator: "name=\"csrf\" value=\"").dropFirst().first)
      .prefix { $0 != "\"" }.description
  }

  /// The payload for `uafctl oob` that a page shows.
  func line(_ path: String) async throws -> EnrolmentPayload {
    let shown = try #require(Self.text(await get(path)).split(separator: "role=\"region\">").dropFirst().first)
    return try EnrolmentPayload(encoded: String(shown.prefix { $0 != "<" }))
  }

  /// The body, without the one tag of the console's own script, so that a test can look for any other script.
  static func text(_ answer: WebResponse) -> String {
    let body = String(decoding: answer.body, as: UTF8.self)
    guard let tag = body.firstRange(of: "<script src=\"\(ComfortScript.path)\" defer></script>") else { return body }
    return String(body[..<tag.lowerBound] + body[tag.upperBound...])
  }
}

extension PasskeyGuard {
  /// Limits nothing, and records nothing.
  static let open = PasskeyGuard(
    admitsQuestion: { _, _ in true }, admitsAnswer: { _ in true }, refused: { _, _, _, _ in true })
}
