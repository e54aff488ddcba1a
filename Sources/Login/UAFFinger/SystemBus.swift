// Purpose: the only Swift that calls sd-bus. Method calls wait for their answer; signals are read one by one.

import CSystemd
import Glibc
import UAFWire

/// A connection to the system bus.
@safe final class SystemBus {
  private let bus: OpaquePointer

  /// How long to wait for an answer.
  ///
  /// The bus may first have to start the service.
  private static let answerMicroseconds: UInt64 = 5_000_000

  /// Connects, and waits until the bus has given this connection its name.
  ///
  /// - Throws: ``BusError``.
  init() throws(BusError) {
    var opened: OpaquePointer?
    // SAFETY: sd-bus writes the connection, which is ours until `deinit`.
    let failure = unsafe sd_bus_open_system(&opened)
    guard failure >= 0, let opened = unsafe opened else { throw .failed(-failure) }
    unsafe bus = opened
    var name: UnsafePointer<CChar>?
    // SAFETY: the connection is ours; the name lives as long as it does, and is not kept.
    let number = unsafe sd_bus_get_unique_name(opened, &name)
    guard number >= 0 else { throw .failed(-number) }
  }

  // SAFETY: the connection is ours, and nothing uses it any longer.
  deinit { unsafe _ = sd_bus_close_unref(bus) }

  /// The descriptor to poll for signals.
  var descriptor: CInt {
    // SAFETY: the connection is ours.
    unsafe sd_bus_get_fd(bus)
  }

  /// The events to poll for on the descriptor.
  var events: Int16 {
    // SAFETY: the connection is ours.
    Int16(truncatingIfNeeded: max(0, unsafe sd_bus_get_events(bus)))
  }

  /// Calls a method, and waits for the answer.
  ///
  /// - Throws: ``BusError``.
  func call(_ call: BusCall, expecting form: BusReply.Form = .nothing) throws(BusError) -> BusReply {
    var message: OpaquePointer?
    // SAFETY: the connection is ours; sd-bus copies every text. The message is released by the `defer`.
    let made = unsafe sd_bus_message_new_method_call(
      bus, &message, call.destination, call.path, call.interface, call.member)
    defer { unsafe _ = sd_bus_message_unref(message) }
    guard made >= 0 else { throw .failed(-made) }
    for argument in call.arguments {
      let put = unsafe sd_bus_message_append_basic(message, Self.string, argument)
      guard put >= 0 else { throw .failed(-put) }
    }
    var error = unsafe sd_bus_error()
    var reply: OpaquePointer?
    // SAFETY: both are written by the call, and released here.
    let answered = unsafe sd_bus_call(bus, message, Self.answerMicroseconds, &error, &reply)
    defer {
      unsafe sd_bus_error_free(&error)
      unsafe _ = sd_bus_message_unref(reply)
    }
    guard answered >= 0, let reply = unsafe reply else { throw unsafe Self.failure(error, -answered) }
    return BusReply(
      sender: unsafe Self.text(sd_bus_message_get_sender(reply)), texts: try unsafe Self.read(form, from: reply))
  }

  /// The next signal that has arrived; nil if there is none.
  ///
  /// - Throws: ``BusError`` if the connection is lost.
  func nextSignal() throws(BusError) -> BusSignal? {
    while true {
      var message: OpaquePointer?
      // SAFETY: the connection is ours; the message is released by the `defer`.
      let processed = unsafe sd_bus_process(bus, &message)
      defer { unsafe _ = sd_bus_message_unref(message) }
      guard processed >= 0 else { throw .failed(-processed) }
      guard processed > 0 else { return nil }
      guard let message = unsafe message, unsafe sd_bus_message_is_signal(message, nil, nil) > 0 else { continue }
      var (texts, done): ([String], CInt) = ([], 0)
      while texts.count < 3, let text = unsafe Self.nextText(Self.string, of: message) { texts.append(text) }
      // SAFETY: a boolean of the bus is written as an int.
      let hasFlag = unsafe sd_bus_message_read_basic(message, Self.boolean, &done) > 0
      return unsafe BusSignal(
        sender: Self.text(sd_bus_message_get_sender(message)), path: Self.text(sd_bus_message_get_path(message)),
        interface: Self.text(sd_bus_message_get_interface(message)),
        member: Self.text(sd_bus_message_get_member(message)), texts: texts, flag: hasFlag ? done != 0 : nil)
    }
  }

