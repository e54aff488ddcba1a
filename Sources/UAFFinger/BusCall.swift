/// One call of a method over the bus; every argument is a text.
struct BusCall: Equatable {
  /// A name of the bus, or the unique name of a connection.
  let destination: String
  let path: String
  let interface: String
  let member: String
  let arguments: [String]

  /// A call of the bus itself.
  static func ofBus(_ member: String, _ arguments: String...) -> BusCall {
    BusCall(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      member: member, arguments: arguments)
  }
}
