/// A signal that arrived over the bus.
struct BusSignal: Equatable {
  let sender: String
  let path: String
  let interface: String
  let member: String
  /// The texts that it begins with, at most three.
  let texts: [String]
  /// The boolean that follows them; nil if there is none.
  let flag: Bool?
}
