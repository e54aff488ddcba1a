import Authenticator
import FidoResults
import UAFConfiguration
import UAFMessages

/// What only root may do. Each is logged, whoever root was.
extension Session {
  /// Lifts every lock of an account.
  func unlock() throws(Ending) -> Success {
    let uid = try caller.requireAccount()
    let directory = try openState()
    guard let account = try openAccount(uid, in: directory) else {
      throw Ending(.notRegistered, because: .nothingHere, log: "nothing to unlock")
    }
    do throws(StateError) { try account.unlock() } catch { throw Ending(error) }
    audit(.unlockedByRoot)
    return Success(detail: "unlocked")
  }

  /// Removes everything an account left here, so that it is as if it had never registered.
  func forget() throws(Ending) -> Success {
    let uid = try caller.requireAccount()
    let directory = try openState()
    // What cannot be read any more is what is forgotten most often: it is no reason to refuse.
    let wasLocked = !locks(of: try? openAccount(uid, in: directory)).isEmpty
    let forgotten: Bool
    do throws(StateError) { forgotten = try AccountFile.forget(in: directory, uid: uid) } catch {
      throw Ending(.cannotUse, log: "\(error)")
    }
    guard forgotten else { throw Ending(.notRegistered, because: .nothingHere, log: "nothing to forget") }
    if wasLocked { audit(.unlockedByRemoval) }
    return Success(detail: "forgotten on this machine; the server still knows its keys")
  }

  /// Makes the machine's state: the one way a device key comes to be.
  func initialise() throws(Ending) -> Success {
    let path = configuration.state.directory
    let made = try stateFailure { () throws(StateError) in
      try StateDirectory.initialise(path, owner: surroundings.owner)
    }
    return Success(detail: made ? "initialised \(path)" : "\(path) was initialised before; its key is kept")
  }

  /// Takes the server and its authority from a payload as this machine's.
  func trust() throws(Ending) -> Success {
    let payload = try payload()
    if let configured = configuration.server?.urls.first {
      throw Ending(
        .invalidParameter, detail: "the configuration names a server already (\(configured.text)): change it there",
        log: "trust: the configuration names a server")
    }
    _ = try openState()
    try TrustedServer.store(payload, in: configuration.state.directory)
    return Success(detail: "trusting \(payload.server)")
  }
}
