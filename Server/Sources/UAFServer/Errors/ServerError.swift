import Glibc
import Invocation
import UAFAdministration

/// Why the server cannot work.
///
/// Clients only ever see "internal error".
enum ServerError: Error, Equatable, CustomStringConvertible {
  /// The store was made by a later version.
  case newerDatabase
  /// A file cannot be read, written or used.
  case unusableFile(path: String, reason: String)
  /// The folder has no store, and the command does not create one.
  case noStore(path: String)
  /// A database cannot be used as the store.
  case unusableStore(String)
  /// This server cannot use the saved policy.
  case unusablePolicy(number: Int64, reason: String)
  /// A result could not be written.
  case unwritten(errorNumber: Int32)
  /// The folder cannot be created or used.
  case unusableDirectory(path: String, reason: String)
  /// The system refuses the address.
  case cannotListen(address: String, errorNumber: Int32)
  /// No server can be asked at its socket.
  case notRunning(path: String, errorNumber: Int32)
  /// The public URL is not known yet, because the server does not listen yet.
  case notListening
  /// The system lets others read the process's memory.
  case unprotectedMemory(errorNumber: Int32)
  /// A key cannot be rotated now.
  case refusedRotation(String)
  /// A backup cannot be made or restored.
  case unusableBackup(String, BackupError)
  /// An export cannot be imported.
  case unusableExport(String, ExportFault)
  /// The store was not moved.
  case unfinishedMove(MoveFailure)
  /// A directory did not answer the search for people.
  case directory(DirectorySearchFailure)
  /// The answer of a directory cannot be used.
  case unusableDirectoryAnswer(DirectoryProblem)
  /// An argument of the command line is wrong.
  case invalidArgument(String)

  var description: String {
    switch self {
    case .newerDatabase:
      "the store was written by a newer uaf-server: start that version, or restore the older store from a backup"
    case .noStore(let path):
      "\(path): there is no store in it: name the folder with which 'uaf-server serve' was started"
    case .unusableStore(let reason): reason
    case .unusablePolicy(let number, let reason):
      "the saved policy \(number) cannot be used: \(reason): start the server with the --metadata with which the "
        + "policy was saved, or save another policy with 'uaf-server policy set'"
    case .unwritten(let errorNumber):
      // SAFETY: strerror's text is copied immediately.
      "the output could not be written: \(unsafe String(cString: strerror(errorNumber))): the request may have "
        + "been carried out "
        + "anyway"
    case .unusableFile(let path, let reason): "\(path): \(reason)"
    case .unusableDirectory(let path, let reason): "\(path): \(reason)"
    case .cannotListen(let address, let errorNumber):
      // SAFETY: strerror's text is copied immediately.
      "cannot listen on \(address): \(unsafe String(cString: strerror(errorNumber))): choose another address"
    case .notRunning(let path, EACCES):
      "\(path): only root and the server's own user may ask the running server: run this as root"
    case .notRunning(let path, let errorNumber):
      // SAFETY: strerror's text is copied immediately.
      "\(path): no server runs here (\(unsafe String(cString: strerror(errorNumber)))): systemctl start uaf-server, or use "
        + "its store without it: runuser -u uaf-server -- uaf-server COMMAND --state /var/lib/uaf-server"
    case .notListening: "the server is not listening yet: try again"
    case .unprotectedMemory(let errorNumber):
      // SAFETY: strerror's text is copied immediately.
      "core dumps cannot be forbidden: \(unsafe String(cString: strerror(errorNumber))): check its sandbox"
    case .unusableBackup(let path, let error): "\(path): \(error)"
    case .unusableExport(let path, let fault): "\(path): \(fault)"
    case .unfinishedMove(let failure): failure.description
    case .directory(let failure): failure.description
    case .unusableDirectoryAnswer(let problem): problem.description
    case .invalidArgument(let text), .refusedRotation(let text): text
    }
  }

  /// The exit status of the program.
  var exit: ExitStatus {
    switch self {
    case .newerDatabase, .unusableFile, .unusableDirectory, .noStore, .invalidArgument, .unusableBackup,
      .unusableExport, .unusablePolicy:
      .usage
    case .cannotListen, .notListening, .notRunning, .unprotectedMemory, .unfinishedMove: .unreachable
    case .refusedRotation, .unusableDirectoryAnswer: .refused
    case .directory(let failure): failure.exit
    case .unwritten: .unwritten
    case .unusableStore: .unusableStore
    }
  }
}

extension ServerError {
  /// The error for a file, with the reason from `errno`.
  static func unusableFile(path: String, system what: String) -> ServerError {
    // SAFETY: strerror's text is copied immediately.
    .unusableFile(path: path, reason: unsafe "\(what): \(String(cString: strerror(errno)))")
  }

  /// The error for a new file that could not be created, with the reason from `errno`.
  static func cannotMake(_ path: String) -> ServerError {
    errno == EEXIST
      ? .unusableFile(path: path, reason: isThereAlready) : .unusableFile(path: path, system: "cannot be made")
  }

  /// The reason for an output that exists already.
  static let isThereAlready = "already exists, and is not overwritten: name another file"
}
