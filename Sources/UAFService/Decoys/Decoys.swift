import UAFMessages

/// Makes up keys for names that have none, or too few, so that a request does not show who is registered.
struct Decoys {
  let keys: ServerKeys
  let models: AuthenticatorModels

  /// Bytes of a KeyID of our own authenticators.
  private static let keyIDLength = 32

  /// The decoys of a name: of each model as many as a real account has, one that meets the policy.
  ///
  /// The name decides which shape it gets. So it keeps that shape as long as the accounts' shapes stay the same, and each
  /// shape is as frequent as among the accounts. Before anybody has registered, there is one key for each member of the first
  /// set.
  func keys(of username: String, meeting accepted: AcceptedSets, shapes: KeyShapes?) throws -> [StoredKey] {
    let code = try keys.decoyCode("decoy shape", Array(username.utf8))
    let place = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let shape = shapes?.shape(at: place) { accepted.areMet(by: $0) } ?? accepted.plainShape(Self.keyIDLength)
    return try shape.models.flatMap { each -> [StoredKey] in
      guard let aaid = try? AAID(each.aaid), let model = models[aaid] else { return [] }
      return try each.lengths.enumerated().map { number, length in
        key(try keyID(of: username, model: model, number: number, length: length), model)
      }
    }
  }

  /// Those of the keys named in an answer that are decoys of this name.
  ///
  /// The decoys of a request are not kept. So each key is compared with every decoy that the name may have had, whichever
  /// shapes were in use then.
  ///
  /// - Parameters:
  ///   - named: keys that the account does not have. For each of them up to `most` codes are computed, 1 µs each.
  ///   - most: the most decoys of one model that are tried.
  func keys(among named: [(aaid: AAID, keyID: KeyID)], of username: String, most: Int) throws -> [StoredKey] {
    try named.compactMap { aaid, keyID in
      guard let model = models[aaid] else { return nil }
      for number in 0..<most
      where try self.keyID(of: username, model: model, number: number, length: keyID.bytes.count) == keyID {
        return key(keyID, model)
      }
      return nil
    }
  }

  private func key(_ keyID: KeyID, _ model: AuthenticatorModel) -> StoredKey {
    StoredKey(
      aaid: model.description.aaid, keyID: keyID, publicKey: keys.decoyPublicKey,
      signatureAlgorithm: model.description.authenticationAlgorithm, signCounter: 0, isRevoked: false)
  }

  /// The same KeyID each time for a name, a model and a number; other decoys do not change it.
  private func keyID(of username: String, model: AuthenticatorModel, number: Int, length: Int) throws -> KeyID {
    let name = "\(model.description.aaid.text) \(username)"
    var bytes: [UInt8] = []
    while bytes.count < length {
      let further = number == 0 && bytes.isEmpty ? "" : " \(number) \(bytes.count)"
      bytes += try keys.decoyCode("decoy", Array((name + further).utf8))
    }
    return try KeyID(bytes: Array(bytes.prefix(length)))
  }
}
