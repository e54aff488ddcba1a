import ArgumentParser
import UAFService

/// `uaf-server keys list`: which keys there are, by their ids.
struct KeysListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the keys of the state folder: kind, id, since when, and what it is used for.",
    discussion: "The id of a verdict's key is the 'kid' of its tokens. Those of secrets are only names.")

  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func run() throws {
    let directory = try state.openWithKeys()
    let now = Terminal.now
    let keys = try StateLock.wait(for: directory) { try ServerKeys(state: directory, now: { now }) }
    json.print(keys, now: now)
  }
}
