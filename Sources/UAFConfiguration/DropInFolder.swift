// Purpose: the files that add to root's configuration, so that a package, a role or `uafctl join` can bring its part without
// editing what root has written.

/// The folder `pam_uaf.conf.d` beside a configuration: its files `*.conf` are read after the configuration, in the order of
/// their names.
///
/// Each is held to the rules of ``ConfigurationFile``, and so is the folder. One file that cannot be used makes the whole
/// configuration unusable: it may be the one that makes a rule stricter.
public enum DropInFolder {
  /// The folder of a configuration.
  public static func path(of configuration: String) -> String { configuration + ".d" }

  /// Reads the files; none if there is no folder.
  ///
  /// Other names are left out: copies of editors and of dpkg, hidden files.
  ///
  /// - Throws: ``ConfigurationError/file(path:_:)``.
  static func documents(
    of configuration: String, requiredOwner: UInt32
  ) throws(ConfigurationError) -> [ConfigurationDocument] {
    let path = path(of: configuration)
    let folder: FileDescriptor
    var names: [String]
    do throws(ConfigurationFileProblem) {
      guard let opened = try ConfigurationFile.folder(at: path, requiredOwner: requiredOwner) else { return [] }
      folder = opened
      names = try folder.names().filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
      guard names.count <= ConfigurationFile.maximumDropIns else { throw .tooManyFiles }
    } catch {
      throw .file(path: path, error)
    }
    // By bytes: the order must not depend on the language.
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var documents: [ConfigurationDocument] = []
    for name in names {
      let file = path + "/" + name
      do throws(ConfigurationFileProblem) {
        documents.append(
          ConfigurationDocument(path: file, bytes: try ConfigurationFile.read(name, in: folder, requiredOwner)))
      } catch {
        throw .file(path: file, error)
      }
    }
    return documents
  }
}
