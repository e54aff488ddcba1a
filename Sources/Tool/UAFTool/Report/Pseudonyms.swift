import Glibc

/// Replaces names of accounts and hosts, and addresses: the same name by the same word throughout a report.
struct Pseudonyms {
  private var accounts: [String: String] = [:]
  /// By names in lower case.
  private var hosts: [String: String] = [:]
  private var addresses: [String: String] = [:]
  /// The domains of the hosts, each with its dot.
  private var domains: [String] = []
  private var hostCount = 0

  /// - Parameters:
  ///   - accounts: names as they are written; root's, which every machine has, stays.
  ///   - machine: the names of this machine, which is also called by the first part of each.
  ///   - hosts: other names, in any case; the domain of a name with three parts and more counts, too.
  init(accounts: [String], machine: [String], hosts: [String]) {
    for name in accounts where !name.isEmpty && name != "root" && self.accounts[name] == nil {
      self.accounts[name] = "account-\(self.accounts.count + 1)"
    }
    for (index, host) in (machine + hosts).enumerated() {
      let host = host.lowercased()
      guard !host.isEmpty, host != "localhost", !Self.isAddress(host) else { continue }
      addHost(host)
      let labels = host.split(separator: ".")
      if index < machine.count, let first = labels.first, self.hosts[String(first)] == nil {
        self.hosts[String(first)] = self.hosts[host]
      }
      if labels.count > 2 { domains.append("." + labels.dropFirst().joined(separator: ".")) }
    }
  }

  private mutating func addHost(_ host: String) {
    guard hosts[host] == nil else { return }
    hostCount += 1
    hosts[host] = "host-\(hostCount)"
  }

  /// The line with all names replaced.
  mutating func replaced(in line: String) -> String {
    var result = ""
    var word = ""
    for scalar in line.unicodeScalars {
      if Self.isPart(scalar) {
        word.unicodeScalars.append(scalar)
      } else {
        result += replacement(of: word)
        word = ""
        result.unicodeScalars.append(scalar)
      }
    }
    return result + replacement(of: word)
  }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "._-:".unicodeScalars.contains(scalar)
  }

  /// A word of letters, digits, dots, hyphens and colons: an address, or parts between colons.
  private mutating func replacement(of word: String) -> String {
    if word.isEmpty { return "" }
    if Self.isAddress(word) { return address(word) }
    return word.split(separator: ":", omittingEmptySubsequences: false).map { part in
      // A name may end a sentence.
      let name = part.last.map { ".-".contains($0) } == true ? part.dropLast() : part
      return name.isEmpty ? String(part) : replacement(ofName: String(name)) + part[name.endIndex...]
    }.joined(separator: ":")
  }

  private mutating func replacement(ofName name: String) -> String {
    if Self.isAddress(name) { return address(name) }
    let host = name.lowercased()
    if let known = accounts[name] ?? hosts[host] { return known }
    guard domains.contains(where: { host.hasSuffix($0) || "." + host == $0 }) else { return name }
    addHost(host)
    return hosts[host] ?? name
  }

  private mutating func address(_ text: String) -> String {
    // These name no machine but this one, or all.
    if ["127.0.0.1", "0.0.0.0", "::1", "::"].contains(text) { return text }
    let text = text.lowercased()
    let known = addresses[text] ?? "address-\(addresses.count + 1)"
    addresses[text] = known
    return known
  }

  private static func isAddress(_ text: String) -> Bool {
    var buffer = in6_addr()
    // SAFETY: the text lives for the call, and the place has room for the longer of the two forms.
    return unsafe inet_pton(AF_INET, text, &buffer) == 1 || inet_pton(AF_INET6, text, &buffer) == 1
  }
}
