/// A route of the UAF transport.
enum UAFRoute: String, CaseIterable, Sendable {
  case get, respond
}
