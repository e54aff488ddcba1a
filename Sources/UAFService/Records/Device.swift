import UAFMessages

/// The machine a client says it runs on; a statement, not a proof.
package struct Device: Equatable, Sendable {
  package var id: String?
  package var name: String?
  package var model: String?
  package var os: String?

  package init() {}

  init(_ context: RequestContext) {
    id = context.deviceID
    name = context.deviceName
    model = context.deviceModel
    os = context.deviceOS
  }
}
