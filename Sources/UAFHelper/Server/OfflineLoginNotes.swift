import Authenticator
import UAFConfiguration
import UAFCrypto
import UAFMessages

/// Notes the logins without the server, for a machine that has joined one and may tell it about itself.
///
/// A login never fails because it could not be noted: the log has it, too.
struct OfflineLoginNotes {
  let folder: StateFolder
  let server: ServerAccess
  let log: CallLog
  /// Waits for so many milliseconds.
  let pause: (Int) -> Void
  let now: () -> BootTime

  /// How long another call is waited for that writes, in milliseconds, and how often.
  private static let (wait, waits) = (20, 25)
  /// How much of a service's name is kept.
  private static let mostCharacters = 64

  /// Notes that an account was let in.
  ///
  /// The account's own secret makes the code. Without one the server can note the login, and say of nobody that it was theirs.
  func note(_ account: AccountFile, at service: String?) {
    guard let settings = try? server.settings(), settings.sendsDevice,
      let joined = try? server.joined(settings)
    else { return }
    do throws(StateError) {
      let turn = try turn()
      defer { withExtendedLifetime(turn) {} }
      var record = try OfflineLoginRecord.read(in: folder.path, owner: folder.owner)
      guard let login = Self.login(of: account, at: service, record, joined, now().wallSeconds) else { return }
      record.add(login)
      try record.store(in: folder.path, owner: folder.owner)
    } catch {
      log.write(.checkIn, "the server will not be told of this login without it: \(error)", .warning)
    }
  }

  private func turn() throws(StateError) -> MachineTurn {
    for _ in 0..<Self.waits {
      do throws(StateError) { return try MachineTurn(for: .offlineLogins, in: folder.path, owner: folder.owner) } catch
      {
        guard error == .superseded else { throw error }
      }
      pause(Self.wait)
    }
    throw .superseded
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
