/// How the program ends, in the numbers of sysexits.h; the core ignores them.
enum ChipExitStatus: Int32 {
  /// The request was answered, the socket ended, or the version was asked for.
  case done = 0
  /// Arguments, or no packet socket at descriptor 3.
  case usage = 64
  /// There is no memory.
  case unavailable = 69
  /// A privilege could not be given up.
  case confinement = 71
  /// What came over the socket is not of the protocol.
  case malformedPacket = 76
}
