import Glibc
import UAFWire

@testable import Doctor

/// A folder with all parts of pam-uaf, in good order.
package final class Machine {
  package let folder = Folder()
  package let pam: String
  private var text = ""
  package var installation: Installation
  /// What uaf-fetch was asked, and what it answers.
  package private(set) var requests: [FetchRequest] = []
  /// What programs print, by path with arguments, or by path alone, and what was run.
  package var outputs: [String: String] = [:]
  /// What programs print about mistakes, by path with arguments, or by path alone.
  package var mistakes: [String: String] = [:]
  package private(set) var ran: [[String]] = []
  package let passwords = FakePasswords()
  /// What the core says about the account; nil: it says nothing.
  package var document: String? = Machine.document(Machine.passcode)
  /// What the core says about each account that is asked about after the caller's own.
  package var others: [[CoreMessage]] = []
  /// The server; nil: uaf-fetch does not work.
  package var server: FakeServer? = FakeServer()
  /// The properties of this machine's kernel and clock.
  package var facts = MachineFacts.ofATest

  package static let configuration = """
    [server]
    request_url = "https://fido.example.com/uaf/get"
    response_url = "https://fido.example.com/uaf/respond"

    """

  package init(configuration: String = configuration) {
    pam = folder.folder("pam.d", mode: 0o755)
    installation = .nowhere
    let libexec = folder.folder("libexec", mode: 0o755)
    installation.helperPath = folder.file("libexec/uaf-helper", [1, 2, 3], mode: 0o755)
    installation.fetchPath = folder.file("libexec/uaf-fetch", [1, 2, 3, 4], mode: 0o755)
    installation.socketPath = folder.path + "/helper.sock"
    text = configuration + "[state]\ndirectory = \"\(folder.path)/state\"\n"
    installation.configurationPath = folder.file("pam_uaf.conf", Array(text.utf8), mode: 0o644)
    for name in ["state", "state/accounts", "state/slots"] { _ = folder.folder(name, mode: 0o700) }
    _ = folder.file("state/device.key", [UInt8](repeating: 7, count: 32), mode: 0o400)
    for module in ["uaf", "unix", "succeed_if", "deny", "permit"] {
      _ = folder.module("libexec/pam_\(module).so")
    }
    // If neither a service nor this file has lines in a group, libpam refuses.
    installation.vendorPAMFolders = [folder.folder("vendor", mode: 0o755)]
    _ = folder.file(
      "vendor/other", Array("session required pam_permit.so\npassword required pam_unix.so\n".utf8), mode: 0o644)
    installation.passwords = passwords
    installation.output = { [unowned self] path, arguments in
      ran.append([path] + arguments)
      return outputs[([path] + arguments).joined(separator: " ")] ?? outputs[path]
    }
    installation.errors = { [unowned self] path, arguments in
      mistakes[([path] + arguments).joined(separator: " ")] ?? mistakes[path]
    }
    outputs = [
      installation.helperPath: "uaf-helper \(ToolVersion.number)\n",
      installation.fetchPath: "uaf-fetch \(ToolVersion.number)\n",
    ]
    installation.moduleFolders = [folder.path + "/none", libexec]
    installation.exchange = { [unowned self] request in
      requests.append(request)
      return server?.answer(request)
    }
    installation.registered = Installation.accountNumbers(in:)
    installation.facts = { [unowned self] in facts }
  }

  /// Writes a PAM service.
  package func service(_ name: String, _ text: String) {
    folder.delete("pam.d/" + name)
    _ = folder.file("pam.d/" + name, Array((text + "\n").utf8), mode: 0o644)
  }

  /// Writes sudoers, which does not exist at first.
  package func sudoers(_ text: String) {
    folder.delete("sudoers")
    installation.sudoFiles.sudoers = folder.file("sudoers", Array(text.utf8), mode: 0o440)
  }

  /// Replaces a part of the configuration, or appends lines.
  package func configure(_ old: String, _ new: String) {
    text = old.isEmpty ? text + new + "\n" : text.replacing(old, with: new)
    folder.delete("pam_uaf.conf")
    _ = folder.file("pam_uaf.conf", Array(text.utf8), mode: 0o644)
  }

  /// Makes the core say this about an account, which has a file from now on.
  package func register(_ number: uid_t, _ end: Finished) {
    _ = folder.file("state/accounts/\(number).db", [1], mode: 0o600)
    others.append([.finished(end)])
  }

  /// The end of a status call with this document.
  package static func finished(_ document: String) -> Finished {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = document
    return finished
  }

  /// What a core of some version says about alice.
  package static func document(
    _ authenticators: String, version: String = ToolVersion.number, name: String = "alice"
  ) -> String {
    #"{"version":"\#(version)","account":{"uid":1000,"name":"\#(name)"},"authenticators":[\#(authenticators)]}"#
  }

  package static let passcode = authenticator(state: 3006)

  /// - Parameter more: further members, each preceded by a comma.
  package static func authenticator(state: Int, more: String = "") -> String {
    #"{"type":"passcode","aaid":"5541#0001","state":\#(state),"permanent":false,"#
      + #""remainingTries":5,"remainingLockSeconds":0\#(more)}"#
  }
}
