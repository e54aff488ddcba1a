import UAFMessages

/// Keys for names that have none, or not enough, so that asking for a request tells nobody who is registered.
struct Decoys {
  let keys: ServerKeys
  let models: AuthenticatorModels

  /// Bytes of a KeyID of our own authenticators.
  private static let keyIDLength = 32

  /// The made-up keys of a name: as many of each model as some real account has that meets the policy.
  ///
  /// Which shape a name has follows from the name, so that it stays as long as the shapes of the accounts do, and each shape
  /// is as frequent as among the accounts. Where nobody has registered yet, it is one key for each member of the first set.
  func keys(of username: String, meeting accepted: AcceptedSets, shapes: KeyShapes?) throws -> [StoredKey] {
    let code = try keys.authenticationCode("decoy shape", Array(username.utf8))
    let place = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let shape = shapes?.shape(at: place) { accepted.areMet(by: $0) } ?? accepted.plainShape(Self.keyIDLength)
    return try shape.models.flatMap { each -> [StoredKey] in
      guard let aaid = try? AAID(each.aaid), let model = models[aaid] else { return [] }
      return try each.lengths.enumerated().map { number, length in
        key(try keyID(of: username, model: model, number: number, length: length), model)
      }
    }
  }

  /// The keys of an account with those that were made up for the request it answers.
  func filling(_ stored: [StoredKey], asIn policy: Policy) throws -> [StoredKey] {
    var filled = stored
    for criteria in policy.accepted.joined() {
      guard let aaid = criteria.aaid?.first, let model = models[aaid] else { continue }
      for keyID in criteria.keyIDs ?? [] where !filled.contains(where: { $0.aaid == aaid && $0.keyID == keyID }) {
        filled.append(key(keyID, model))
      }
    }
    return filled
  }

  private func key(_ keyID: KeyID, _ model: AuthenticatorModel) -> StoredKey {
    StoredKey(
      aaid: model.description.aaid, keyID: keyID, publicKey: keys.decoyPublicKey,
      signatureAlgorithm: model.description.authenticationAlgorithm, signCounter: 0, isRevoked: false)
  }

  /// Always the same one for a name, a model and a number, whatever other keys are made up beside it.
  private func keyID(of username: String, model: AuthenticatorModel, number: Int, length: Int) throws -> KeyID {
    let name = "\(model.description.aaid.text) \(username)"
    var bytes: [UInt8] = []
    while bytes.count < length {
      let further = number == 0 && bytes.isEmpty ? "" : " \(number) \(bytes.count)"
      bytes += try keys.authenticationCode("decoy", Array((name + further).utf8))
    }
    return try KeyID(bytes: Array(bytes.prefix(length)))
  }
}
