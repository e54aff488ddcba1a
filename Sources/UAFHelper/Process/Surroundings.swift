import Authenticator
import Glibc
import UAFConfiguration
import UAFCrypto
import UAFWire

/// What a session needs of the world, so that a test can give it another one.
struct Surroundings {
  /// The configuration where the caller names none.
  var configurationPath = Configuration.defaultPath
  /// Who must own configuration and state.
  var owner: uid_t = 0
  /// The moment it is.
  var now: () -> BootTime
  /// Waits for so many milliseconds.
  var pause: (Int) -> Void
  /// How many key derivations may run at once on this machine.
  var derivationSlots: Int
  /// Where the log goes.
  var log: any LogSink
  /// Where records for the kernel's audit go.
  var audit: any AuditSink
  /// Gives up all means that an operation does not need beyond the named state folder; the places are those
  /// of the server that will be asked, if one will.
  ///
  /// Called once, before anybody is asked anything.
  var seclude: (FetchPlaces?, String) -> Void = { _, _ in }
  /// Makes the way to a server whose certificate comes from these authorities.
  var network: (ServerSettings, String?, ExchangeWaiter) throws(Ending) -> Network
  /// The machine, as the server may know it.
  var device: DeviceDescription
  /// Makes the layout of a shuffled keypad.
  var keypad: () throws(CryptoError) -> ShuffledKeypad = { () throws(CryptoError) in try ShuffledKeypad() }
}
