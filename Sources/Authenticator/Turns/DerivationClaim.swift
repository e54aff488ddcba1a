/// Who asks for a ``DerivationSlot``.
public enum DerivationClaim: Int, Sendable {
  /// A host with root, for somebody at this machine. Remote attempts cannot make sudo wait, also not with unknown
  /// names, which no lock stops.
  case localHost = 0
  /// A host with root, for a remote login: nobody can make sshd wait by opening conversations of their own.
  case remoteHost = 1
  /// Anybody's own program.
  case person = 2
  /// A host with root that another account called. It has the slots of remote logins and turns of its own, so that a
  /// person does not wait for others who enter that name at su.
  case otherUser = 3

  /// The first slot that this claim may take.
  var firstSlot: Int {
    switch self {
    case .localHost: 0
    case .remoteHost, .otherUser: 1
    case .person: 2
    }
  }
}
