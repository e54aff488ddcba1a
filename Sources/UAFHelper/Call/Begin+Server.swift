import UAFWire

extension Begin {
  /// Whether the operation may ask a server, if one is configured.
  var mayAskServer: Bool {
    switch operation {
    case .authenticate, .register, .deregister, .deregisterAll: true
    case .reset: payload != nil
    case .change, .status, .unlock, .initialise, .forget, .trust, .seal, .unseal, .recover: false
    }
  }
}
