extension AccountFile {
  /// The value that is set for a type; nil if none is.
  ///
  /// - Throws: ``StateError``.
  public func authenticator(_ type: AuthenticatorType) throws(StateError) -> EnrolledAuthenticator? {
    guard let body = try records.body(.authenticator, name: Array(type.rawValue.utf8), of: identity) else { return nil }
    return try EnrolledAuthenticator(record: body)
  }

  /// The registered keys, of every application.
  ///
  /// - Throws: ``StateError``.
  public func keys() throws(StateError) -> [UAFKey] {
    var keys: [UAFKey] = []
    for (name, body) in try records.bodies(.key, of: identity) {
      let key = try UAFKey(record: body)
      guard key.keyID == name else { throw .damaged }
      keys.append(key)
    }
    return keys
  }

  /// Keeps a key the server accepted, and its authenticator if it is new, in one transaction.
  ///
  /// - Throws: ``StateError``.
  public func store(_ key: UAFKey, of unlocked: borrowing UnlockedAuthenticator) throws(StateError) {
    let type = unlocked.type
    var enrolled = unlocked.enrolled
    try records.write { () throws(StateError) in
      let stored = try authenticator(type)
      enrolled.registrationCounter = (stored?.registrationCounter ?? 0) &+ 1
      if let stored, stored.sealedKey != enrolled.sealedKey { throw .identityMismatch }
      try records.put(.authenticator, name: Array(type.rawValue.utf8), body: enrolled.record, of: identity)
      if stored == nil { try put(AttemptLedger(), type) }
      try records.put(.key, name: key.keyID, body: key.record, of: identity)
    }
  }

  /// The next counter to sign with, on disk before it is used: the server refuses one it has seen.
  ///
  /// - Throws: ``StateError``; `absent` if the key is gone.
  public func nextSignCounter(_ keyID: [UInt8]) throws(StateError) -> UInt32 {
    try change(keyID) { (key: inout UAFKey) throws(StateError) in try key.countSignature() }
  }

  /// Notes what the server said of a key.
  ///
  /// - Throws: ``StateError``.
  public func mark(_ keyID: [UInt8], serverStatus: UInt32) throws(StateError) {
    try change(keyID) { (key: inout UAFKey) throws(StateError) in key.serverStatus = serverStatus }
  }

  private func change<Result>(
    _ keyID: [UInt8], _ body: (inout UAFKey) throws(StateError) -> Result
  ) throws(StateError) -> Result {
    try records.write { () throws(StateError) in
      guard let record = try records.body(.key, name: keyID, of: identity) else { throw .absent }
      var key = try UAFKey(record: record)
      let result = try body(&key)
      try records.put(.key, name: keyID, body: key.record, of: identity)
      return result
    }
  }

  /// Removes keys, the authenticators that are left without one, and, with the last of them,
  /// everything but the tombstone.
  ///
  /// - Throws: ``StateError``.
  public func remove(_ keyIDs: [[UInt8]]) throws(StateError) {
    try records.write { () throws(StateError) in
      for keyID in keyIDs { try records.remove(.key, name: keyID) }
      let left = try keys()
      for type in AuthenticatorType.allCases where !left.contains(where: { $0.type == type }) {
        try records.remove(.authenticator, name: Array(type.rawValue.utf8))
        try records.remove(.ledger, name: Array(type.rawValue.utf8))
      }
      if left.isEmpty {
        try records.remove(.identity)
        try records.put(.tombstone, body: Tombstone.buried.record, of: nil)
      }
    }
  }
}
