import ArgumentParser
import AuthenticatorTypes
import UAFMessages
import UAFService

/// `uaf-server metadata`: prints the metadata statements of this project's authenticators, for other FIDO servers.
struct MetadataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata",
    abstract: "Print the metadata statements of the \(names.joined(separator: " and the ")) authenticator.",
    discussion: """
      Each statement is one line: a JSON object in the form of the FIDO metadata statement 1.1, with the limits with \
      which the programs were built. A configuration outside these limits is refused, so the statements are always \
      true. Needs no state.
      """)

  @Argument(
    help: "Only this one: \(names.joined(separator: " or ")).", completion: .list(names))
  var type: String?

  private static let names = AuthenticatorType.allCases.map(\.rawValue)

  func validate() throws {
    guard type == nil || types.count == 1 else {
      throw ValidationError("TYPE must be \(Self.names.joined(separator: " or ")).")
    }
  }

  func run() throws {
    for type in types { Terminal.result(try MetadataStatement.projectOwn(type).jsonText) }
  }

  private var types: [AuthenticatorType] {
    AuthenticatorType.allCases.filter { type == nil || $0.rawValue == type }
  }
}

/// The option `--metadata`, for every subcommand that needs the authenticator models.
struct MetadataOption: ParsableArguments {
  @Option(
    name: .customLong("metadata"),
    help: "Folder with the metadata statements of additional authenticator models, one .json file for each.",
    completion: .directory)
  var folder: String?

  /// This project's own models, and those of the folder.
  ///
  /// - Throws: what ``MetadataFolder/models()`` throws.
  func models() throws -> AuthenticatorModels {
    try folder.map { try MetadataFolder(path: $0).models() } ?? .projectOwn()
  }
}

extension VerificationMethodPolicy: ExpressibleByArgument {}

extension ChannelBindingPolicy: ExpressibleByArgument {}
