import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// Where a call gets the device key from: a file, which the state folder reads by itself, or a chip.
///
/// A program for the chip is started before the sandbox, and only if a chip has sealed the key or is about to. It works while the
/// core reads what else it needs.
@safe final class DeviceKeySource {
  /// Starts uaf-chip.
  typealias Starting = () throws(Ending) -> ChipProcess

  private let settings: TPMSettings
  private let start: Starting
  /// Opening what a chip has sealed; nil where nothing is sealed.
  private var opening: Result<ChipProcess, Ending>?
  /// The opened key; nil before somebody has asked for it.
  private var opened: OpenedKey?
  /// A program that waits for a key to be sealed; nil where none is to be.
  private var sealing: Result<ChipProcess, Ending>?
  /// Whether it has sealed one.
  private var hasSealed = false
  /// Why no login may use the key's file; nil where it may.
  private var refusal: Ending?

  init(_ settings: TPMSettings, starting start: @escaping Starting) {
    self.settings = settings
    self.start = start
  }

  /// Looks where the key lies, and has the chip begin to open it.
  ///
  /// Failures are kept for the one who asks for the key.
  func prepare(for operation: Operation, in path: String, owner: UInt32) {
    let sealed: [UInt8]?
    do throws(StateError) { sealed = try StateDirectory.sealedKey(in: path, owner: owner) } catch {
      // The folder is opened again for everything else, which then says what is wrong with it.
      sealed = nil
    }
    if Self.seals(operation), settings.use != .off { sealing = started() }
    guard Self.opens(operation) else { return }
    guard let sealed else {
      if settings.use == .require, !Self.moves(operation) {
        refusal = Ending(
          .cannotUse, because: .keyNotSealed, log: "[tpm] use = \"require\", and the device key lies in a file")
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

  /// Whether an operation makes the key, or changes where it lies.
  func isMoved(by operation: Operation) -> Bool { Self.seals(operation) || Self.moves(operation) }

  /// The program that opened or sealed the key in this call, and where its chip is; for the shares of accounts' keys.
  ///
  /// - Throws: ``Ending`` where no chip has opened the key.
  func running() throws(Ending) -> (process: ChipProcess, place: String) {
    if hasSealed, let sealing { return (try sealing.get(), settings.place) }
    guard opened != nil, let opening else {
      throw Ending(
        .cannotUse, because: .keyNotSealed,
        log: "the account's key needs a share of the chip, and the device key lies in a file: 'uafctl seal' seals it")
    }
    return (try opening.get(), settings.place)
  }

  /// Whether a chip has opened or sealed the key in this call.
  var isRunning: Bool { hasSealed || opened != nil }

  /// Whether a chip has opened the key in this call, and root wants it to be used.
  var isCounting: Bool { settings.use != .off && opened != nil }

  /// Whether an account may have a value only where the chip counts wrong ones.
  var requiresIndex: Bool { settings.requiresPINIndex }

  /// What root's configuration says of the chip.
  var use: TPMSettings.Use { settings.use }

  /// Whether a chip is to seal a new key.
  var isToSeal: Bool { sealing != nil }

  /// A copy of the key that a chip has opened; nil where the key lies in a file.
  ///
  /// - Throws: ``Ending``: why the chip has not opened it, or why the file must not be used.
  func key() throws(Ending) -> Secret? {
    if let refusal { throw refusal }
    if let opened { return try opened.copy() }
    guard let opening else { return nil }
    do throws(Ending) {
      let opened = OpenedKey(try opening.get().openedKey())
      self.opened = opened
      return try opened.copy()
    } catch {
      // Asked once: a program that has ended cannot answer again.
      self.opening = .failure(error)
      throw error
    }
  }

  /// Has the chip seal a key, once in a call.
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
