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
  /// A secret only has to reach the other servers, and so has the key of heads: who checks heads copies `audit.pub` then. A
  /// verdict's public key has to reach every workstation.
  var standardDelay: Int64 { self == .verdict ? 604_800 : 3600 }
}
