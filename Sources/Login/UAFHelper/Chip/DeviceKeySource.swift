import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// The source of the device key in a call: a file, which ``StateDirectory`` reads itself, or a chip.
///
/// uaf-chip is started before the core enters its sandbox, and only if a chip has sealed the key or is to seal it. It opens the
/// key while the core reads everything else that it needs.
@safe final class DeviceKeySource {
  /// A function that starts uaf-chip.
  typealias Starting = () throws(Ending) -> ChipProcess

  private let settings: TPMSettings
  private let start: Starting
  /// The program that is opening the sealed key, or why it could not be started; nil if no chip has sealed the key.
  private var opening: Result<ChipProcess, Ending>?
  /// The opened key; nil until it is first needed.
  private var opened: OpenedKey?
  /// The program that will seal a key, or why it could not be started; nil if no key is to be sealed.
  private var sealing: Result<ChipProcess, Ending>?
  /// Whether the program has sealed a key.
  private var hasSealed = false
  /// Why the device key must not be read from its file; nil if it may be.
  private var refusal: Ending?

  init(_ settings: TPMSettings, starting start: @escaping Starting) {
    self.settings = settings
    self.start = start
  }

  /// Determines whether a chip has sealed the key, and if so has the chip begin to open it.
  ///
  /// A failure is only reported when the key is needed (``key()``).
  func prepare(for operation: Operation, in path: String, owner: UInt32) {
    let sealed: [UInt8]?
    do throws(StateError) { sealed = try StateDirectory.sealedKey(in: path, owner: owner) } catch {
      // An error of the folder is ignored here: the folder is opened again later, and the error is reported then.
      sealed = nil
    }
    if Self.seals(operation), settings.use != .off { sealing = started() }
    guard Self.opens(operation) else { return }
    guard let sealed else {
      if settings.use == .require, !Self.moves(operation) {
        refusal = Ending(
          .cannotUse, because: .keyNotSealed, log: "[tpm] use = \"require\", and the device key is in a file")
      }
      return
    }
    opening = Result { () throws(Ending) in
      let process = try start()
      try process.open(sealed, at: settings.place)
      return process
    }
  }

  private func started() -> Result<ChipProcess, Ending> { Result { () throws(Ending) in try start() } }

  private static func seals(_ operation: Operation) -> Bool {
    operation == .initialise || operation == .seal || operation == .recover
  }

  private static func opens(_ operation: Operation) -> Bool { operation != .initialise && operation != .recover }

  private static func moves(_ operation: Operation) -> Bool { operation == .seal || operation == .unseal }

  /// Whether an operation makes the key, or changes where it is stored.
  func isMoved(by operation: Operation) -> Bool { Self.seals(operation) || Self.moves(operation) }

  /// The program that opened or sealed the key in this call, and the path of its chip; the shares of the accounts' keys use
  /// them.
  ///
  /// - Throws: ``Ending`` if no chip has opened the key.
  func running() throws(Ending) -> (process: ChipProcess, place: String) {
    if hasSealed, let sealing { return (try sealing.get(), settings.place) }
    guard opened != nil, let opening else {
      throw Ending(
        .cannotUse, because: .keyNotSealed,
        log: "the account's key needs a share of the chip, and the device key is in a file: 'uafctl seal' seals it")
    }
    return (try opening.get(), settings.place)
  }

  /// Whether a chip has opened or sealed the key in this call.
  var isRunning: Bool { hasSealed || opened != nil }

  /// Whether a chip has opened the key in this call, and root's configuration uses it.
  var isCounting: Bool { settings.use != .off && opened != nil }

  /// Whether root's configuration allows a secret only if the chip counts wrong ones.
  var requiresIndex: Bool { settings.requiresPINIndex }

  /// How the chip is to be used, according to root's configuration.
  var use: TPMSettings.Use { settings.use }

  /// Whether a new key is to be sealed by a chip.
  var isToSeal: Bool { sealing != nil }

  /// A copy of the key that a chip has opened; nil if the key is in a file.
  ///
  /// - Throws: ``Ending`` with the reason if the chip did not open it, or if the file must not be used.
  func key() throws(Ending) -> Secret? {
    if let refusal { throw refusal }
    if let opened { return try opened.copy() }
    guard let opening else { return nil }
    do throws(Ending) {
      let opened = OpenedKey(try opening.get().openedKey())
      self.opened = opened
      return try opened.copy()
    } catch {
      // The failure is kept: a program that has ended cannot be asked again.
      self.opening = .failure(error)
      throw error
    }
  }

  /// Has the chip seal a key; at most once in a call.
  ///
  /// - Throws: ``Ending``.
  func seal(_ key: borrowing Secret) throws(Ending) -> [UInt8] {
    guard let sealing else {
      throw Ending(.invalidParameter, because: .chipNotUsed, log: "[tpm] use = \"off\": no chip is used")
    }
    let sealed = try sealing.get().seal(key, at: settings.place)
    hasSealed = true
    return sealed
  }
}
