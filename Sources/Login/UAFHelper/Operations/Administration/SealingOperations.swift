import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration

/// Moves the device key from its file into the chip; only root may do this.
struct SealOperation: CallOperation {
  let folder: StateFolder
  let sealing: KeySealing

  func run() throws(Ending) -> Success {
    guard sealing.source.isToSeal else {
      throw Ending(.invalidParameter, because: .chipNotUsed, log: "[tpm] use = \"off\": no chip is used")
    }
    let move = try folder.beginMove()
    let key: Secret
    do throws(StateError) { key = try move.keyInFile() } catch { throw Ending(moving: error) }
    let sealed = try sealing.seal(key)
    do throws(StateError) {
      try move.keepSealed(sealed.bytes, recovery: sealed.recovery)
      return Success(
        detail: KeySealing.told("sealed", korean: "봉인했습니다", hasRecovery: try move.recovery() != nil))
    } catch { throw Ending(moving: error) }
  }
}

/// Moves the device key from the chip into a file; only root may do this.
struct UnsealOperation: CallOperation {
  let folder: StateFolder
  let source: DeviceKeySource

  func run() throws(Ending) -> Success {
    guard source.use != .require else {
      throw Ending(.invalidParameter, because: .chipDemanded, log: "[tpm] use = \"require\": the key stays in the chip")
    }
    try requireNoShares()
    let move = try folder.beginMove()
    let opened = try source.key()
    do throws(StateError) {
      // If an earlier move was killed, both the plain and the sealed key exist; this move completes it.
      guard try move.isSealed() else { throw StateError.keyElsewhere(path: folder.path) }
      if let opened { try move.keepInFile(opened) } else { try move.keepInFile(try move.keyInFile()) }
    } catch { throw Ending(moving: error) }
    return Success(
      detail: RootText(
        "unsealed: the device key is in a file, and a recovery key is no longer of any use",
        korean: "봉인을 풀었습니다. 기기 키는 파일에 있고, 복구 키는 더 이상 쓸모가 없습니다"))
  }

  /// Refuses if keys of accounts need shares of the chip: people often unseal the key in order to clear or replace the chip.
  private func requireNoShares() throws(Ending) {
    let directory = try folder.open()
    let counted: [UInt32]
    do throws(StateError) { counted = try AccountShares.accounts(in: directory) } catch { throw Ending(moving: error) }
    guard counted.isEmpty else {
      let named = counted.map(String.init).joined(separator: ", ")
      throw Ending(
        .invalidParameter, because: .indicesInUse, log: "the chip counts the wrong values of these accounts: \(named)")
    }
  }
}

/// Seals a device key with the chip, and under a recovery key if root wants one.
struct KeySealing {
  let source: DeviceKeySource
  let prompter: Prompter

  /// Seals the key.
  ///
  /// The chip comes first, so that nobody is asked about a recovery key if the chip fails.
  ///
  /// - Throws: ``Ending``.
  func seal(_ key: borrowing Secret) throws(Ending) -> SealedDeviceKey {
    let bytes = try source.seal(key)
    let words = try prompter.askRecoveryKey()
    guard words.count > 0 else { return SealedDeviceKey(bytes, recovery: nil) }
    let recovery: [UInt8]?
    do throws(StateError) { recovery = try RecoveryKey.seal(key, under: words) } catch { throw Ending(error) }
    guard let recovery else { throw .wrongRecoveryKey }
    return SealedDeviceKey(bytes, recovery: recovery)
  }

  /// The text for root after a key was sealed.
  static func told(_ what: String, korean: String, hasRecovery: Bool) -> RootText {
    hasRecovery
      ? RootText("\(what): the device key is sealed by the chip", korean: "\(korean). 기기 키는 칩이 봉인했습니다")
      : RootText(
        "\(what): the device key is sealed by the chip; no recovery key was made, so without the chip every "
          + "account must be "
          + "registered anew",
        korean: "\(korean). 기기 키는 칩이 봉인했습니다. 복구 키를 만들지 않았으므로 칩이 없으면 모든 계정을 다시 등록해야 합니다")
  }
}

