/// What has too many requests.
enum Limit: String, Sendable {
  case address
  case account
}
