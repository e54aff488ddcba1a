import ArgumentParser

/// A key that can be exchanged.
enum RotatedKey: String, CaseIterable, ExpressibleByArgument {
  /// The secret over session data, `server.secret`.
  case secret
  /// The key that signs verdicts, `verdict.key`.
  case verdict
  /// The key that signs heads of the audit, `audit.key`.
  case audit

  /// Seconds until a new key is used, unless the administrator says otherwise.
  ///
  /// A secret only has to reach the other servers. A verdict's public key has to reach every workstation.
  /// A head's is needed by whoever checks heads elsewhere.
  var standardDelay: Int64 { self == .secret ? 3600 : 604_800 }
}
