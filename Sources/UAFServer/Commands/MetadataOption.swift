import ArgumentParser
import UAFService

/// The option of every subcommand that needs to know the authenticators' models.
struct MetadataOption: ParsableArguments {
  @Option(
    name: .customLong("metadata"),
    help: "Folder of metadata statements of further authenticator models, one .json file each.",
    completion: .directory)
  var folder: String?

  /// This project's own models, and those of the folder.
  ///
  /// - Throws: as ``MetadataFolder/models()``.
  func models() throws -> AuthenticatorModels {
    try folder.map { try MetadataFolder(path: $0).models() } ?? .projectOwn()
  }
}
