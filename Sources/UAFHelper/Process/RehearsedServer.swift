import Authenticator
import UAFClient
import UAFMessages

/// A server in memory, for ``LoginRehearsal``: it asks for one key of one passcode, and accepts every answer.
final class RehearsedServer {
  static let get = "https://rehearsal.invalid/uaf/get"
  static let respond = "https://rehearsal.invalid/uaf/respond"
  private static let appID = "https://rehearsal.invalid/uaf/facets"

  /// The authenticator whose key it asks for.
  let authenticator: AuthenticatorDescription
  /// That key.
  let keyID: KeyID
  /// What it answers, the last one first.
  private var answers: [TransportResponse]

  /// - Parameter facetID: the client that it trusts.
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

  /// The answer to the next question.
  func answer() throws(TransportFailure) -> TransportResponse {
    guard let next = answers.popLast() else { throw .unavailable }
    return next
  }

  private static func response(
    _ body: [UInt8], _ type: String = "application/fido+uaf; charset=utf-8"
  ) -> TransportResponse {
    TransportResponse(status: 200, contentType: type, body: body)
  }

  /// Signs with zeros.
  struct Signer: AssertionSigner {
    let aaid: AAID
    let authenticatorVersion: UInt16 = 1
    let keyID: KeyID
    let signCounter: UInt32 = 1
    let nonce = [UInt8](repeating: 0, count: 8)

    func sign(_ signedData: [UInt8]) throws(SigningFailure) -> [UInt8] { [UInt8](repeating: 0, count: 64) }
  }
}
