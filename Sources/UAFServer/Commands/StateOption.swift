import ArgumentParser

/// The option every subcommand has.
struct StateOption: ParsableArguments {
  @Option(
    name: .customLong("state"), help: "Folder that holds the server's store, keys and certificate.",
    completion: .directory)
  var directory: String

  func open(create: Bool) throws -> ServerDirectory {
    try ServerDirectory(path: directory, create: create)
  }
}
