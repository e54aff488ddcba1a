import Glibc
import UAFWire

/// Looks up the name of a uid, and checks that the name maps back to the same uid.
///
/// If the name maps to a different uid, it belongs to somebody else: another account with the same name is in /etc/passwd, or
/// in a name service that comes first.
struct NameLookup {
  /// The answer of a name service.
  enum Entry: Equatable {
    case account(uid: UInt32, name: [UInt8])
    case none
    /// The look-up failed, with the system's error number.
    case failed(CInt)
  }

  /// Looks up the account with a uid.
  let ofNumber: (UInt32) -> Entry
  /// Looks up the account with a name.
  let ofName: ([UInt8]) -> Entry

  /// The answer to a request for the name of a uid.
  func answer(to uid: UInt32) -> NameAnswer {
    switch ofNumber(uid) {
    case .failed(let number): return Self.failure(number)
    case .none: return NameAnswer(.unknown)
    case .account(let found, let name):
      guard found == uid else { return NameAnswer(.ambiguous) }
      guard (1...WireLimit.accountName).contains(name.count) else { return Self.failure(ENAMETOOLONG) }
      switch ofName(name) {
      case .failed(let number): return Self.failure(number)
      case .account(uid: uid, name: name): return NameAnswer(.found, name: name)
      case .none, .account: return NameAnswer(.ambiguous)
      }
    }
  }

  private static func failure(_ number: CInt) -> NameAnswer {
    NameAnswer(.failed, number: UInt32(bitPattern: number))
  }

  // MARK: The machine's name services

  /// Uses the name services of nsswitch.conf(5).
  static var ofTheSystem: NameLookup {
    NameLookup(
      ofNumber: { uid in
        // SAFETY: everything comes from `find`.
        unsafe find { unsafe getpwuid_r(uid, $0, $1, room, $2) }
      },
      ofName: { name in
        let text = name.map { CChar(bitPattern: $0) } + [0]
        // SAFETY: the name ends with a NUL and lives for the call; the rest comes from `find`.
        return unsafe find { unsafe getpwnam_r(text, $0, $1, room, $2) }
      })
  }

  // The size of the buffer for a passwd entry; far more than one needs.
  private static let room = 65_536

  private static func find(
    _ search: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> CInt
  ) -> Entry {
    // SAFETY: entry, buffer and result pointer live for the call; the name points into the buffer, which is read before the
    // closure ends.
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: room)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> Entry in
      guard let base = buffer.baseAddress else { return .failed(ENOMEM) }
      let failure = unsafe search(&entry, base, &found)
      // These errors mean that there is no such account. A name service that is not installed returns ENOENT or ESRCH for every
      // name.
      guard failure == 0 || failure == ENOENT || failure == ESRCH else { return .failed(failure) }
      guard unsafe found != nil, let name = unsafe entry.pw_name else { return .none }
      return unsafe .account(uid: entry.pw_uid, name: Array(String(cString: name).utf8))
    }
  }
}
