import ArgumentParser
import UAFMessages
import UAFService

/// The option of commands that print results for people or for programs.
struct JSONFlag: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print JSON, as docs/api.md describes it, one object a line.") var isOn = false

  /// Prints an object on one line, or else what people read.
  func print(_ object: JSONObject, orElse text: String) {
    Terminal.result(isOn ? JSONText.ascii(JSONValue.object(object).text) : text)
  }

  /// Prints the first line of a list for people.
  func title(_ text: String) {
    if !isOn { Terminal.result(text) }
  }

  /// Prints the keys of the state folder.
  func print(_ keys: ServerKeys, now: Int64) {
    guard isOn else { return KeyList.lines(keys, now: now).forEach { Terminal.result($0) } }
    for object in KeyList.objects(keys, now: now) { print(object, orElse: "") }
  }
}