/// Makes the state folder and the device key; only root may do this.
struct InitialiseOperation: CallOperation {
  let folder: StateFolder
  let sealing: KeySealing

  /// Makes the state folder.
  ///
  /// This must come before the core enters its sandbox, which hides the parent folder.
  ///
  /// - Throws: ``Ending`` with a text for root.
  static func makeFolder(_ folder: StateFolder) throws(Ending) {
    try telling { () throws(StateError) in try StateDirectory.make(folder.path) }
  }

  func run() throws(Ending) -> Success {
    guard sealing.source.isToSeal else { return Self.success(folder, try make(sealing: nil)) }
    var ended: Result<SealedDeviceKey, Ending>?
    do throws(Ending) {
      let isMade = try make { key in
        let sealed = Result { () throws(Ending) in try sealing.seal(key) }
        ended = sealed
        return try? sealed.get()
      }
      guard isMade, case .success(let sealed) = ended else { return Self.success(folder, isMade) }
      return Success(
        detail: KeySealing.told(
          "initialised \(folder.path)", korean: "\(folder.path)을(를) 초기 설정했습니다",
          hasRecovery: sealed.recovery != nil))
    } catch {
      guard case .failure(let why) = ended else { throw error }
      guard sealing.source.use == .ifAvailable, why.isWithoutChip else { throw why }
      return Self.success(folder, try make(sealing: nil))
    }
  }

  private func make(sealing seal: ((borrowing Secret) -> SealedDeviceKey?)?) throws(Ending) -> Bool {
    try Self.telling { () throws(StateError) in
      try StateDirectory.initialise(folder.path, owner: folder.owner, sealing: seal)
    }
  }

  private static func success(_ folder: StateFolder, _ isMade: Bool) -> Success {
    // Without a text, the front end knows that the state already existed.
    Success(
      detail: isMade
        ? RootText("initialised \(folder.path)", korean: "\(folder.path)을(를) 초기 설정했습니다") : nil)
  }

  private static func telling<Value>(_ body: () throws(StateError) -> Value) throws(Ending) -> Value {
    do throws(StateError) { return try body() } catch {
      throw Ending(.cannotUse, detail: RootText(error), log: "\(error)")
    }
  }
}

/// Opens the device key with the recovery key, and seals it with the machine's current chip; only root may do this.
///
/// If root's configuration uses no chip, the key goes into a file. Accounts whose shares are not in this chip become usable
/// again: the same words open the copies of their shares. The key is moved first, and the file that the words open is removed
/// last. So if this is killed, the same command can simply be repeated.
struct RecoverOperation: CallOperation {
  let folder: StateFolder
  let source: DeviceKeySource
  let accounts: AccountAccess
  let prompter: Prompter

  func run() throws(Ending) -> Success {
    let move = try folder.beginMove()
    let kept: [UInt8]?
    do throws(StateError) { kept = try move.recovery() } catch { throw Ending(moving: error) }
    guard let kept else { throw Ending(.invalidParameter, because: .recoveryNone, log: "no recovery key was made") }
    let words = try prompter.askRecoveryKey()
    let key = try opened(kept, words)
    let shares = try copies(words)
    return source.isToSeal ? try seal(key, move, words, shares) : try keepInFile(key, move, shares)
  }

  private func opened(_ kept: [UInt8], _ words: borrowing Secret) throws(Ending) -> Secret {
    let key: Secret?
    do throws(StateError) { key = try RecoveryKey.open(kept, with: words) } catch { throw Ending(moving: error) }
    guard let key else { throw .wrongRecoveryKey }
    return key
  }

  private func copies(_ words: borrowing Secret) throws(Ending) -> ShareRecovery {
    let shares: ShareRecovery?
    do throws(StateError) { shares = try ShareRecovery(words) } catch { throw Ending(moving: error) }
    guard let shares else { throw .wrongRecoveryKey }
    return shares
  }

