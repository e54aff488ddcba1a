import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// Where a call gets the device key from: a file, which the state folder reads itself, or a chip.
///
/// The chip's program is started before the sandbox, and only if a chip has sealed the key or is about to. It works while the
/// core reads everything else that it needs.
@safe final class DeviceKeySource {
  /// Starts uaf-chip.
  typealias Starting = () throws(Ending) -> ChipProcess

  private let settings: TPMSettings
  private let start: Starting
  /// The program that is opening the sealed key; nil if no key is sealed.
  private var opening: Result<ChipProcess, Ending>?
  /// The opened key; nil until somebody asks for it.
  private var opened: OpenedKey?
  /// A program that waits for a key to be sealed; nil if none should be sealed.
  private var sealing: Result<ChipProcess, Ending>?
  /// Whether the program has sealed a key.
  private var hasSealed = false
  /// Why no login may use the key's file; nil if it may.
  private var refusal: Ending?

  init(_ settings: TPMSettings, starting start: @escaping Starting) {
    self.settings = settings
    self.start = start
  }

  /// Finds where the key is, and makes the chip start opening it.
  ///
  /// A failure is kept until somebody asks for the key.
  func prepare(for operation: Operation, in path: String, owner: UInt32) {
    let sealed: [UInt8]?
    do throws(StateError) { sealed = try StateDirectory.sealedKey(in: path, owner: owner) } catch {
      // Everything else opens the folder again, and then reports what is wrong with it.
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

  /// The program that opened or sealed the key in this call, and where its chip is; for the shares of accounts' keys.
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

  /// Whether an account may have a value only if the chip counts wrong ones.
  var requiresIndex: Bool { settings.requiresPINIndex }

  /// What root's configuration says about the chip.
  var use: TPMSettings.Use { settings.use }

  /// Whether a chip should seal a new key.
  var isToSeal: Bool { sealing != nil }

  /// A copy of the key that a chip has opened; nil if the key is in a file.
  ///
  /// - Throws: ``Ending``: why the chip did not open it, or why the file must not be used.
  func key() throws(Ending) -> Secret? {
    if let refusal { throw refusal }
    if let opened { return try opened.copy() }
    guard let opening else { return nil }
    do throws(Ending) {
      let opened = OpenedKey(try opening.get().openedKey())
      self.opened = opened
      return try opened.copy()
    } catch {
      // It is asked only once: a program that has ended cannot answer again.
      self.opening = .failure(error)
      throw error
    }
  }

  /// Makes the chip seal a key, once in a call.
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
