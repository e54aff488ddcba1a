import Authenticator
import UAFCrypto
import UAFMessages

/// Proves to the server that it knows this machine.
///
/// A machine that it does not know sends a proof that was made up, of the same length. Otherwise the length of what is sent
/// would show an observer of the network who is registered.
struct MachineProver {
  private let machineID: [UInt8]
  private let secret: [UInt8]
  private let queue: MachineQueue
  private let now: () -> BootTime

  /// - Parameters:
  ///   - record: what the server has given; nil makes something up.
  ///   - origin: whose attempts these are. Each has a budget of its own at the server, as each has a count of its own here.
  /// - Throws: ``CryptoError`` where there is no randomness.
  init(_ record: MachineRecord?, from origin: AttemptOrigin, now: @escaping () -> BootTime) throws(CryptoError) {
    self.now = now
    queue =
      switch origin {
      case .local: .own
      case .remote: .remote
      case .otherUser: .otherUser
      }
    if let record {
      (machineID, secret) = (record.machineID, record.secret)
    } else {
      machineID = try RandomBytes.make(MachineSecret.machineIDByteCount)
      secret = try RandomBytes.make(MachineSecret.secretByteCount)
    }
  }

  /// The proof for one request; nil if none can be made, which stops no request.
  func proof(of claim: MachineClaim) -> String? { make(claim)?.text }

  /// The same, with what the answer has to name.
  func make(_ claim: MachineClaim) -> (proof: MachineProof, text: String)? {
    guard let nonce = try? RandomBytes.make(MachineProof.nonceByteCount),
      let proof = MachineProof(
        machineID: machineID, claim: claim, queue: queue, madeAt: now().wallSeconds, nonce: nonce),
      let code = try? HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret)
    else { return nil }
    return (proof, proof.text(with: code))
  }
}