  private func seal(
    _ key: consuming Secret, _ move: borrowing KeyMove, _ words: borrowing Secret, _ shares: borrowing ShareRecovery
  ) throws(Ending) -> Success {
    let sealed = try source.seal(key)
    do throws(StateError) {
      // The recovery file is rewritten: if an earlier version made it, it now gets a public key, to which copies of shares are
      // sealed.
      try move.keepSealed(sealed, recovery: try RecoveryKey.seal(key, under: words))
    } catch { throw Ending(moving: error) }
    let told = try release(shares, key)
    return Success(
      detail: RootText(
        "recovered: the device key is sealed by this machine's chip; the recovery key stays valid" + told.english,
        korean: "복구했습니다. 기기 키는 이 컴퓨터의 칩이 봉인했고, 복구 키는 계속 쓸 수 있습니다" + told.korean))
  }

  private func keepInFile(
    _ key: consuming Secret, _ move: borrowing KeyMove, _ shares: borrowing ShareRecovery
  ) throws(Ending) -> Success {
    do throws(StateError) { try move.putInFile(key) } catch { throw Ending(moving: error) }
    let told = try release(shares, key)
    do throws(StateError) { try move.removeSealed() } catch { throw Ending(moving: error) }
    return Success(
      detail: RootText(
        "recovered: the device key is in a file, because [tpm] use = \"off\"" + told.english,
        korean: "복구했습니다. [tpm] use = \"off\"이므로 기기 키는 파일에 있습니다" + told.korean))
  }

  private func release(
    _ shares: borrowing ShareRecovery, _ key: consuming Secret
  ) throws(Ending) -> (english: String, korean: String) {
    let directory = try folder.open(with: key)
    do throws(StateError) {
      let found = try shares.release(in: directory)
      return Self.told(found, keyrings: try AccountFile.forgetKeyrings(in: directory))
    } catch {
      let ending = accounts.ending(for: error)
      guard error != .share else { throw ending }
      throw Ending(moving: error)
    }
  }

  /// The text for root about the accounts whose wrong secrets the chip counts or counted.
  ///
  /// - Parameter keyrings: the accounts whose kept passwords of keyrings were removed: a recovered key was outside the chip.
  private static func told(_ found: RecoveredShares, keyrings: [UInt32]) -> (english: String, korean: String) {
    var (english, korean) = ("", "")
    if !found.kept.isEmpty {
      english += "; \(count(found.kept)) as before: this chip has counted for them, and still does"
      korean += ". 계정 \(found.kept.count)개는 그대로입니다. 이 칩이 잘못된 값을 세어 왔고 계속 셉니다"
    }
    if !found.released.isEmpty {
      english +=
        "; \(count(found.released)) with the same values: only this machine counts wrong values until they are changed"
      korean += ". 계정 \(found.released.count)개는 같은 값을 그대로 씁니다. 값을 바꿀 때까지 이 컴퓨터만 잘못된 값을 셉니다"
    }
    if !found.lost.isEmpty {
      let numbers = found.lost.map(String.init).joined(separator: ", ")
      english +=
        "; neither this chip nor the recovery key has the shares of these accounts, so reset them and register them "
        + "anew: \(numbers)"
      korean += ". 이 칩에도 복구 키에도 없는 계정이 있으므로 초기화하고 다시 등록하십시오: \(numbers)"
    }
    if !keyrings.isEmpty {
      let numbers = keyrings.map(String.init).joined(separator: ", ")
      english += "; the kept passwords of keyrings are removed, and these accounts are asked for them again: \(numbers)"
      korean += ". 보관하던 키링 비밀번호를 지웠으므로 다음 계정에게 다시 묻습니다: \(numbers)"
    }
    return (english, korean)
  }

  private static func count(_ accounts: [UInt32]) -> String {
    accounts.count == 1 ? "1 account goes on" : "\(accounts.count) accounts go on"
  }
}
