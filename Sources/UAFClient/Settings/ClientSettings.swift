import UAFMessages

/// What root's configuration says about the server, as the flows need it.
public struct ClientSettings: Equatable, Sendable {
  /// Where to register.
  public var registration: ServerEndpoint
  /// Where to authenticate.
  public var authentication: ServerEndpoint
  /// Where to deregister.
  public var deregistration: ServerEndpoint
  /// Who this client is in a server's list of trusted facets.
  public var facetID: String
  /// How messages are carried.
  public var dialect: Dialect
  /// The media type of what is sent, and wanted in return; nil for the dialect's own.
  public var contentType: String?
  /// AppIDs that may be asked for their facets although they have another host or port than the server.
  public var appIDs: [String] = []
  /// Whether http to this machine is allowed.
  public var allowsPlainHere = false
  /// Whether a text to confirm that the server adds by itself is taken; it has to be shown before anybody is asked to verify.
  public var takesServersTexts = false
  /// Whether the server is one that says in its challenges what they are for, so that no other challenge is signed.
  public var demandsPurpose = false
  /// What is sent to the server about this machine.
  public var device: DeviceContext

  /// Makes settings with the same endpoint for every operation.
  public init(
    endpoint: ServerEndpoint, facetID: String, dialect: Dialect = .fido, device: DeviceContext = DeviceContext()
  ) {
    self.init(
      registration: endpoint, authentication: endpoint, deregistration: endpoint, facetID: facetID, dialect: dialect,
      device: device)
  }

  /// Makes settings with an endpoint for each operation.
  public init(
    registration: ServerEndpoint, authentication: ServerEndpoint, deregistration: ServerEndpoint, facetID: String,
    dialect: Dialect = .fido, device: DeviceContext = DeviceContext()
  ) {
    self.registration = registration
    self.authentication = authentication
    self.deregistration = deregistration
    self.facetID = facetID
    self.dialect = dialect
    self.device = device
  }

  /// The parts of an address that these settings let be asked; nil for any other.
  func address(_ url: String) -> HTTPSAddress? { HTTPSAddress(url, orPlainHere: allowsPlainHere) }

  func endpoint(for operation: UAFOperation) -> ServerEndpoint {
    switch operation {
    case .registration: registration
    case .authentication: authentication
    case .deregistration: deregistration
    }
  }

  /// The context of every request for an account.
  func context(username: String) -> RequestContext {
    var context = RequestContext(username: username)
    context.deviceID = device.id
    context.deviceName = device.name
    context.deviceModel = device.model
    context.deviceOS = device.operatingSystem
    return context
  }
}