  // MARK: Reading messages

  private static let (string, objectPath, boolean) = (code("s"), code("o"), code("b"))
  private static let (number, array) = (code("u"), code("a"))

  private static func code(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    // SAFETY: a text of a message, which ends with a NUL and lives as long as the message.
    unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }

  private static func nextText(_ type: CChar, of message: OpaquePointer) -> String? {
    var pointer: UnsafePointer<CChar>?
    // SAFETY: sd-bus writes where the text lies in the message, which the caller holds.
    guard unsafe sd_bus_message_read_basic(message, type, &pointer) > 0 else { return nil }
    return unsafe text(pointer)
  }

  private static func read(_ form: BusReply.Form, from message: OpaquePointer) throws(BusError) -> [String] {
    switch form {
    case .nothing: return []
    case .text, .objectPath:
      // SAFETY: the caller holds the message, here and below.
      guard let text = unsafe nextText(form == .text ? string : objectPath, of: message) else { throw .failed(EBADMSG) }
      return [text]
    case .number:
      var value: UInt32 = 0
      guard unsafe sd_bus_message_read_basic(message, number, &value) > 0 else { throw .failed(EBADMSG) }
      return [String(value)]
    case .texts:
      guard unsafe sd_bus_message_enter_container(message, array, "s") > 0 else { throw .failed(EBADMSG) }
      var texts: [String] = []
      while let text = unsafe nextText(string, of: message) { texts.append(text) }
      return texts
    }
  }

  private static func failure(_ error: sd_bus_error, _ number: CInt) -> BusError {
    // SAFETY: the caller holds the error, whose texts end with a NUL.
    let name = unsafe text(error.name)
    return name.isEmpty ? .failed(number) : .answered(name: name, text: unsafe text(error.message))
  }
}

/// A call of a method over the bus; every argument is a text.
struct BusCall: Equatable {
  /// A well-known name on the bus, or the unique name of a connection.
  let destination: String
  let path: String
  let interface: String
  let member: String
  let arguments: [String]

  /// A method call to the bus itself.
  static func ofBus(_ member: String, _ arguments: String...) -> BusCall {
    BusCall(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      member: member, arguments: arguments)
  }
}

/// The answer to a call.
struct BusReply: Equatable {
  /// What the answer to a call should contain.
  enum Form {
    case nothing, text, objectPath, texts, number
  }

  /// The unique name of the connection that answered.
  let sender: String
  /// The texts of the answer, in order; a number is written in decimal digits.
  let texts: [String]

  /// The only text; nil if there are several or none.
  var text: String? { texts.count == 1 ? texts.first : nil }
}

/// A signal that arrived over the bus.
struct BusSignal: Equatable {
  let sender: String
  let path: String
  let interface: String
  let member: String
  /// The signal's first arguments that are texts, at most three.
  let texts: [String]
  /// The boolean argument after the texts; nil if there is none.
  let flag: Bool?
}

/// Why the bus gave no answer.
enum BusError: Error, Equatable {
  /// The bus or a service answered with an error, with this name and text.
  case answered(name: String, text: String)
  /// The call itself failed, with the system's error number.
  case failed(CInt)
}

extension BusError: CustomStringConvertible {
  /// What failed, in a form that fits into a packet.
  var description: String {
    let text =
      switch self {
      case .answered(let name, let text): "\(name): \(text)"
      // SAFETY: strerror returns a NUL-terminated text for every number.
      case .failed(let number): "the system bus: \(unsafe String(cString: strerror(number)))"
      }
    return LogText.cleaned(text.utf8, limit: WireLimit.fingerDetail)
  }
}
