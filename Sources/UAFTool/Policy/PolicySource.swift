import Glibc
import UAFConfiguration

/// Where the rules come from that a value is tried against.
///
/// The outcome is only shown to the caller, so the caller's own file is allowed as well as root's. A third person's file is not:
/// its expressions would be applied to what the caller types.
struct PolicySource {
  let configuration: Configuration
  /// The file, as the caller has named it; nil for this machine's.
  let path: String?
  /// Whether root has written it, so that the core goes by it, too.
  let isRoots: Bool

  /// The configuration at `path` or, without one, that of this machine, or the defaults where there is none.
  ///
  /// - Parameter path: `--conf`, absolute.
  /// - Throws: ``ToolError/configuration(_:)`` with file, line and key.
  init(_ path: String?, in context: ToolContext) throws(ToolError) {
    let root = context.installation.owner
    let standard = context.installation.configurationPath
    let caller = context.caller.userID
    do throws(ConfigurationError) {
      if let path, caller != root, Self.isOwned(path, by: caller) {
        configuration = try Configuration.load(path: path, requiredOwner: caller)
        isRoots = false
      } else {
        configuration = try Configuration.load(path: path, defaultPath: standard, requiredOwner: root)
        isRoots = true
      }
      self.path = path
    } catch {
      guard caller != root, case .file(let path, let problem) = error else { throw .configuration(.unusable(error)) }
      switch problem {
      case .owner: throw .configuration(.notYours(path: path))
      // The remedy that root reads is to take over the folder. Nobody must do that to a home directory.
      case .directoryOwner(let folder):
        throw .configuration(.folderNotYours(path: path, folder: folder))
      default: throw .configuration(.unusable(error))
      }
    }
  }

  /// Says only which rule of ownership is to be kept.
  ///
  /// The rule is checked on the open file. A missing file may have been meant as the caller's own.
  private static func isOwned(_ path: String, by userID: uid_t) -> Bool {
    var state = stat()
    // SAFETY: the path lives for the call, and `state` is a stat.
    return unsafe lstat(path, &state) != 0 || state.st_uid == userID
  }
}
