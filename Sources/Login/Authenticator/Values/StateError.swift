import CSQLite
import Glibc

/// Why the state of an account, or of the machine, cannot be used.
public enum StateError: Error, Equatable, Sendable {
  /// The folder, a key or a file does not have the required owner, mode or type. The payload is its path and the reason.
  case unsafe(path: String, why: UnsafeFile)
  /// There is no device key: `uafctl init` was never run.
  case notInitialised(path: String)
  /// There is no device key, but there are accounts that were sealed with one.
  case keyMissing(path: String)
  /// A chip has sealed the device key, and did not open it in this call.
  case keySealed(path: String)
  /// The device key is not in the form that the operation needs: it is sealed, or it is not.
  case keyElsewhere(path: String)
  /// A file or folder cannot be opened. The payload includes the system's error number.
  case cannotOpen(path: String, errno: CInt)
  /// A row does not have a valid MAC of this machine, or cannot be read: it was changed or damaged, or copied from elsewhere.
  case damaged
  /// The row belongs to an account with a different name: the account was renamed, or its uid was given to somebody else.
  case identityMismatch
  /// In root's configuration, this account has a different server user name from the one under which it was registered.
  case serverNameChanged(registered: String, configured: String)
  /// Another call was faster: the stored state has changed since this call began.
  case superseded
  /// SQLite failed. The payload is its extended result code.
  case database(code: Int32)
  /// The state was written by a version whose schema this version does not know.
  case unknownSchema(Int64)
  /// Nothing is registered, but the operation needs a registration.
  case absent
  /// The random source, the key derivation or the allocation of secret memory failed.
  case cryptography
  /// The share of a key could not be obtained, made or changed in the chip; the caller that asked the chip knows why.
  case share

  /// Whether the account must be treated as locked: somebody may have changed its file.
  public var meansLocked: Bool {
    switch self {
    case .damaged, .identityMismatch: true
    case .database(let code): [11, 26].contains(code & 0xff)  // SQLITE_CORRUPT, SQLITE_NOTADB
    default: false
    }
  }
}

extension StateError {
  /// Whether SQLite cannot write its file: the file system is mounted read-only, or the file is immutable.
  private var isReadOnly: Bool { if case .database(let code) = self { code & 0xff == SQLITE_READONLY } else { false } }
}

extension StateError: CustomStringConvertible {
  /// What failed, where, and what to do.
  public var description: String {
    switch self {
    case .unsafe(let path, let why): "\(path): \(why); refused"
    case .notInitialised(let path): "\(path): no device key; run 'uafctl init' as root"
    case .keyMissing(let path):
      "\(path): missing, and no other key opens the accounts in the same folder; restore the key, or move "
        + "'accounts' away to start again"
    case .keySealed(let path):
      "\(path): sealed by a chip, and could not be opened: check the chip, and [tpm] of the configuration"
    case .keyElsewhere(let path): "\(path): there is no device key here, so there is nothing to move"
    case .cannotOpen(let path, let number):
      // SAFETY: strerror returns a NUL-terminated text for every number.
      "\(path): \(unsafe String(cString: strerror(number)))"
        + (number == EROFS ? ": the state must be written at each login: mount its file system for writing" : "")
    case .damaged: "state damaged or edited: the account is locked; root's 'uafctl forget USER' removes it"
    case .identityMismatch:
      "registered under a different name than the account has now; root's 'uafctl rename USER --from OLD' moves "
        + "the registration of a renamed account, and 'uafctl forget USER' removes somebody else's registration"
    case .serverNameChanged(let registered, let configured):
      "registered at the server as '\(registered)', and server.username now gives '\(configured)': set it back; to change the "
        + "name, deregister first, then change it and register again"
    case .superseded: "another call has changed the value or registered in the meantime; nothing was changed, try again"
    case .database(let code):
      // SAFETY: sqlite3_errstr returns a static NUL-terminated text for every number.
      "state database: SQLite error \(code): \(unsafe String(cString: sqlite3_errstr(code)))"
        + (isReadOnly ? ": mount its file system for writing, and look at its file with lsattr" : "")
        + (meansLocked ? ": the account is locked; root's 'uafctl forget USER' removes it" : "")
    case .unknownSchema(let version): "state database has schema \(version): written by another version of pam-uaf"
    case .absent: "nothing is registered"
    case .cryptography: "the key derivation or the random source failed, perhaps for lack of memory"
    case .share: "the chip did not return what this account's key needs"
    }
  }
}

/// Why a folder, a key or a file is refused as unsafe.
public enum UnsafeFile: Equatable, Sendable {
  /// Its path is not absolute, or contains `.` or `..`.
  case badPath
  case notFolder
  /// It belongs to the wrong owner. The payload is the uid of its owner and the uid that it should have.
  case owner(UInt32, wanted: UInt32)
  /// Its mode gives others access. The payload is the mode in octal digits.
  case open(mode: String)
  case symbolicLink
  case notRegular
  /// It has this many hard links, but must have one.
  case names(Int)
  /// Its size is not between 1 and this many bytes.
  case size(limit: Int)
  /// Its size is not this many bytes.
  case keySize(Int)
}

extension UnsafeFile: CustomStringConvertible {
  /// What is wrong with the file or folder.
  public var description: String {
    switch self {
    case .badPath: "not an absolute path without '.' and '..'"
    case .notFolder: "not a folder, or a symbolic link"
    case .owner(let uid, let wanted): "owned by uid \(uid), not \(wanted)"
    case .open(let mode): "open to others (mode \(mode))"
    case .symbolicLink: "a symbolic link"
    case .notRegular: "not a regular file"
    case .names(let count): "has \(count) names (hard links)"
    case .size(let limit): "not 1 to \(limit) bytes long"
    case .keySize(let size): "not \(size) bytes long"
    }
  }
}
