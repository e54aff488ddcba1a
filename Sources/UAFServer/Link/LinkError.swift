/// Why a running server could not be asked.
enum LinkError: Error, Equatable, CustomStringConvertible {
  /// No answer came; whether what was asked for was done is known only if nothing was to be changed.
  case away(address: String, reason: String, mayBeDone: Bool)
  /// What came is no answer of the API.
  case unexpected

  var description: String {
    switch self {
    case .away(let address, let reason, let mayBeDone):
      "\(address) does not answer: \(reason)"
        + (mayBeDone ? ": whether it was done is not known; 'audit list' says what was" : "")
    case .unexpected: "what answered is no uaf-server of this version: check --api"
    }
  }
}
