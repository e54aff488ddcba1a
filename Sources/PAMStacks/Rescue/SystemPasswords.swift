import CPAM
import Glibc

/// The groups and passwords of the system (NSS); passwords for root alone.
package struct SystemPasswords: PasswordDirectory {
  /// The file of the local accounts, which need no directory server.
  private let accountsPath: String

  /// - Parameter accountsPath: the file of the local accounts.
  package init(accountsPath: String = "/etc/passwd") { self.accountsPath = accountsPath }

  // Enough for every entry, except groups with thousands of members; a longer entry counts as none.
  private static let room = 1 << 20
  private static let secondsOfDay = 86_400

  /// The members of a group, as NSS and the local accounts have them; nil if there is no such group.
  package func members(ofGroup name: String) -> [String]? {
    // SAFETY: entry, buffer and result live for the call, and so does the list of names, which points into the buffer and
    // ends with NULL.
    var entry = unsafe group()
    var found: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: Self.room)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> [String]? in
      guard let base = buffer.baseAddress, unsafe getgrnam_r(name, &entry, base, Self.room, &found) == 0,
        unsafe found != nil
      else { return nil }
      var names: [String] = []
      var next = unsafe entry.gr_mem
      while let place = unsafe next, let member = unsafe place.pointee {
        unsafe names.append(String(cString: member))
        unsafe next = place + 1
      }
      return unsafe names + local(inGroup: entry.gr_gid).filter { !names.contains($0) }
    }
  }

  /// The names of the local accounts, in their file's order.
  package func localAccounts() -> [String] { local(inGroup: nil) }

  /// The local accounts with this primary group; nil: all of them.
  ///
  /// The group's entry does not list them, but pam_succeed_if(8) counts them.
  private func local(inGroup group: gid_t?) -> [String] {
    // SAFETY: the stream is opened, read and closed here alone; entry and buffer live for the calls, and the name points into
    // the buffer, and is copied.
    guard let accounts = unsafe fopen(accountsPath, "re") else { return [] }
    defer { unsafe fclose(accounts) }
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: Self.room)
    var names: [String] = []
    while unsafe fgetpwent_r(accounts, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil {
      if unsafe group == nil || entry.pw_gid == group, let name = unsafe entry.pw_name {
        unsafe names.append(String(cString: name))
      }
    }
    return names
  }

  /// Whether the account can use its password today; only root can find out.
  package func password(of name: String) -> PasswordState {
    // SAFETY: entry, buffer and result live for the call; the hash points into the buffer, and is copied.
    var entry = unsafe spwd()
    var found: UnsafeMutablePointer<spwd>?
    var buffer = [CChar](repeating: 0, count: Self.room)
    let today = time(nil) / Self.secondsOfDay
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> PasswordState in
      guard let base = buffer.baseAddress, unsafe getspnam_r(name, &entry, base, Self.room, &found) == 0,
        unsafe found != nil, let hash = unsafe entry.sp_pwdp
      else { return .unknown }
      let copy = unsafe PasswordState.Entry(
        hash: String(cString: hash), lastChange: entry.sp_lstchg, maximum: entry.sp_max, inactive: entry.sp_inact,
        end: entry.sp_expire)
      return PasswordState(copy, today: today)
    }
  }
}
