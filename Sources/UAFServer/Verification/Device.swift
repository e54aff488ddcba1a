import UAFMessages

/// The machine a client says it runs on; a statement, not a proof.
struct Device: Equatable, Sendable {
  var id: String?
  var name: String?
  var model: String?
  var os: String?

  init() {}

  init(_ context: RequestContext) {
    id = context.deviceID
    name = context.deviceName
    model = context.deviceModel
    os = context.deviceOS
  }
}
