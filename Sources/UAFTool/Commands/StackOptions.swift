import ArgumentParser
import PAMStacks

/// Which ready stack a service gets.
struct StackOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The passcode's part: instead (of the password), fallback (passcode and password where the server "
        + "cannot be reached) or second-factor (after the password). Left out: instead for sshd and sddm, otherwise fallback.",
      valueName: "shape"))
  var shape: PAMShape?

  @Option(
    help: ArgumentHelp(
      "The ready stack: sudo, sshd, login, su, polkit-1, display-manager, sddm or locker. Left out: the service's own.",
      valueName: "name"),
    completion: .list(["sudo", "sshd", "login", "su", "polkit-1", "display-manager", "sddm", "locker"]))
  var template: String?
}
