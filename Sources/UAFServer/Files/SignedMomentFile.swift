import UAFService

/// The file in the state folder that says when the server last knew that the whole audit was signed.
///
/// Who administers the database has no say in it. It is written once a minute, as long as all is signed.
struct SignedMomentFile: Sendable {
  let path: String

  init(of state: ServerDirectory) { path = state.auditSignedPath }

  /// What the file has; nil if there is none, or it is damaged.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func read() throws(ServerError) -> SignedMoment? {
    try StateFile.read(path: path, isSecret: false).flatMap(SignedMoment.init)
  }

  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func write(_ moment: SignedMoment) throws(ServerError) {
    try StateFile.replace(path: path, mode: 0o644, contents: moment.json.bytes + Array("\n".utf8))
  }
}
