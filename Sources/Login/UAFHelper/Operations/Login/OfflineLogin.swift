import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages

/// Logins without the server: only for hosts with root privileges, only if root allows them, and only for a limited time after a
/// success of the server.
@safe final class OfflineLogin {
  private let policy: CallPolicy
  private let prompter: Prompter
  private let server: ServerAccess
  private let log: CallLog
  private let notes: OfflineLoginNotes
  private let service: String?
  private let now: () -> BootTime

  init(
    _ policy: CallPolicy, _ prompter: Prompter, _ server: ServerAccess, _ log: CallLog,
    noting notes: OfflineLoginNotes, at service: String?, now: @escaping () -> BootTime
  ) {
    self.policy = policy
    self.prompter = prompter
    self.server = server
    self.log = log
    self.notes = notes
    self.service = service
    self.now = now
  }

  /// How many refusals the server has given so far; nil if that is not needed or not known.
  func refusals(of account: AccountFile) -> UInt64? {
    guard policy.offlineLimit != nil else { return nil }
    do throws(StateError) {
      try account.settleRefusal(at: now())
      return try account.refusals()
    } catch {
      logTrouble(error, "the server's last verdict cannot be read")
      return nil
    }
  }

  /// Stores the server's success for a later login without the server; if that cannot be written, the login does not fail.
  ///
  /// - Parameters:
  ///   - asked: when the response that the server accepted was sent.
  ///   - refusals: how many refusals the server had given before it was asked this time.
  func noteYes(
    asked: BootTime?, since refusals: UInt64?, _ held: AccountAuthenticators, _ terms: [UInt8]
  ) {
    guard policy.offlineLimit != nil, let refusals, let asked else { return }
    do throws(StateError) {
      try held.account.noteYes(asked: asked, with: held.opened.map(\.type), under: terms, since: refusals)
    } catch {
      logTrouble(error, "the server's success could not be stored")
    }
  }

  /// Whether root allows this login without the server.
  var isAllowed: Bool { policy.offlineLimit != nil }

  /// If a login did not reach the server, decides by the server's last verdict.
  ///
  /// ``LoginMachine`` determines when that is allowed.
  ///
  /// - Throws: `ending`, unless root allows this login without the server, and the server's last answer was a success that is
  ///   still valid.
  func withoutServer(
    _ ending: Ending, _ held: AccountAuthenticators, _ terms: [UInt8]
  ) throws(Ending) -> Success {
    guard let limit = policy.offlineLimit else { throw ending }
    let judgement: OfflineJudgement
    do throws(StateError) {
      judgement = try held.account.judgeOffline(
        at: now(), maximumAge: limit, opened: held.opened.map(\.type), terms: terms)
    } catch {
      throw ending.adding("not accepted without the server: \(error)")
    }
    switch judgement {
    case .holds(let age):
      notes.note(held.account, at: service)
      try prompter.show(.acceptedOffline)
      return Success(offlineAge: age)
    case .refused(let reason):
      throw ending.adding("not accepted without the server: \(reason)")
    }
  }

  private func logTrouble(_ error: StateError, _ what: String) {
    log.write(.state, "\(what): \(error)", .warning)
  }
}

/// Records logins without the server, if the machine has joined a server and is allowed to report to it.
///
/// If a login cannot be recorded, it does not fail: it is in the log anyway.
struct OfflineLoginNotes {
  let folder: StateFolder
  let server: ServerAccess
  let log: CallLog
  /// Waits for this many milliseconds.
  let pause: (Int) -> Void
  let now: () -> BootTime

  /// While another call is writing the record: how many milliseconds to wait before the next try, and how often to try.
  private static let (wait, tries) = (20, 25)
  /// How many characters of a service's name are stored.
  private static let mostCharacters = 64

  /// Records a login of an account.
  ///
  /// The code is made with the machine secret of the account. If the account has none, the server can record the login, but
  /// cannot attribute it to the person.
  func note(_ account: AccountFile, at service: String?) {
    guard let settings = try? server.settings(), settings.sendsDevice,
      let joined = try? server.joined(settings)
    else { return }
    do throws(StateError) {
      let turn = try MachineTurn.awaited(
        for: .offlineLogins, in: folder.path, owner: folder.owner, tries: Self.tries, pause: { pause(Self.wait) })
      defer { withExtendedLifetime(turn) {} }
      var record = try OfflineLoginRecord.read(in: folder.path, owner: folder.owner)
      guard let login = Self.login(of: account, at: service, record, joined, now().wallSeconds) else { return }
      record.add(login)
      try record.store(in: folder.path, owner: folder.owner)
    } catch {
      log.write(.checkIn, "the login without the server could not be recorded for a report: \(error)", .warning)
    }
  }

  private static func login(
    of account: AccountFile, at service: String?, _ record: OfflineLoginRecord, _ joined: JoinRecord, _ time: Int64
  ) -> OfflineLoginRecord.Login? {
    let named = service.map { String($0.unicodeScalars.prefix(mostCharacters).map(Character.init)) } ?? ""
    let number = record.nextNumber(at: time)
    let note = OfflineLoginNote(
      account: account.identity.serverUserName, service: named.isEmpty ? "-" : named, time: time, number: number,
      code: [])
    let own = AccountCodes(of: account, on: joined)
    guard let code = own.code(of: note) ?? (try? RandomBytes.make(OfflineLoginNote.codeByteCount)) else { return nil }
    return OfflineLoginRecord.Login(
      account: note.account, service: note.service, time: time, number: number, code: code)
  }
}
