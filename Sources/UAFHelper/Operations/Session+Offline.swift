import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFWire

/// Logins without the server: for hosts with root alone, where root allows them, and for a while after the server's own yes.
extension Session {
  /// How old the server's last yes may be for this login to do without another one.
  ///
  /// Nil where no login does: root does not allow it, something is to be confirmed, the caller has no root, or this is no
  /// login.
  private var offlineLimit: Duration? {
    guard begin.operation == .authenticate, begin.payload == nil, caller.isRoot, !settings.transaction,
      begin.transaction == nil,
      settings.general.offline == .allow
    else { return nil }
    return settings.general.offlineMaximumAge
  }

  /// What makes an answer one of root's server: where it is asked, who vouches for it, what it has to be signed with.
  ///
  /// Once root has changed any of that, an answer of before is worth nothing.
  func answerTerms(_ client: ClientSettings) throws(Ending) -> [UInt8] {
    let endpoint = client.authentication
    let texts = [endpoint.requestURL, endpoint.responseURL, authorities ?? "the system's"]
    let bytes = texts.flatMap { Array($0.utf8) + [0] } + (verdictKey ?? [])
    do throws(CryptoError) { return try SHA256.hash(bytes) } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// How often the server has refused so far; nil where that is not needed, or not known.
  func refusals(of account: AccountFile) -> UInt64? {
    guard offlineLimit != nil else { return nil }
    do throws(StateError) {
      try account.settleRefusal(at: surroundings.now())
      return try account.refusals()
    } catch {
      logTrouble(error, "the server's last answer cannot be read")
      return nil
    }
  }

  /// Keeps the server's yes for a later login without it; a login does not fail for it.
  func noteYes(of run: AuthenticationRun, _ held: AccountAuthenticators, _ terms: [UInt8]) {
    guard offlineLimit != nil, let refusals = run.refusalsBefore, let asked = run.answered else { return }
    do throws(StateError) {
      try held.account.noteYes(asked: asked, with: held.opened.map(\.type), under: terms, since: refusals)
    } catch {
      logTrouble(error, "the server's yes could not be kept")
    }
  }

  /// Takes back what the server's last yes was good for: it has refused, or forgotten keys.
  ///
  /// Whatever this call is, and whether it could have used the yes.
  func noteRefusal() {
    guard let account else { return }
    do throws(StateError) {
      try account.noteRefusal(at: surroundings.now(), always: configuration.allowsOffline)
    } catch {
      // What cannot be read is no yes either.
      guard error != .damaged else { return }
      logTrouble(error, "the server's refusal could not be kept")
    }
  }

  /// A login that found no server, by what the server said last.
  ///
  /// - Throws: ``Ending``: `ending`, unless all of this is so: the person has just verified a value, no TLS handshake was
  ///   completed in this call, root allows it here, and the server's last answer was a yes that still holds.
  func withoutServer(
    _ ending: Ending, _ held: AccountAuthenticators, _ terms: [UInt8]
  ) throws(Ending) -> Success {
    guard ending.result == .noAnswer, !ending.handshakeCompleted, !ending.isServers, !ending.isServersNo,
      !held.opened.isEmpty, let limit = offlineLimit
    else { throw ending }
    let judgement: OfflineJudgement
    var refused = ending
    do throws(StateError) {
      judgement = try held.account.judgeOffline(
        at: surroundings.now(), maximumAge: limit, opened: held.opened.map(\.type), terms: terms)
    } catch {
      refused.log += "; not accepted without it: \(error)"
      throw refused
    }
    switch judgement {
    case .holds(let age):
      try frontEnd.send(.info(PromptText.acceptedOffline.text(in: language)))
      return Success(offlineAge: age)
    case .refused(let reason):
      refused.log += "; not accepted without it: \(reason)"
      throw refused
    }
  }

  private func logTrouble(_ error: StateError, _ what: String) {
    log(.state, "\(what): \(error)", .warning)
  }
}
