import Authenticator
import FidoResults
import UAFConfiguration

extension Session {
  /// Opens the machine's state.
  func openState() throws(Ending) -> StateDirectory {
    do throws(StateError) {
      return try StateDirectory(configuration.state.directory, owner: surroundings.owner)
    } catch { throw Ending(error) }
  }

  /// Opens the account's file; nil if nothing is registered.
  func openAccount(_ uid: UInt32, in directory: borrowing StateDirectory) throws(Ending) -> AccountFile? {
    let mapping = try? server().username
    do throws(StateError) {
      account = try AccountFile.open(in: directory, uid: uid, name: knownName) { name in mapping?.name(of: name) }
      account?.lockEnded = { [weak self] type, origin in self?.tellEnded(type, origin) }
      return account
    } catch { throw Ending(error) }
  }

  /// Whose number it is today: a number that was given to somebody else must not open what was its owner's before.
  ///
  /// A host with root has looked the name up. A peer without root is not believed, so /etc/passwd tells; for an account that
  /// lives elsewhere nothing does, and its name is not compared.
  private var knownName: [UInt8]? {
    caller.isRoot ? caller.name : caller.ownName
  }

  /// Whether nothing was ever registered for the account here; a failure is no such thing.
  func neverHadRow(_ uid: UInt32, in directory: borrowing StateDirectory) -> Bool {
    (try? AccountFile.exists(in: directory, uid: uid)) == false
  }

  /// The policy attempts of an origin count under.
  func lockPolicy(_ type: AuthenticatorType, uid: UInt32, _ origin: AttemptOrigin) -> LockPolicy {
    let configured = configuration.lockPolicy(for: type, origin: origin)
    guard uid == 0, !configuration.rootPermanentLock else { return configured }
    var policy = configured
    policy.maxLockCount = nil
    return policy
  }

  /// Waits for the right to derive a key: first for the account's turn, then for one of the machine's slots.
  ///
  /// - Throws: ``Ending`` after 10 s: refused, and nothing was counted.
  func takeSlot(in directory: borrowing StateDirectory) throws(Ending) -> DerivationSlot {
    let (wait, limit) = (20, 10_000)
    let claim: DerivationSlot.Claim =
      switch (caller.isRoot, caller.origin) {
      case (true, .local): .localHost
      case (true, .remote): .remoteHost
      case (true, .otherUser): .otherUser
      case (false, _): .person
      }
    let subject = caller.uid.map { DerivationTurn.Subject.account($0) } ?? .name(caller.typedName ?? [])
    let source = source(for: claim)
    var turn: DerivationTurn?
    for _ in 0..<limit / wait {
      do throws(StateError) {
        let count = surroundings.derivationSlots
        if turn == nil {
          turn = try DerivationTurn.take(in: directory, of: subject, from: source, slots: count, for: claim)
        }
        if let turn {
          let slot = try DerivationSlot.take(in: directory, count: count, for: claim, holding: turn)
          if let slot { return slot }
        }
      } catch { throw Ending(error) }
      surroundings.pause(wait)
    }
    throw Ending(.systemCancel, log: "no derivation slot was free for \(limit / 1000) s; nothing was counted")
  }

  /// Where an attempt comes from, for its turn; a person's own program is its account, which has a turn.
  private func source(for claim: DerivationSlot.Claim) -> AttemptSource? {
    switch claim {
    case .remoteHost: AttemptSource(remoteHost: caller.remoteHost ?? [])
    case .localHost, .otherUser: caller.callerUID.flatMap { $0 == 0 ? nil : .caller($0) }
    case .person: nil
    }
  }
}

extension Ending {
  /// What a failure of the state means: a file somebody may have touched is a locked account.
  init(_ error: StateError) {
    if case .serverNameChanged = error {
      // Root's to put right. No isRootsFault: no stack may let those on to the password who are registered here.
      self.init(.invalidParameter, text: .serverNameChanged, log: "\(error)")
      forRoot = "\(error)"
    } else if error.meansLocked {
      self.init(.lockedForGood, text: .lockedForGood, log: "\(error)")
      damage = "\(error)"
      forRoot = damage
    } else {
      self.init(.cannotUse, log: "\(error)")
    }
  }
}
