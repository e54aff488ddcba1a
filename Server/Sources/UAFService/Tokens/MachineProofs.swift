import UAFCrypto
import UAFMessages

/// Computes the machines' secrets, and checks proofs that are made with them.
///
/// Nothing is stored for either.
///
/// A machine's ID and secret are computed from the server's secret, the account, and the key that was registered on the
/// machine. So an account has no more machine secrets than keys, however often it logs in. For a machine that has joined, ID
/// and secret are computed from the server's secret, the join code's number and the device ID. They belong to no account.
package struct MachineProofs: Sendable {
  let keys: ServerKeys

  /// By how many seconds a machine's clock may be fast or slow.
  ///
  /// A proof that somebody intercepted is worthless after that time.
  package static let clockTolerance: Int64 = 900

  package init(keys: ServerKeys) { self.keys = keys }

  /// The secret of the machine that has these keys of an account; nil if there is no key.
  ///
  /// - Throws: ``CryptoError``.
  func secret(of username: String, holding keyIDs: [KeyID]) throws -> MachineSecret? {
    guard let keyID = keyIDs.map(\.bytes).min(by: { $0.lexicographicallyPrecedes($1) }) else { return nil }
    let code = try keys.machineCode("machine", Array(username.utf8) + [0] + keyID)
    let machineID = Array(code.prefix(MachineSecret.machineIDByteCount))
    guard let secret = try secrets(of: machineID, username).first else { return nil }
    return try MachineSecret(machineID: machineID, secret: secret)
  }

  /// Whether an ID belongs to the machine that has one of these keys of an account.
  ///
  /// Each secret of the server that is still accepted is tried.
  ///
  /// - Throws: ``CryptoError``.
  func isNumber(_ machineID: [UInt8], of username: String, holding keyIDs: [KeyID]) throws -> Bool {
    for keyID in keyIDs {
      let numbers = try keys.machineCodes("machine", Array(username.utf8) + [0] + keyID.bytes)
      if numbers.contains(where: { $0.prefix(MachineSecret.machineIDByteCount).elementsEqual(machineID) }) {
        return true
      }
    }
    return false
  }

  /// The secret of a machine that has joined with a code.
  ///
  /// - Throws: ``CryptoError``.
  func secret(ofMachine id: String, joinedWith code: Int64) throws -> MachineSecret {
    let number = try keys.machineCode("joined machine", Self.place(of: id, code))
    let machineID = Array(number.prefix(MachineSecret.machineIDByteCount))
    let secret = try keys.machineCode("joined machine secret", machineID)
    return try MachineSecret(machineID: machineID, secret: secret)
  }

  /// The IDs that a joined machine may have: one for each secret of the server that is still accepted.
  ///
  /// - Throws: ``CryptoError``.
  func numbers(ofMachine id: String, joinedWith code: Int64) throws -> [[UInt8]] {
    try keys.machineCodes("joined machine", Self.place(of: id, code)).map {
      Array($0.prefix(MachineSecret.machineIDByteCount))
    }
  }

  /// The secrets that a machine with any of these keys of an account may have; of each key the newest secret comes first.
  ///
  /// A machine has the secret that belongs to one of its keys, but the server does not know to which. After a rotation of the
  /// server's secret, the machine has the old secret until its next login.
  ///
  /// - Throws: ``CryptoError``.
  func possibleSecrets(of username: String, holding keyIDs: [KeyID]) throws -> [MachineSecret] {
    var found: [MachineSecret] = []
    for keyID in keyIDs {
      let numbers = try keys.machineCodes("machine", Array(username.utf8) + [0] + keyID.bytes)
      for (age, number) in numbers.enumerated() {
        let machineID = Array(number.prefix(MachineSecret.machineIDByteCount))
        // The ID and the secret of a machine were computed with the same secret of the server.
        let secrets = try secrets(of: machineID, username)
        if secrets.indices.contains(age) {
          found.append(try MachineSecret(machineID: machineID, secret: secrets[age]))
        }
      }
    }
    return found
  }

  private static func place(of id: String, _ code: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    BigEndian.append(code, to: &bytes)
    return bytes + id.utf8
  }

  /// The machine that a header proves; nil if the header is missing or wrong, or its time is too far from now.
  ///
  /// - Parameters:
  ///   - text: the header as it was received.
  ///   - now: seconds since 1970.
  /// - Throws: ``CryptoError``.
  package func machine(proving text: String?, now: Int64) throws -> KnownMachine? {
    guard let text, text.utf8.count <= MachineProof.maximumCharacters, let (proof, code) = MachineProof.read(text)
    else { return nil }
    guard Self.isInTime(proof, now: now) else { return nil }
    // The secrets for an account are tried first: most requests come from machines that have one.
    for isJoined in [false, true] {
      let secrets =
        isJoined
        ? try keys.machineCodes("joined machine secret", proof.machineID)
        : try secrets(of: proof.machineID, proof.claim.username)
      for (number, secret) in secrets.enumerated() {
        let expected = try HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret)
        guard HMACSHA256.isEqual(code, expected) else { continue }
        return KnownMachine(
          claim: proof.claim, queue: proof.queue, machineID: proof.machineID, nonce: proof.nonce,
          madeAt: proof.madeAt, isCurrent: number == 0, isJoined: isJoined)
      }
    }
    return nil
  }

  /// Whether a proof was made at most ``clockTolerance`` seconds before or after now.
  static func isInTime(_ proof: MachineProof, now: Int64) -> Bool {
    let (age, overflow) = now.subtractingReportingOverflow(proof.madeAt)
    return !overflow && (-clockTolerance...clockTolerance).contains(age)
  }

  /// Whether a MAC of a statement was made with the secret that a machine received when it joined.
  ///
  /// - Parameter machineID: the machine's ID at this server.
  /// - Throws: ``CryptoError``.
  func isMade(_ code: [UInt8], of statement: [UInt8], by machineID: [UInt8]) throws -> Bool {
    for secret in try keys.machineCodes("joined machine secret", machineID) {
      let expected = try HMACSHA256.authenticate(statement, keyInOrdinaryMemory: secret)
      if HMACSHA256.isEqual(code, expected) { return true }
    }
    return false
  }

  /// A machine's secret under each secret of the server that is still accepted, the newest first.
  private func secrets(of machineID: [UInt8], _ username: String) throws -> [[UInt8]] {
    try keys.machineCodes("machine secret", machineID + Array(username.utf8))
  }
}

/// A machine that has proved that this server gave it a secret: for an account, or because it has joined.
package struct KnownMachine: Sendable {
  /// The request that it has proved to be its own.
  package let claim: MachineClaim
  /// For whom it sends the request: the person at the machine, somebody over the network, or another user of the machine.
  package let queue: MachineQueue
  /// Its ID at this server.
  package let machineID: [UInt8]
  /// The random bytes of its proof.
  ///
  /// The answer repeats them, so that it is an answer to this request alone.
  let nonce: [UInt8]
  /// When the machine made the proof, by its own clock, in seconds since 1970.
  let madeAt: Int64
  /// Whether its secret was made with the server's secret that is in use now.
  package let isCurrent: Bool
  /// Whether the secret is the one that it received when it joined.
  ///
  /// Such a machine may name any account, and is known for none.
  package let isJoined: Bool
}
