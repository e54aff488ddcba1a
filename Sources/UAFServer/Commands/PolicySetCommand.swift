import ArgumentParser

/// `uaf-server policy set`: saves a policy, which is in force from then on.
struct PolicySetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Save a policy, which is in force from then on, without a restart.",
    discussion: """
      All servers of the store follow within two seconds. Nothing is saved if accounts that can log in now could not any \
      more, unless --lock-out allows as many. See uaf-server-policy.json among the examples for the form.
      """)

  @Argument(help: "The file of the policy, JSON.", completion: .file()) var file: String
  @OptionGroup var options: PolicyOptions
  @OptionGroup var json: JSONFlag
  @Option(help: ArgumentHelp("Why, for those who read the history.", valueName: "text")) var reason: String
  @Option(
    help: ArgumentHelp(
      "The policy that the file was made from; refused if another one is in force.", valueName: "number"))
  var after: Int64?
  @Option(help: ArgumentHelp("How many accounts may be locked out by it.", valueName: "n")) var lockOut = 0

  func run() async throws {
    let text = String(decoding: try PolicyFile(path: file).bytes(), as: UTF8.self)
    try await options.link { link in
      try await PolicyOptions.save(text, reason: reason, after: after, lockingOut: lockOut, link, json)
    }
  }
}
