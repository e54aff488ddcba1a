import UAFMessages

/// Keys for names that have none, or not enough, so that asking for a request tells nobody who is registered.
struct Decoys {
  let keys: ServerKeys
  let models: AuthenticatorModels

  /// The made-up key of a name for a model: always the same one, and of the same form as a real one.
  func key(of username: String, aaid: AAID) throws -> StoredKey {
    guard let model = models[aaid] else { throw ServerError.invalidArgument("no model \(aaid.text)") }
    let keyID = try keys.authenticationCode("decoy", Array("\(model.description.aaid.text) \(username)".utf8))
    return StoredKey(
      aaid: model.description.aaid, keyID: try KeyID(bytes: keyID), publicKey: keys.decoyPublicKey,
      signatureAlgorithm: model.description.authenticationAlgorithm, signCounter: 0, isRevoked: false)
  }

  /// The keys of a name with a made-up one for each model it has none of.
  func filling(_ stored: [StoredKey], of username: String) throws -> [StoredKey] {
    let missing = models.all.map(\.description.aaid).filter { aaid in !stored.contains { $0.aaid == aaid } }
    return try stored + missing.map { try key(of: username, aaid: $0) }
  }
}
