import ArgumentParser

/// The options that say how many requests and connections `serve` takes.
struct LimitOptions: ParsableArguments {
  @Option(help: "Requests of one address in a minute; twice as many at once; 0 for no limit.")
  var addressRate = Admission.standardAddressRate
  @Option(help: "Requests for one account in a minute; twice as many at once; 0 for no limit.")
  var accountRate = Admission.standardAccountRate

  @Option(
    help: ArgumentHelp(
      "Connections of one address at once; beyond, one that was quiet for long is closed. 0 for no limit. "
        + "All loopback addresses are one."))
  var addressConnections = Connections.standardMaximum

  func validate() throws {
    guard (0...1_000_000).contains(addressRate), (0...1_000_000).contains(accountRate) else {
      throw ValidationError("--address-rate and --account-rate must be 0 to 1000000.")
    }
    guard (0...Connections.maximumOfAll).contains(addressConnections) else {
      throw ValidationError("--address-connections must be 0 to \(Connections.maximumOfAll).")
    }
  }

  /// The limits of requests.
  var admission: Admission { Admission(addressRate: addressRate, accountRate: accountRate) }
}
