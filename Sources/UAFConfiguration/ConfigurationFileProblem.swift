/// Why a file is not trusted or cannot be read.
public enum ConfigurationFileProblem: Error, Equatable, Sendable {
  /// The path is not absolute, too long, or has empty, `.` or `..` parts.
  case badPath
  /// There is no such file.
  case missing
  /// A directory on the way does not exist, is no directory, or is a symbolic link.
  case badDirectory(String)
  /// A directory on the way belongs to someone else.
  case directoryOwner(String)
  /// Others may write to a directory on the way.
  case directoryWritable(String)
  /// It is a symbolic link.
  case symbolicLink
  /// It is a FIFO, a device, a directory or a socket.
  case notRegular
  /// It belongs to someone else.
  case owner(UInt32)
  /// Group or others may write to it.
  case writable
  /// It has more than one name.
  case hardLinks
  /// It has more bytes than a file for this may have.
  case tooLarge(limit: Int)
  /// It is a folder with more than ``ConfigurationFile/maximumDropIns`` files.
  case tooManyFiles
  /// It should hold certificates in PEM, and holds none.
  case noCertificate
  /// It is a certificate, but in DER.
  case isDER
  /// It is written in UTF-16.
  case isUTF16
  /// The certificate that begins in this line cannot be read.
  case badCertificate(line: Int)
  /// The system refused, with this errno.
  case system(Int32)
}

extension ConfigurationFileProblem {
  /// Whether only root can have caused it.
  ///
  /// An error number is the machine's fault: a failing disk, or descriptors and memory that others used up. A second name is not
  /// always root's fault: without `fs.protected_hardlinks` anybody may give one to a file that he can read.
  public var isRoots: Bool {
    switch self {
    case .system, .hardLinks: false
    default: true
    }
  }
}

extension ConfigurationFileProblem: CustomStringConvertible {
  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .badPath: "the path must be absolute, without empty, . or .. parts"
    case .missing: "there is no such file: create it, or correct the path"
    case .badDirectory(let path): "\(path) is missing, no directory, or a symbolic link: give the real path"
    case .directoryOwner(let path): "\(path) belongs to someone else: chown root \(path)"
    case .directoryWritable(let path): "others may write to \(path): chmod go-w \(path)"
    case .symbolicLink: "it is a symbolic link: give the real path"
    case .notRegular: "it is not a regular file"
    case .owner(let uid): "it belongs to uid \(uid): chown root it"
    case .writable: "group or others may write to it: chmod go-w it"
    case .hardLinks: "it has a second name (hard link): make it a file of its own"
    case .tooLarge(let limit): "it is larger than \(limit) bytes, the most that is read"
    case .tooManyFiles: "it has more than \(ConfigurationFile.maximumDropIns) files *.conf: put some of them together"
    case .noCertificate: "it holds no certificate in PEM: none of its lines is -----BEGIN CERTIFICATE-----"
    case .isDER: "it is a certificate in DER, and PEM is needed: convert it with openssl x509 -inform DER"
    case .isUTF16: "it is written in UTF-16: save it as UTF-8 or ASCII"
    case .badCertificate(let line):
      "the certificate that begins in line \(line) cannot be read: copy it anew, or take it out"
    case .system(let number): "it cannot be read (errno \(number))"
    }
  }
}
