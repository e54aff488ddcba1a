import FidoResults
import UAFWire

/// The name of a peer without root: the kernel says the number, and the machine whose it is.
///
/// The name decides which account at the server keys are registered for. So it is never the peer's own word, and where
/// anything is unclear there is none.
enum OwnName: Equatable {
  case known([UInt8])
  /// Why there is none, for the person and for the log.
  case missing(EndCause, log: String)

  /// Finds it: in `/etc/passwd`, or else, for a registration, in the machine's name services.
  ///
  /// Every other operation goes by the name that the account was registered by: a directory that hangs delays none of them. The
  /// person's own uafctl asks for it where it is to say what a login says, and goes on without an answer.
  ///
  /// - Parameters:
  ///   - passwd: the text of `/etc/passwd`, which comes first: no directory can give its names away.
  ///   - directory: asks the name services.
  init(
    of uid: UInt32, for operation: Operation, isTool: Bool = false, passwd: [UInt8],
    directory: (UInt32) -> DirectoryName
  ) {
    switch PasswdFile.standing(of: uid, in: passwd) {
    case .named(let name): self = .known(name)
    case .unclear:
      self = .missing(.nameNotFound, log: "uid \(uid) has several names in /etc/passwd, or the file cannot be read")
    case .absent:
      guard operation == .register || isTool && [.authenticate, .status].contains(operation) else {
        self = .missing(.nameNotFound, log: "uid \(uid) is not in /etc/passwd")
        return
      }
      self.init(directory(uid), of: uid, passwd: passwd)
    }
  }

  private init(_ answer: DirectoryName, of uid: UInt32, passwd: [UInt8]) {
    switch answer {
    case .unknown: self = .missing(.nameNotFound, log: "uid \(uid) is neither in /etc/passwd nor in the name services")
    case .ambiguous: self = .missing(.nameOfOther, log: "the name services give uid \(uid) the name of another account")
    case .failed(let detail): self = .missing(.namesSilent, log: "uid \(uid) is not in /etc/passwd, and \(detail)")
    case .found(let name):
      guard !PasswdFile.has(name, in: passwd) else {
        self = .missing(
          .nameOfOther, log: "the name services give uid \(uid) a name that /etc/passwd gives another account")
        return
      }
      // A host with root may send these as well, but for the sign that ends a name in /etc/passwd.
      guard !name.isEmpty, name.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ":") }) else {
        self = .missing(.nameNotFound, log: "the name of uid \(uid) has characters that are not visible ASCII")
        return
      }
      self = .known(name)
    }
  }
}
