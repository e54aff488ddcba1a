/// One way in which a login by the module ends, other than well: the code that PAM gets, and who can bring it about.
///
/// Stacks decide by the code alone. So a code that anybody but root can bring about has to refuse in every stack that is shipped.
/// `scripts/stacks.py` reads the table from its source and computes that from the stacks.
public struct PAMEnd: Sendable {
  /// Who says so.
  public enum Speaker: Sendable {
    /// The core, in *finished*.
    case core
    /// The module, for itself.
    case module
    /// libpam, which could not call the module.
    case libpam
  }

  /// Who can bring it about.
  public enum Cause: Sendable {
    /// Whoever logs in: enters, cancels, pulls the cable.
    case person
    /// Another account of the machine: limits of a process it starts, names, what it uses up.
    case localUser
    /// Somebody who reaches the machine over the network.
    case afar
    /// Whoever sits between machine and server.
    case network
    /// The server, or what answers in its place.
    case server
    /// Root: stack, configuration, installation.
    case root
    /// Memory, disk, kernel, power.
    case machine
  }

  /// Where root lets a stack go on to the password with a code that others can bring about.
  public enum Choice: Sendable {
    /// The shape `fallback` of `pam.d/`, and the profile of pam-auth-update.
    case fallback, profile
  }

  /// PAM's name of the code.
  public let code: String
  /// Who says so.
  public let speaker: Speaker
  /// The results that the core says with it; empty for any.
  public let results: [UInt32]
  /// Who can bring it about.
  public let causes: [Cause]
  /// Where it goes on to the password all the same, because root chose that.
  public let choices: [Choice]
  /// What has happened.
  public let meaning: String

  init(
    _ code: String, _ speaker: Speaker, _ results: [UInt32] = [], by causes: [Cause], choices: [Choice] = [],
    _ meaning: String
  ) {
    self.code = code
    self.speaker = speaker
    self.results = results
    self.causes = causes
    self.choices = choices
    self.meaning = meaning
  }
}
