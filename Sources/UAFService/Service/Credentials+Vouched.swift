extension Credentials {
  /// The keys of an account for an AppID that count for the steps of administrators, oldest first.
  ///
  /// - Throws: as ``keys(of:appID:)``.
  func vouchedKeys(of username: String, appID: String) throws -> [StoredKey] {
    let counting = try records(of: username).filter(\.countsForSteps)
    return try keys(of: username, appID: appID).filter { key in
      counting.contains { $0.aaid == key.aaid && $0.keyID == key.keyID }
    }
  }
}
