import ArgumentParser

/// Where the API and the console are served: `HOST:PORT`, or `PORT` on this machine alone.
struct AdminAddress: Equatable, ExpressibleByArgument {
  let host: String
  /// Port 0 lets the system choose.
  let port: Int

  init?(argument: String) {
    if let port = UInt16(argument) {
      (host, self.port) = ("127.0.0.1", Int(port))
    } else if case .network(let host, let port)? = ListenAddress(argument: argument) {
      (self.host, self.port) = (host, port)
    } else {
      return nil
    }
  }

  var listen: ListenAddress { .network(host: host, port: port) }
}
