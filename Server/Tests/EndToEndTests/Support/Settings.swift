/// The configuration of a ``Scene``.
struct Settings {
  var requestURL: String
  var responseURL: String
  var authority: String
  let stateDirectory: String
  /// Low, because these tests do not need a guess to be expensive.
  var derivationCost = 12
  /// Only one: if there are several, a person has to choose, and only a test about that choice adds another.
  var authenticators = ["passcode"]
  var lock = "lock_time = 300"
  /// Further lines in the table `[server]`.
  var server = ""
  /// The text that replaces the table `[server]`; nil for a table with the addresses above.
  var serverTables: String?
  /// Further tables of the configuration.
  var more = ""

  init(_ server: Server, folder: String) {
    requestURL = server.url + "/uaf/get"
    responseURL = server.url + "/uaf/respond"
    authority = server.authority
    stateDirectory = folder + "/state"
  }

  var text: String {
    """
    authenticators = \(authenticators)
    \(serverTables ?? ownServer)
    [state]
    directory = "\(stateDirectory)"
    kdf_cost = \(derivationCost)
    [lock]
    \(lock)
    \(more)

    """
  }

  private var ownServer: String {
    """
    [server]
    request_url = "\(requestURL)"
    response_url = "\(responseURL)"
    ca_file = "\(authority)"
    \(server)
    """
  }
}
