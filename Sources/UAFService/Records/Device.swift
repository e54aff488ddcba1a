import UAFMessages

/// The machine that a client says it runs on.
///
/// The statement is not verified.
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
