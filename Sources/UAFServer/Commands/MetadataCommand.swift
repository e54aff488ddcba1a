import ArgumentParser
import Authenticator
import UAFMessages

/// `uaf-server metadata`: what other servers need to know of this project's authenticator.
struct MetadataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata", abstract: "Print the metadata statement of the passcode authenticator.",
    discussion: """
      One JSON object by the FIDO metadata statement 1.1, with the limits the programs were built with: configuration \
      outside them is refused, so what is printed always holds. Needs no state.
      """)

  func run() throws {
    Terminal.result(try MetadataStatement.projectOwn(.passcode).jsonText)
  }
}
