import Glibc
import UAFWire

@testable import Doctor

/// A machine about which `doctor` has nothing to report: programs, stacks, sshd, people and a server with signed verdicts.
package final class WholeMachine {
  package let machine = Machine(
    configuration: Machine.configuration + """
      ca_file = "FOLDER/ca.pem"
      require_signed_verdict = true
      verdict_key = "FOLDER/verdict.pub"

      """)
  package var listener: Listener?
  /// A stack that doctor reports nothing about.
  package static let stack = """
    auth [success=1 default=ignore] pam_succeed_if.so quiet user ingroup uaf-rescue
    auth [success=done default=die] pam_uaf.so
    auth required pam_unix.so
    account required pam_uaf.so
    account required pam_unix.so
    password required pam_uaf.so
    """
  private static let sshd = "UsePAM yes\nKbdInteractiveAuthentication yes\nPasswordAuthentication no\n"

  package init() {
    machine.configure("FOLDER", machine.folder.path)
    _ = machine.folder.file("ca.pem", FakeServer.authority, mode: 0o644)
    _ = machine.folder.file("verdict.pub", FakeServer.verdictKey, mode: 0o644)
    for service in ["sudo", "sshd"] { machine.service(service, Self.stack) }
    machine.service("login", "auth required pam_unix.so\naccount required pam_unix.so")
    machine.installation.sshPaths = (
      machine.folder.file("sshd", [1], mode: 0o755), machine.folder.file("sshd_config", [], mode: 0o644)
    )
    machine.outputs[machine.installation.sshPaths.program] = Self.sshd
    machine.register(1000, Machine.finished(Machine.document(Machine.passcode)))
    listener = Listener(machine.installation.socketPath)
  }

  /// Replaces `old` by `new` in sudo's stack.
  package func stack(_ old: String, _ new: String) { machine.service("sudo", Self.stack.replacing(old, with: new)) }

  /// Replaces `old` by `new` in what sshd says.
  package func ssh(_ old: String, _ new: String) {
    machine.outputs[machine.installation.sshPaths.program] = Self.sshd.replacing(old, with: new)
  }

  /// Makes uaf-fetch refuse the server's certificate, which is this one.
  package func refuse(_ end: Int64, _ name: String) {
    var response = FetchResponse(.certificateRefused, handshakeCompleted: true)
    response.certificate = FakeServer.makeCertificate(until: end, name: name)
    machine.server?.response = response
  }

  /// The end of the core for root if it cannot use an account's state.
  package func refused(_ text: String) -> Finished {
    var finished = Finished(pamCode: 11, result: 3014)
    finished.text = text
    return finished
  }

  /// Leaves the configuration without a server.
  package func forgetServer() {
    machine.folder.delete("pam_uaf.conf")
    let text = "[state]\ndirectory = \"\(machine.folder.path)/state\"\n"
    _ = machine.folder.file("pam_uaf.conf", Array(text.utf8), mode: 0o644)
  }
}
