import Testing
import UAFCrypto
import UAFMessages

@testable import UAFService

extension TestServer {
  /// Issues a join code, as `uaf-server join-code create` does.
  @discardableResult func joinCode(_ group: String = "lab", machines: Int = 1, lifetime: Int64 = 900) async throws
    -> String
  {
    let code = Base64URL.encode(try RandomBytes.make(20))
    _ = try await store.write { [now] records in
      try records.joinCodes.add(
        code, group: group, machines: machines, by: "test", now: now, expiresAt: now + lifetime)
    }
    return code
  }

  static func joinRequest(_ code: String, _ device: String, name: String? = nil) throws -> JoinRequest {
    JoinRequest(code: code, nonce: try RandomBytes.make(JoinRequest.nonceByteCount), deviceID: device, deviceName: name)
  }

  /// What a machine receives when it joins with a code.
  ///
  /// - Parameter secret: the secret with which the machine proves itself, if it has joined before.
  func join(
    _ code: String, _ device: String, name: String? = nil, proving secret: MachineSecret? = nil
  ) async throws -> JoinService.Outcome {
    let request = try Self.joinRequest(code, device, name: name)
    let body = request.jsonBytes
    let machine = try secret.flatMap { secret in
      environment.machine(proving: try proof(secret, .joining(bodyHash: SHA256.hash(body))))
    }
    let prover = try machine.flatMap { try JoinService.isProved(body, by: $0) ? $0 : nil }
    return try await JoinService(environment: environment).join(request, provedBy: prover, from: "192.0.2.1")
  }

  /// Joins a machine, and expects success.
  @discardableResult func joined(
    _ code: String, _ device: String, name: String? = nil, proving secret: MachineSecret? = nil
  ) async throws -> MachineSecret? {
    guard case .joined(let answer, _) = try await join(code, device, name: name, proving: secret) else {
      throw Unexpected()
    }
    holder.take(answer.machineSecret, ofMachine: device)
    return answer.machineSecret
  }

  /// Why a machine does not join; nil if it does.
  func joinRefusal(
    _ code: String, _ device: String, proving secret: MachineSecret? = nil
  ) async throws -> ServiceRefusal? {
    guard case .refused(let refusal) = try await join(code, device, proving: secret) else { return nil }
    return refusal
  }

  /// The header with which a machine proves itself.
  func proof(_ secret: MachineSecret, _ claim: MachineClaim, for queue: MachineQueue = .own) throws -> String {
    let proof = try #require(
      MachineProof(
        machineID: secret.machineID, claim: claim, queue: queue, madeAt: now, nonce: RandomBytes.make(16)))
    return proof.text(with: try HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret.secret))
  }

  /// The machine that this server recognises by a secret; nil if there is none.
  func known(_ secret: MachineSecret, naming account: String = "alice") throws -> KnownMachine? {
    environment.machine(proving: try proof(secret, .state(of: account)))
  }

  /// Lets a machine that has joined leave; nil if the server knows no such machine.
  func left(_ secret: MachineSecret) async throws -> JoinedMachine? {
    guard let machine = try known(secret) else { return nil }
    return try await JoinService(environment: environment).leave(machine, from: "192.0.2.1")
  }
}
