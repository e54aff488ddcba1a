import Glibc
import PAMStacks
import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor

/// One administrator's mistake, and the finding of `doctor` for it.
struct BrokenSetup: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let finding: FindingID
  let breaking: @Sendable (WholeMachine) -> Void

  init(_ name: String, _ finding: FindingID, _ breaking: @escaping @Sendable (WholeMachine) -> Void) {
    testDescription = name
    self.finding = finding
    self.breaking = breaking
  }

  /// A setup whose configuration has `new` instead of `old`.
  init(_ name: String, _ finding: FindingID, _ old: String, _ new: String) {
    self.init(name, finding) { $0.machine.configure(old, new) }
  }

  static let server: [BrokenSetup] = [
    BrokenSetup("a wrong path in request_url", .serverPath, "/uaf/get", "/uaf/gte"),
    BrokenSetup("a wrong path in response_url", .serverPath, "/uaf/respond", "/respond"),
    BrokenSetup(
      "a wrong path for one operation", .serverPath, "[state]",
      "[server.registration]\nrequest_url = \"https://fido.example.com/uaf/register\"\n[state]"),
    BrokenSetup("a wrong host", .serverUnreachable, "fido.example.com", "fidoo.example.com"),
    BrokenSetup("a wrong port", .serverUnreachable, "fido.example.com", "fido.example.com:8433"),
    BrokenSetup("http in the place of https", .configurationUnusable, "https://", "http://"),
    BrokenSetup("the wrong dialect", .serverPath, "[state]", "dialect = \"plain\"\n[state]"),
    BrokenSetup(
      "a content type the server does not take", .serverType, "[state]", "content_type = \"text/xml\"\n[state]"),
    BrokenSetup("a wrong proxy", .serverProxy, "[state]", "proxy = \"http://proxy:3128\"\n[state]"),
    BrokenSetup("a page in the place of the server", .serverAnswer) {
      $0.machine.server?.answers["/uaf/get"] = FakeServer.text("<html>", type: "text/html")
    },
    BrokenSetup("an expired certificate", .serverCertificate) {
      $0.refuse(FakeServer.now - 86_400, "fido.example.com")
    },
    BrokenSetup("a certificate for another name", .serverCertificate) {
      $0.refuse(FakeServer.now + 8_640_000, "www.example.com")
    },
    BrokenSetup("an authority nobody knows", .serverCertificate) {
      $0.refuse(FakeServer.now + 8_640_000, "fido.example.com")
    },
    BrokenSetup("a certificate that nobody renews", .certificateEnds) {
      $0.machine.server?.certificate = FakeServer.makeCertificate(until: FakeServer.now + 3 * 86_400)
    },
    BrokenSetup("a ca_file that is not there", .serverAuthorities) { $0.machine.folder.delete("ca.pem") },
    BrokenSetup("a ca_file that others may write", .serverAuthorities) {
      $0.machine.folder.setMode(0o666, of: "ca.pem")
    },
    BrokenSetup("the key of another server's verdicts", .verdictKey) {
      $0.machine.server?.publishedKey = FakeServer.makeKey()
    },
    BrokenSetup("a key of verdicts that is none", .verdictKey) {
      $0.machine.folder.delete("verdict.pub")
      _ = $0.machine.folder.file("verdict.pub", Array("-----BEGIN".utf8), mode: 0o644)
    },
    BrokenSetup("no verdict_key beside require_signed_verdict", .configurationUnusable, "verdict_key", "# verdict_key"),
    BrokenSetup("a FacetID the server does not list", .facetList, "[state]", "facet_id = \"linux:pam\"\n[state]"),
    BrokenSetup("no list of facets", .facetList) {
      $0.machine.server?.answers["/uaf/facets"] = FakeServer.text("", type: "text/html", status: 404)
    },
    BrokenSetup("a list of facets of another type", .facetList) {
      $0.machine.server?.answers["/uaf/facets"] = FakeServer.json(
        #"{"trustedFacets":[{"version":{"major":1,"minor":1},"ids":["linux:pam-module:pam_uaf"]}]}"#)
    },
    BrokenSetup("a clock that is wrong by an hour", .clockServer) { $0.machine.facts.time += 3600 },
    BrokenSetup("a clock that nothing keeps right", .clockUnsynchronised) { $0.machine.facts.isSynchronised = false },
  ]

  static let machine: [BrokenSetup] = [
    BrokenSetup("no state folder", .stateMissing, "/state\"", "/status\""),
    BrokenSetup("a state folder for everybody", .stateOpen) { $0.machine.folder.setMode(0o777, of: "state") },
    BrokenSetup("a device key for everybody", .stateOpen) { $0.machine.folder.setMode(0o644, of: "state/device.key") },
    BrokenSetup("a state folder that cannot be written", .stateReadOnly) {
      $0.machine.installation.isReadOnly = { _ in true }
    },
    BrokenSetup("a container with few ids", .kernelIDs) { $0.machine.facts.missingIDs = [60_990] },
    BrokenSetup("a damaged account file", .accountDamaged) {
      $0.machine.register(1001, $0.refused("state damaged or edited: the account is locked"))
    },
    BrokenSetup("another username than at the registration", .accountDamaged) {
      $0.machine.register(1001, $0.refused("state of another account (uid reused, or renamed): locked"))
    },
    BrokenSetup("a file of an account that is gone", .accountUnknown) {
      $0.machine.register(4711, Machine.finished(Machine.document("")))
    },
    BrokenSetup("two accounts with one name at the server", .accountShared) {
      let document = Machine.document(Machine.passcode)
        .replacing("\"name\"", with: "\"serverUserName\":\"alice\",\"name\"")
      $0.machine.register(1001, Machine.finished(document))
      $0.machine.others = [[.finished(Machine.finished(document))]]
    },
    BrokenSetup("everybody locked", .accountsLocked) {
      $0.machine.others = [[.finished(Machine.finished(Machine.document(Machine.authenticator(state: 3008))))]]
    },
    BrokenSetup("lock options that wait", .lockOptions) {
      let document = Machine.document(Machine.authenticator(state: 3006, more: #","lockOptionsWait":true"#))
      $0.machine.others = [[.finished(Machine.finished(document))]]
    },
    BrokenSetup("a socket unit that does not run", .socketMissing) { $0.listener = nil },
    BrokenSetup("no helper", .programMissing) { $0.machine.folder.delete("libexec/uaf-helper") },
    BrokenSetup("a helper of another version", .programVersion) {
      $0.machine.outputs[$0.machine.installation.helperPath] = "uaf-helper 0.0.1\n"
    },
    BrokenSetup(
      "a key in a file where a chip is demanded", .stateUnsealed, "[state]", "[tpm]\nuse = \"require\"\n[state]"),
    BrokenSetup("a move of the key that was not finished", .stateKeyTwice) {
      _ = $0.machine.folder.file("state/device.sealed", [1], mode: 0o400)
    },
    BrokenSetup("a sealed key without a recovery key", .stateRecovery) {
      $0.machine.folder.delete("state/device.key")
      _ = $0.machine.folder.file("state/device.sealed", [1], mode: 0o400)
    },
    BrokenSetup("a chip that is not there", .stateChip) {
      $0.machine.configure("[state]", "[tpm]\ntcti = \"/nonexistent/tpm\"\n[state]")
      $0.machine.folder.delete("state/device.key")
      _ = $0.machine.folder.file("state/device.sealed", [1], mode: 0o400)
    },
    BrokenSetup("a configuration with an unknown key", .configurationUnusable, "request_url", "reqest_url"),
    BrokenSetup("a configuration that others may write", .configurationUnusable) {
      $0.machine.folder.setMode(0o666, of: "pam_uaf.conf")
    },
    BrokenSetup("no server at all", .configurationNoServer) { $0.forgetServer() },
    BrokenSetup("a damaged trust.conf", .trustUnusable) {
      $0.forgetServer()
      _ = $0.machine.folder.file("state/trust.conf", Array("[server]\nrequest_url = 'ht".utf8), mode: 0o600)
    },
    BrokenSetup("a policy whose time is over", .policyExpired) {
      $0.machine.follow(#""version":7,"issued":1,"expires":2,"note":"policy 7 has expired""#)
    },
    BrokenSetup("a policy that root's file contradicts", .policyRefused) {
      $0.machine.follow(#""note":"the stored policy is not in force: policy 7:1: passcode.min_length: no""#)
    },
    BrokenSetup("follow without a server that was joined", .policyUnjoined) { $0.machine.follow(#""joined":false"#) },
    BrokenSetup("a server that does not know the machine", .machineUnknown) {
      $0.machine.say(#""serverUnknownSince":1800000000"#)
    },
    BrokenSetup("a trust.conf beside [server]", .trustNoEffect) {
      _ = $0.machine.folder.file("state/trust.conf", Array("[server]\n".utf8), mode: 0o600)
    },
  ]

  static let stacks: [BrokenSetup] = [
    BrokenSetup("a misspelt module", .pamMisspelt) { $0.stack("pam_uaf.so", "pam_uafs.so") },
    BrokenSetup("a stack that lets everybody in", .pamLetsIn) {
      $0.machine.service("sudo", "auth optional pam_uaf.so\nauth required pam_permit.so")
    },
    BrokenSetup("a service of sudoers that asks without the passcode", .pamSudoService) {
      $0.machine.service("corp", "auth required pam_unix.so")
      $0.machine.sudoers("Defaults pam_service=corp\n")
    },
    BrokenSetup("a line of sudoers that sudo leaves out", .pamSudoers) { $0.machine.sudoers("Defaults\n") },
    BrokenSetup("a line that lets somebody in before", .pamPassedOver) {
      $0.machine.service("sudo", "auth sufficient pam_unix.so\nauth required pam_uaf.so")
    },
    BrokenSetup("a password that is not refused", .pamWrongPassword) {
      $0.machine.service("sudo", "auth optional pam_unix.so\nauth required pam_uaf.so")
    },
    BrokenSetup("a person whose empty password is accepted before the passcode", .pamEmptyPassword) {
      $0.machine.service("sudo", "auth required pam_unix.so nullok\nauth required pam_uaf.so")
      $0.machine.passwords.local.append("bob")
      $0.machine.passwords.states["bob"] = .empty
    },
    BrokenSetup("a rescuer whose account has expired", .rescuePassword) {
      $0.machine.passwords.states["alice"] = .accountExpired
    },
    BrokenSetup("a line that decides nothing", .pamNoEffect) {
      $0.machine.service("sudo", "auth optional pam_uaf.so\nauth required pam_unix.so")
    },
    BrokenSetup("a stack without a way in beside it", .pamNoWayIn) {
      $0.machine.service("sudo", "auth requisite pam_uaf.so\nauth required pam_unix.so")
    },
    BrokenSetup("a rescue group with nobody in it", .rescueGroup) { $0.machine.passwords.groups["uaf-rescue"] = [] },
    BrokenSetup("a line that names a configuration that is not there", .pamArgument) {
      $0.stack("pam_uaf.so", "pam_uaf.so conf=/nonexistent/x.conf")
    },
    BrokenSetup("a line that names a configuration that cannot be used", .pamArgument) {
      let file = $0.machine.folder.file("other.conf", Array("[sever]\n".utf8), mode: 0o644)
      $0.stack("pam_uaf.so", "pam_uaf.so conf=\(file)")
    },
    BrokenSetup("a misspelt argument of the module", .pamArgument) {
      $0.stack("default=die] pam_uaf.so", "default=die] pam_uaf.so nouserokay")
    },
    BrokenSetup("nouserok where states are hidden", .pamNouserokHidden) {
      $0.stack("default=die] pam_uaf.so", "default=die] pam_uaf.so nouserok")
      $0.machine.configure("", "[general]\nhide_state = true")
    },
    BrokenSetup("a day of nouserok that is near", .pamNouserokEnds) {
      $0.stack("default=die] pam_uaf.so", "default=die] pam_uaf.so nouserok=2027-01-20")
    },
    BrokenSetup("a day of nouserok that is over", .pamNouserokOver) {
      $0.stack("default=die] pam_uaf.so", "default=die] pam_uaf.so nouserok=2027-01-14")
    },
    BrokenSetup("nouserok in sshd, which hides registrations by default", .pamNouserokHidden) {
      $0.machine.service(
        "sshd", WholeMachine.stack.replacing("default=die] pam_uaf.so", with: "default=die] pam_uaf.so nouserok"))
    },
    BrokenSetup("sshd without UsePAM", .sshUsePAM) { $0.ssh("UsePAM yes", "UsePAM no") },
    BrokenSetup("sshd without questions", .sshKeyboardInteractive) {
      $0.ssh("KbdInteractiveAuthentication yes", "ChallengeResponseAuthentication no")
    },
  ]
}
