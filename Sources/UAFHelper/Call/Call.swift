import FidoResults
import UAFWire

/// One call: what the front end asks for, and who it is.
final class Call {
  let begin: Begin
  private(set) var caller: CallerIdentity

  init(_ begin: Begin, by caller: CallerIdentity) {
    self.begin = begin
    self.caller = caller
  }

  /// Whether a login is asked for, or the approval of what waits at the server.
  var isLogin: Bool { begin.operation == .authenticate }

  /// Takes the name that the opened account was registered by; nil where there is no such account.
  func recognise(registeredName: [UInt8]?) { caller.recognise(registeredName: registeredName) }

  /// The account's name as it is shown to people.
  var shownName: String { Text.cleaned(String(decoding: caller.shownName ?? [], as: UTF8.self), limit: 64) }
}
