/// How the program ends, in the numbers of sysexits.h; the core ignores them.
enum NameExitStatus: Int32, Equatable {
  /// The question was answered, the socket ended, or the version was asked for.
  case done = 0
  /// Arguments, or no packet socket at descriptor 3.
  case usage = 64
  /// A privilege could not be given up.
  case confinement = 71
  /// What came over the socket is not of the protocol.
  case malformedPacket = 76
}
