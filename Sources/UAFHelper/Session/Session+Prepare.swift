import Authenticator
import FidoResults
import UAFConfiguration
import UAFWire

extension Session {
  /// Reads what lies outside the state folder, then gives up the means to do so: nobody was asked anything yet.
  ///
  /// - Throws: ``Ending``.
  func prepare() throws(Ending) {
    // A server that is not there is told by the operation that wants it.
    let found = try? server()
    let asked = asksServer ? found : nil
    if let asked {
      authorities = try authorities(of: asked)
      verdictKey = try verdictKey(of: asked)
    }
    let folder = configuration.state.directory
    if begin.operation == .initialise { try stateFailure { () throws(StateError) in try StateDirectory.make(folder) } }
    surroundings.seclude(asked.map(places), folder)
  }

  /// The hosts and ports that a call with this configuration may connect to.
  private func places(of server: ServerSettings) -> FetchPlaces {
    FetchPlaces(of: server.urls.map(\.text) + server.appIDs, proxy: server.proxy?.text)
  }

  private var asksServer: Bool {
    switch begin.operation {
    case .authenticate, .register, .deregister, .deregisterAll: true
    case .reset: begin.payload != nil
    case .change, .status, .unlock, .initialise, .forget, .trust: false
    }
  }

  /// Does what only *init* does, and tells root what failed.
  func stateFailure<Value>(_ body: () throws(StateError) -> Value) throws(Ending) -> Value {
    do throws(StateError) { return try body() } catch {
      throw Ending(.cannotUse, detail: "\(error)", log: "\(error)")
    }
  }
}
