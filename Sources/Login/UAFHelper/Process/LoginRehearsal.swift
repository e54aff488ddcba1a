import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// A login in memory, for an account that does not exist: a core runs it while it waits for its call.
///
/// At the first use of a generic type, Swift's runtime makes the type's metadata and looks the type up by name. SQLite and the
/// C library also make tables at their first use. After a rehearsal, all of this is done before the call. The rehearsal shows
/// no prompts, and reads no file of the machine except a seed that SQLite reads from /dev/urandom, and that is then discarded.
enum LoginRehearsal {
  /// Goes through all parts.
  ///
  /// If one of them fails, it is skipped, and only takes longer in the call.
  static func run() {
    _ = try? conversation()
    _ = try? login()
    _ = try? AccountRehearsal.run()
  }

  /// Reads a typical configuration from a text in memory.
  static func configuration() throws -> Configuration {
    let text = """
      authenticators = ["passcode", "pattern"]
      [server]
      request_url = "\(RehearsedServer.get)"
      response_url = "\(RehearsedServer.respond)"
      ca_file = "/rehearsal/ca.pem"
      username = "{user}"
      [state]
      directory = "/rehearsal"
      [service.sudo]
      tries = 3

      """
    let read = try Configuration(parsing: Array(text.utf8), path: "/rehearsal/conf")
    try read.check(ModuleArguments(parsing: ["conf=/rehearsal/conf"]), service: "sudo")
    _ = (read.rules(for: .passcode), read.settings(for: "sudo"))
    return read
  }

  /// Runs both ends of a conversation: *begin*, a prompt, an answer, *finished*.
  ///
  /// - Returns: the lines that would be logged.
  static func conversation() throws -> [String] {
    let ends = try PacketSocket.pair()
    let peer = try PacketSocket(takingOver: ends.theirs)
    let frontEnd = try FrontEnd(PacketSocket(takingOver: ends.mine))
    var begin = Begin(.authenticate)
    (begin.uid, begin.account, begin.service) = (0, Array("nobody".utf8), Array("sudo".utf8))
    begin.arguments = [Array("conf=/rehearsal/conf".utf8)]
    try peer.send(begin.packet())
    let caller = try CallerIdentity(frontEnd.receiveBegin(), peer: 0, passwd: { [] })
    try peer.send(Answer.packet(Secret(copying: Array("rehearsal".utf8).span)))
    let prompt = Prompt(echo: false, check: .passcode, step: .current, text: "rehearsal")
    guard let answer = try frontEnd.ask(prompt), answer.count > 0 else { return [] }
    var success = Success()
    success.types = [.passcode]
    try frontEnd.send(.finished(PAMExit.finished(success)))
    let log = Lines()
    CallOutcome(caller: caller, operation: .authenticate, result: .success, code: .success).log(success, to: log)
    return log.lines
  }

  /// Reads the configuration, gets a UAF request from a server in memory, and has the server accept the response.
  static func login() throws -> Verdict {
    guard let facetID = try configuration().server?.facetID else { throw TransportFailure.unavailable }
    let server = try RehearsedServer(trusting: facetID)
    var network = Network(begin: { _ in }, finish: { () throws(TransportFailure) in try server.answer() })
    let endpoint = ServerEndpoint(requestURL: RehearsedServer.get, responseURL: RehearsedServer.respond)
    var flow = AuthenticationFlow(
      settings: ClientSettings(endpoint: endpoint, facetID: facetID), username: "nobody")
    try flow.start(over: &network)
    flow.receive(over: &network)
    _ = try flow.collect(over: &network, among: [server.authenticator])
    var signer = RehearsedServer.Signer(aaid: server.authenticator.aaid, keyID: server.keyID)
    try flow.sign(with: &signer)
    return try flow.send(over: &network)
  }

  private final class Lines: LogSink {
    private(set) var lines: [String] = []

    func write(_ line: LogLine, _ level: LogLevel) { lines.append("\(line)") }
  }
}

/// A server in memory, for ``LoginRehearsal``.
///
/// Its request names one key of a passcode, and it accepts every response.
final class RehearsedServer {
  static let get = "https://rehearsal.invalid/uaf/get"
  static let respond = "https://rehearsal.invalid/uaf/respond"
  private static let appID = "https://rehearsal.invalid/uaf/facets"

  /// The authenticator whose key the request names.
  let authenticator: AuthenticatorDescription
  /// The KeyID that the request names.
  let keyID: KeyID
  /// The server's answers, the last one first.
  private var answers: [TransportResponse]

  /// - Parameter facetID: the FacetID of the client that the server trusts.
  init(trusting facetID: String) throws {
    keyID = try KeyID(bytes: [UInt8](repeating: 0, count: 32))
    let aaid = try AAID(AuthenticatorType.passcode.aaid)
    authenticator = AuthenticatorDescription(
      aaid: aaid, userVerification: UserVerification.passcode,
      registrations: [.init(appID: Self.appID, keyIDs: [keyID])])
    let request = AuthenticationRequest(
      header: OperationHeader(upv: .uaf11, op: .authentication, appID: Self.appID, serverData: "rehearsal"),
      challenge: try ServerChallenge(bytes: [UInt8](repeating: 0, count: 32)),
      policy: Policy(accepted: [[MatchCriteria(aaid: aaid, keyIDs: [keyID])]]))
    let asked = ReturnUAFRequest(
      statusCode: .ok, uafRequest: UAFRequest.text(of: request, in: UPV.supported), op: .authentication,
      lifetimeMilliseconds: 60_000)
    let facets = TrustedFacetList(trustedFacets: [.init(version: .uaf11, ids: [facetID])])
    answers = [
      Self.response(ServerResponse(statusCode: .ok, description: "rehearsed").jsonBytes),
      Self.response(facets.jsonBytes, TrustedFacetList.contentType),
      Self.response(asked.jsonBytes),
    ]
  }

  /// The answer to the next HTTP request.
  func answer() throws(TransportFailure) -> TransportResponse {
    guard let next = answers.popLast() else { throw .unavailable }
    return next
  }

  private static func response(
    _ body: [UInt8], _ type: String = "application/fido+uaf; charset=utf-8"
  ) -> TransportResponse {
    TransportResponse(status: 200, contentType: type, body: body)
  }

  /// A signer whose signatures consist of zeros.
  struct Signer: AssertionSigner {
    let aaid: AAID
    let authenticatorVersion: UInt16 = 1
    let keyID: KeyID
    let signCounter: UInt32 = 1
    let nonce = [UInt8](repeating: 0, count: 8)

    func sign(_ signedData: [UInt8]) throws(SigningFailure) -> [UInt8] { [UInt8](repeating: 0, count: 64) }
  }
}
