import Authenticator
import SecretMemory

/// Where the machine's state lies, and who has to own it.
final class StateFolder {
  let path: String
  let owner: UInt32
  private let key: DeviceKeySource
  /// Where shares of accounts' keys are.
  private let shares: any ShareKeeper
  /// Open already, for the next one who asks for it.
  private var kept: StateDirectory?

  init(path: String, owner: UInt32, key: DeviceKeySource, shares: any ShareKeeper) {
    self.path = path
    self.owner = owner
    self.key = key
    self.shares = shares
  }

  /// Opens it.
  ///
  /// - Throws: ``Ending``.
  func open() throws(Ending) -> StateDirectory {
    if let directory = kept.take() { return directory }
    let opened = try key.key()
    do throws(StateError) { return try StateDirectory(path, owner: owner, unsealed: opened, shares: shares) } catch {
      throw Ending(error)
    }
  }

  /// Opens it with a device key that was recovered.
  ///
  /// - Throws: ``Ending``.
  func open(with key: consuming Secret) throws(Ending) -> StateDirectory {
    do throws(StateError) { return try StateDirectory(path, owner: owner, unsealed: key, shares: shares) } catch {
      throw Ending(error)
    }
  }

  /// Takes it to move the device key.
  ///
  /// - Throws: ``Ending`` with a text for root.
  func beginMove() throws(Ending) -> KeyMove {
    do throws(StateError) { return try KeyMove(in: path, owner: owner) } catch { throw Ending(moving: error) }
  }

  /// Its own random bytes; nil for a folder of an earlier version.
  ///
  /// It stays open for the next call of ``open()``: everything on its path is then looked at once.
  ///
  /// - Throws: ``Ending``.
  func identifier() throws(Ending) -> [UInt8]? {
    let directory = try open()
    let identifier = directory.identifier
    kept = consume directory
    return identifier
  }
}
