// Purpose: arguments and configuration that contradict each other.

extension Configuration {
  /// Refuses arguments that contradict this configuration.
  ///
  /// Somebody who typed a value for another module did not see the shuffled keypad or the text of the transaction. `nouserok`
  /// together with `hide_state` is no error: it has no effect then. As an error it would be PAM_SERVICE_ERR, and the profile of
  /// pam-auth-update would ask everybody for the password alone.
  ///
  /// - Throws: ``ConfigurationError/argument(_:problem:)``.
  public func check(_ arguments: ModuleArguments, service: String?) throws(ConfigurationError) {
    let settings = settings(for: service)
    if arguments.firstPass != .ignored {
      let name = arguments.firstPass == .used ? "use_first_pass" : "try_first_pass"
      guard passcode.keypad == .plain else { throw .argument(name, problem: "cannot go with keypad = \"shuffled\"") }
      guard !settings.transaction else { throw .argument(name, problem: "cannot go with transaction = true") }
      guard server?.acceptedTransactions != .any else {
        throw .argument(name, problem: "cannot go with server.accept_transaction = \"any\"")
      }
    }
    if let type = arguments.authenticator.flatMap(ConfiguredAuthenticator.init(nameOrAAID:)) {
      guard authenticators.contains(type) else {
        throw .argument("authenticator", problem: "\(type.rawValue) is not in the configuration's authenticators")
      }
    }
  }
}
