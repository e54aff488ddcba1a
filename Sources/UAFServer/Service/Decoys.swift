import UAFMessages

/// Keys for names that have none, so that asking for a request tells nobody who is registered.
struct Decoys {
  let keys: ServerKeys
  let models: AuthenticatorModels

  /// The made-up key of a name: always the same one, and of the same form as a real one.
  func key(of username: String) throws -> StoredKey {
    guard let model = models.all.first else { throw ServerError.invalidArgument("no authenticator models") }
    let keyID = try keys.authenticationCode("decoy", Array(username.utf8))
    return StoredKey(
      aaid: model.description.aaid, keyID: try KeyID(bytes: keyID), publicKey: keys.decoyPublicKey,
      signatureAlgorithm: model.description.authenticationAlgorithm, signCounter: 0, isRevoked: false)
  }
}
