import UAFAdministration
import UAFMessages
import UAFService

/// A file of policies, in the form of ``PolicyParser``.
struct PolicyFile {
  let path: String

  /// The text of the file.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func bytes() throws(ServerError) -> [UInt8] {
    guard let bytes = try StateFile.read(path: path, isSecret: false, maximumLength: JSONLimits().maximumBytes) else {
      throw .unusableFile(path: path, reason: "there is no such file")
    }
    return bytes
  }

  /// Reads the file.
  ///
  /// - Parameter models: those that the server knows.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, which names the wrong member.
  func policies(_ models: AuthenticatorModels) throws(ServerError) -> AccountPolicies {
    let bytes = try bytes()
    do {
      return try PolicyParser(models: models).policies(bytes)
    } catch { throw .unusableFile(path: path, reason: error.reason) }
  }
}
