import AuthenticatorTypes
import Authenticator
import FidoResults

/// Limits how many keys are derived at the same time.
///
/// An attempt waits first for its account's turn, then for one of the machine's slots.
struct DerivationQueue {
  private let call: Call
  private let slots: Int
  private let pause: (_ milliseconds: Int) -> Void

  /// The time between two attempts to take a slot, and the time after which the call gives up.
  private static let (waitMilliseconds, limitMilliseconds) = (20, 10_000)

  /// - Parameter slots: how many derivations may run at the same time on this machine.
  init(for call: Call, slots: Int, pause: @escaping (_ milliseconds: Int) -> Void) {
    self.call = call
    self.slots = slots
    self.pause = pause
  }

  /// Waits for the right to derive a key.
  ///
  /// - Throws: ``Ending`` after 10 s: the attempt is refused without being counted.
  func takeSlot(in directory: borrowing StateDirectory) throws(Ending) -> DerivationSlot {
    let claim = claim
    let caller = call.caller
    let subject = caller.uid.map { DerivationTurn.Subject.account($0) } ?? .name(caller.typedName ?? [])
    let source = source(for: claim)
    var turn: DerivationTurn?
    for _ in 0..<Self.limitMilliseconds / Self.waitMilliseconds {
      do throws(StateError) {
        if turn == nil {
          turn = try DerivationTurn.take(in: directory, of: subject, from: source, slots: slots, for: claim)
        }
        if let turn {
          let slot = try DerivationSlot.take(in: directory, count: slots, for: claim, holding: turn)
          if let slot { return slot }
        }
      } catch { throw Ending(error) }
      pause(Self.waitMilliseconds)
    }
    let seconds = Self.limitMilliseconds / 1000
    throw Ending(.systemCancel, log: "no derivation slot was free for \(seconds) s; nothing was counted")
  }

  private var claim: DerivationSlot.Claim {
    switch (call.caller.isRoot, call.caller.origin) {
    case (true, .local): .localHost
    case (true, .remote): .remoteHost
    case (true, .otherUser): .otherUser
    case (false, _): .person
    }
  }

  /// The source whose turns the attempt uses; nil for a person's own program, which only needs the account's turn.
  private func source(for claim: DerivationSlot.Claim) -> AttemptSource? {
    switch claim {
    case .remoteHost: AttemptSource(remoteHost: call.caller.remoteHost ?? [])
    case .localHost, .otherUser: call.caller.callerUID.flatMap { $0 == 0 ? nil : .caller($0) }
    case .person: nil
    }
  }
}
