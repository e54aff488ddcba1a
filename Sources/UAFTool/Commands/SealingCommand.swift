import ArgumentParser
import Authenticator
import SecretMemory
import UAFWire

/// A command after which a chip may hold the device key: it can make a recovery key.
protocol SealingCommand: CoreCommand {
  /// `--recovery-key`.
  var recovery: RecoveryKeyOption { get }
  /// The text for a success.
  func done(_ request: Request, _ finished: Finished) -> ToolText
}

extension SealingCommand {
  func done(_ request: Request, _ finished: Finished) -> ToolText { done(request) }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let path = try ConfigurationOption.path(recovery.file, in: context)
    let words = try makeWords(path != nil)
    if let path { try RecoveryKeyFile.write(words, to: path) }
    var person = RecoveryPerson(words, telling: context.output)
    let request = try request(in: context)
    let finished: Finished
    do throws(ToolError) { finished = try call(in: context).hold(request, with: &person) } catch {
      if let path, !person.wasAsked { RecoveryKeyFile.remove(path) }
      throw error
    }
    let end = ConversationEnd(finished)
    guard finished.pamCode == 0 else {
      if let path { RecoveryKeyFile.remove(path) }
      return end.tellFailure(in: context)
    }
    let exit = end.tellSuccess(as: done(request, finished), in: context)
    guard let path else { return exit }
    if person.wasAsked {
      context.note(ToolText.recoveryKeyWritten(path))
    } else {
      RecoveryKeyFile.remove(path)
      context.note(ToolText.recoveryKeyUnused)
    }
    return exit
  }

  private func makeWords(_ areWanted: Bool) throws(ToolError) -> Secret {
    let words = areWanted ? try? RecoveryKey.make() : try? Secret(capacity: 1)
    guard let words else { throw .outOfMemory }
    return words
  }
}
