/// A route that clients ask: two of the UAF transport for people, and our own for the state of an account and for machines.
enum UAFRoute: String, CaseIterable, Sendable {
  case get, respond, account, join, leave, machine
}
