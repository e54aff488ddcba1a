import UAFMessages

/// Asks a server about an account's state (docs/protocol.md, "The state of an account").
public struct AccountStateFlow: Sendable {
  /// Why the state is unknown.
  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The server could not be reached, or gave no answer.
    case transport(TransportFailure)
    /// It answered with an HTTP status other than success: 403 if it does not know the machine, 404 if it does not support this
    /// request.
    case status(Int)
    /// It answered, but the answer is not a statement that this server signed for the request.
    case statement(SignedAccountState.Fault)

    /// The reason, in words for the log.
    public var description: String {
      switch self {
      case .transport(let failure): "\(failure)"
      case .status(403): "the server does not know this machine for the account; log in once with pam_uaf"
      case .status(404): "the server does not report the states of accounts"
      case .status(let number): "the server replied with HTTP status \(number)"
      case .statement(let fault): fault.rawValue
      }
    }
  }

  /// The flow accepts only a statement about this account that is signed with one of these keys and names the machine and the
  /// nonce of the proof.
  private let proof: MachineProof
  private let publicKeys: [[UInt8]]

  /// - Parameters:
  ///   - proof: the proof that is sent with the request.
  ///   - publicKeys: the server's verdict keys, 65 bytes `04 | X | Y` each.
  public init(_ proof: MachineProof, publicKeys: [[UInt8]]) {
    self.proof = proof
    self.publicKeys = publicKeys
  }

  /// Asks the server.
  ///
  /// - Parameters:
  ///   - url: the address, see ``OwnRoute/account``.
  ///   - header: the header that carries the proof and its code.
  ///   - now: seconds since 1970, read after the answer has come.
  /// - Throws: ``Fault``.
  public func ask(
    _ url: String, header: String, over transport: some Transport, now: () -> Int64
  ) throws(Fault) -> AccountState {
    var transport = transport
    var request = TransportRequest(
      method: .post, url: url, contentType: nil, accept: AccountStatement.contentType, body: [])
    request.machineProof = header
    let response: TransportResponse
    do throws(TransportFailure) {
      try transport.begin(request)
      response = try transport.finish()
    } catch { throw .transport(error) }
    guard response.status == 200 else { throw .status(response.status) }
    do throws(SignedAccountState.Fault) {
      return try SignedAccountState.check(response.body, answering: proof, publicKeys: publicKeys, now: now())
    } catch { throw .statement(error) }
  }
}
