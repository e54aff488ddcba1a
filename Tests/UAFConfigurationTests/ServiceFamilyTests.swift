import ServiceNames
import Testing

@testable import UAFConfiguration

@Suite struct ServiceFamilyTests {
  private func configuration(_ text: String) throws -> Configuration {
    try Configuration(parsing: Array(text.utf8), path: "test")
  }

  @Test(arguments: [("sudo", "sudo-i"), ("su", "su-l"), ("login", "remote")])
  func `the section of a service applies to the other names of the same program, such as sudo-i for sudo`(
    main: String, other: String
  ) throws {
    let text = "[service.\(main)]\ntransaction = true\nhide_state = true\nreason = 'x'\ncancel_text = { en = 'y' }"
    let configuration = try configuration(text)
    #expect(configuration.settings(for: other) == configuration.settings(for: main))
    #expect(configuration.settings(for: other).transaction)
  }

  @Test func `a section for another name of a program changes only the keys that it contains`() throws {
    for text in [
      "[service.sudo]\ntransaction = true\ntries = 2\n[service.sudo-i]\ntries = 3",
      "[service.sudo-i]\ntries = 3\n[service.sudo]\ntransaction = true\ntries = 2",
    ] {
      let configuration = try configuration(text)
      #expect(configuration.settings(for: "sudo-i").transaction, "it must be written to be given up")
      #expect(configuration.settings(for: "sudo-i").prompt.tries == 3)
      #expect(configuration.settings(for: "sudo").prompt.tries == 2)
    }
    let off = try configuration("[service.sudo]\ntransaction = true\n[service.sudo-i]\ntransaction = false")
    #expect(!off.settings(for: "sudo-i").transaction && off.settings(for: "sudo").transaction)
  }

  @Test func `a section for another name of a program changes neither its main name's settings nor another program`()
    throws
  {
    let configuration = try configuration("[service.sudo-i]\ntransaction = true\n[service.su]\ntries = 2")
    #expect(!configuration.settings(for: "sudo").transaction)
    for service in ["sudo-l", "sudo_i", "su-i", "sshd", "login", "remote", ""] {
      #expect(configuration.settings(for: service).prompt.tries == nil, "\(service)")
      #expect(!configuration.settings(for: service).transaction, "\(service)")
    }
  }

  @Test func `refuses a section for another name that contradicts the section of the main name`() {
    let text = "[service.sudo]\ntransaction = true\n[service.sudo-i]\noffline = 'allow'\noffline_max_age = 60"
    #expect(throws: ConfigurationError.self) { try configuration(text) }
  }

  @Test func `reports an offline_max_age that has no effect only for the section that contains it`() throws {
    let configuration = try configuration("[service.sudo]\noffline_max_age = 60\n[service.sudo-i]\ntries = 2")
    #expect(configuration.withoutEffect == ["service.sudo.offline_max_age"])
  }

  @Test func `no service name belongs to two programs`() {
    let names = ServiceFamily.all.flatMap(\.names)
    #expect(Set(names).count == names.count)
    #expect(ServiceFamily.of("sudo-i")?.main == "sudo" && ServiceFamily.of("sshd") == nil)
    #expect(ServiceFamily.of("gdm-switchable-auth")?.main == "gdm-password")
    for name in ["gdm-authd", "gdm-autologin", "gdm-fingerprint", "lightdm", "lightdm-greeter", "sddm-autologin"] {
      #expect(ServiceFamily.of(name) == nil, "what one of them is set to must not reach another: \(name)")
    }
  }
}
