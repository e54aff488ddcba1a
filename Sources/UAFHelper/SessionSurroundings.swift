import Authenticator
import FidoResults
import Glibc
import UAFConfiguration
import UAFCrypto
import UAFWire

/// What a session needs from outside; a test gives it another one.
struct SessionSurroundings {
  /// The configuration where the caller names none.
  var configurationPath = Configuration.defaultPath
  /// Who must own configuration and state.
  var owner: uid_t = 0
  /// The time now.
  var now: () -> BootTime
  /// Waits for so many milliseconds.
  var pause: (Int) -> Void
  /// How many key derivations may run at once on this machine.
  var derivationSlots: Int
  /// Where the log goes.
  var log: any LogSink
  /// Where records for the kernel's audit go.
  var audit: any AuditSink
  /// Enters the sandbox, which keeps the named state folder.
  ///
  /// The places are those of the server that will be asked; nil if none will be.
  /// Called once, before anybody is asked.
  var seclude: (FetchPlaces?, String) -> Void = { _, _ in }
  /// Starts uaf-finger, and keeps the named folder of stored prints readable in the sandbox.
  var finger: (String) throws(Ending) -> FingerProcess = { (_) throws(Ending) in
    throw Ending(.biometryNotSupported, log: "no uaf-finger")
  }
  /// Where the fingerprint service stores prints.
  var printsFolder = EnrolledPrints.folder
  /// Whether it is proved that the person who called the host sits at this machine.
  var isAtSeat = true
  /// Makes the way to a server.
  var network: ServerAccess.Connecting
  /// Starts the program for the chip.
  var chip: DeviceKeySource.Starting = { () throws(Ending) in
    throw Ending(.clientMismatch, log: "uaf-chip is not started here")
  }
  /// The machine, as the server may know it.
  var device: DeviceDescription
  /// Makes the layout of a shuffled keypad.
  var keypad: () throws(CryptoError) -> ShuffledKeypad = { () throws(CryptoError) in try ShuffledKeypad() }
}
