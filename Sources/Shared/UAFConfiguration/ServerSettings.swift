import FidoResults

/// `[server]`: the addresses of the server and the form of its messages.
public struct ServerSettings: Equatable, Sendable {
  /// The form of the bodies.
  public enum Dialect: String, CaseIterable, Sendable {
    /// The standard's GetUAFRequest and SendUAFResponse.
    case fido
    /// GET for requests, bare UAF arrays for answers.
    case plain
    /// WebAuthn instead of UAF, in the bodies of the FIDO Alliance's interface for server tests.
    case webauthn
    /// WebAuthn, as privacyIDEA carries it.
    case privacyIDEA = "privacyidea"
    /// WebAuthn, as django-allauth's interface for apps carries it.
    case allauth
    /// WebAuthn, as django-otp-webauthn carries it.
    case djangoOTP = "django-otp-webauthn"
    /// WebAuthn, as a scheme of glewlwyd carries it.
    case glewlwyd
    /// WebAuthn, as kanidm carries it.
    case kanidm
    /// WebAuthn, as Flask-Security carries it.
    case flaskSecurity = "flask-security"

    /// Whether the server speaks WebAuthn.
    public var isWebAuthn: Bool { self != .fido && self != .plain }

    /// Whether the server accepts only origins of web pages.
    var needsWebOrigin: Bool { self == .allauth || self == .kanidm }

    /// Whether every address begins with `base_url`, as in the dialects of products.
    public var derivesAddresses: Bool { enrolment != nil }

    /// What a registration needs unless root says something else; nil if only root can know.
    var enrolment: Enrolment? {
      switch self {
      case .privacyIDEA, .allauth, .glewlwyd, .flaskSecurity: .password
      case .djangoOTP, .kanidm: .code
      case .fido, .plain, .webauthn: nil
      }
    }
  }

  /// The type of a person's tokens at a privacyIDEA server.
  public enum TokenType: String, CaseIterable, Sendable {
    /// A key that the server finds by itself.
    case passkey
    /// A key that the server names once it knows the account.
    case webauthn
  }

  /// What the server requires before it accepts the first key of an account.
  public enum Enrolment: String, CaseIterable, Sendable {
    /// A payload, which names server, account and code.
    case payload
    /// A code, which the person enters.
    case code
    /// A token of the server's, which alone is the request for a registration; the person enters it, or a payload that names it.
    case token
    /// The person's password at the server, which the person enters.
    case password
    /// Nothing: the first person who registers a name gets it.
    case open

    /// Whether codes register.
    public var takesCodes: Bool {
      switch self {
      case .payload, .code, .token: true
      case .password, .open: false
      }
    }
  }

  /// The character set of a text to be confirmed.
  public enum TransactionCharset: String, CaseIterable, Sendable {
    /// ASCII, as UAF requires; everything else is escaped.
    case ascii
    /// UTF-8, with characters beyond ASCII.
    case utf8 = "utf-8"
  }

  /// Whose texts a person is asked to confirm.
  public enum TransactionSource: String, CaseIterable, Sendable {
    /// Texts that this machine sent, and texts of an approval that the person asked for.
    case ours
    /// Also a text that the server adds to a request by itself.
    case any
  }

  /// The URLs of one operation; nil falls back to ``ServerSettings/requestURL`` and ``ServerSettings/responseURL``.
  public struct OperationURLs: Equatable, Sendable {
    /// Where requests are fetched.
    public internal(set) var requestURL: ServerURL?
    /// Where answers go.
    public internal(set) var responseURL: ServerURL?
  }

  /// Where requests are fetched; nil only if each operation has its own.
  public internal(set) var requestURL: ServerURL?
  /// Where answers go; nil only if registration and authentication have their own.
  public internal(set) var responseURL: ServerURL?
  /// `[server.registration]`.
  public internal(set) var registration = OperationURLs()
  /// `[server.authentication]`.
  public internal(set) var authentication = OperationURLs()
  /// `[server.deregistration]`.
  public internal(set) var deregistration = OperationURLs()
  /// The form of the bodies.
  public internal(set) var dialect = Dialect.fido
  /// What WebAuthn leaves open.
  public internal(set) var webAuthn = RelyingPartySettings()
  /// What a first registration of an account needs.
  public internal(set) var enrolment = Enrolment.payload
  /// The media type of requests and of the answers that are wanted; nil for the dialect's own.
  public internal(set) var contentType: String?
  /// What the plain dialect leaves open.
  public internal(set) var plain = PlainSettings()
  /// AppIDs whose list of facets may be fetched although their host or port differs from the server's.
  public internal(set) var appIDs: [String] = []
  /// The longest time for one exchange, including connection and answer.
  public internal(set) var timeout: Duration = .seconds(30)

  /// The same settings with a time-out of at most `limit`.
  public func waiting(atMost limit: Duration) -> ServerSettings {
    var settings = self
    settings.timeout = min(timeout, limit)
    return settings
  }

  /// Whether the server's certificate is verified.
  public internal(set) var verifiesTLS = true
  /// The certificate authorities' file; nil for the system's directory.
  public internal(set) var certificateAuthorityFile: String?
  /// The FacetID of this client.
  public internal(set) var facetID = "linux:pam-module:pam_uaf"
  /// How an account's name becomes its name at the server.
  public internal(set) var username = UsernameMapping.identity
  /// The proxy; nil for none, the environment's proxy is never used.
  public internal(set) var proxy: ServerURL?
  /// Whether the device is described to the server.
  public internal(set) var sendsDevice = true
  /// The name of this machine at the server; nil for its host name.
  public internal(set) var deviceName: DeviceNameTemplate?
  /// Whether root accepts an unverified certificate of a server elsewhere, or `http` to this machine.
  public internal(set) var allowsInsecure = false
  /// Whether the server's verdict must be signed.
  public internal(set) var requiresSignedVerdict = false
  /// Whose texts a person is asked to confirm.
  public internal(set) var acceptedTransactions = TransactionSource.ours
  /// The key of that token.
  public internal(set) var verdictKeyFile: String?

  /// The character set of a text to be confirmed, if root sets it.
  var chosenTransactionCharset: TransactionCharset?

  /// The character set of a text to be confirmed.
  ///
  /// UAF allows ASCII, which every server accepts. The default is UTF-8 if verdicts are signed, because then the server is
  /// uaf-server, which accepts it.
  public var transactionCharset: TransactionCharset {
    chosenTransactionCharset ?? (requiresSignedVerdict ? .utf8 : .ascii)
  }

  /// All configured URLs.
  public var urls: [ServerURL] {
    [self.requestURL, self.responseURL].compactMap { $0 }
      + [registration, authentication, deregistration].flatMap { [$0.requestURL, $0.responseURL].compactMap { $0 } }
  }

  /// Whether registration and authentication each have an address for requests and one for responses.
  var isComplete: Bool {
    let own = dialect.isWebAuthn ? OperationURLs() : OperationURLs(requestURL: requestURL, responseURL: responseURL)
    return [registration, authentication].allSatisfy {
      ($0.requestURL ?? own.requestURL) != nil && ($0.responseURL ?? own.responseURL) != nil
    }
  }

  /// Whether the server can be told of a deregistration: it speaks UAF, and has an address for that.
  public var hasDeregistration: Bool { !dialect.isWebAuthn && (deregistration.requestURL ?? requestURL) != nil }

  /// Whether there is a server and all its URLs are on this machine.
  public var isLoopbackOnly: Bool {
    !urls.isEmpty && urls.allSatisfy(\.isLoopback)
  }

  static var settings: [Setting<ServerSettings>] {
    [
      .text("request_url", \.requestURL, allowed: .serverURL, ServerURL.init),
      .text("response_url", \.responseURL, allowed: .serverURL, ServerURL.init),
      .choice("dialect", \.dialect),
      .text("base_url", \.webAuthn.baseURL, allowed: .serverURL, RelyingPartySettings.baseURL),
      .text("origin", \.webAuthn.origin, allowed: .facetID, facet),
      .text("rp_id", \.webAuthn.relyingPartyID, allowed: .domain, RelyingPartySettings.domain),
      .choice("token_type", \.webAuthn.tokenType),
      .choice("enrolment", \.enrolment),
      .text("content_type", \.contentType, allowed: .mediaType, mediaType),
      .texts("app_ids", \.appIDs, allowed: .appIDs, appID),
      .seconds("timeout", \.timeout, 1...300),
      .boolean("tls_verify", \.verifiesTLS),
      .text("ca_file", \.certificateAuthorityFile, allowed: .absolutePath, AllowedText.absolutePath),
      .text("facet_id", \.facetID, allowed: .facetID, facet),
      .text("username", \.username, allowed: .usernameMapping, UsernameMapping.init),
      .text("proxy", \.proxy, allowed: .proxy, proxy),
      .boolean("send_device", \.sendsDevice),
      .text("device_name", \.deviceName, allowed: .deviceName, DeviceNameTemplate.init),
      .boolean("allow_insecure", \.allowsInsecure),
      .boolean("require_signed_verdict", \.requiresSignedVerdict),
      Setting(name: "transaction_charset") { value, server throws(SettingProblem) in
        server.chosenTransactionCharset = try Setting<Self>.choice(value)
      },
      .choice("accept_transaction", \.acceptedTransactions),
      .text("verdict_key", \.verdictKeyFile, allowed: .absolutePath, AllowedText.absolutePath),
    ]
  }

  /// A type and subtype, and at most the one parameter that UAF knows.
  private static func mediaType(_ text: String) -> String? {
    let parameter = "; charset=utf-8"
    let type = text.hasSuffix(parameter) ? text.dropLast(parameter.count) : text[...]
    let isToken = type.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) || "/+.-".utf8.contains($0)
    }
    let parts = type.split(separator: "/", omittingEmptySubsequences: false)
    return isToken && parts.count == 2 && !parts.contains("") && text.utf8.count <= 128 ? text : nil
  }

  private static func appID(_ text: String) -> String? {
    guard let url = ServerURL(text), url.isSecure, text.utf8.count <= 512, !text.contains("{") else { return nil }
    return text
  }

  private static func facet(_ text: String) -> String? {
    (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? text : nil
  }

  /// The outer optional is whether the text is allowed, the inner one whether there is a proxy.
  private static func proxy(_ text: String) -> ServerURL?? {
    if text.isEmpty { return .some(nil) }
    guard let url = ServerURL(text), !url.text.dropFirst(8).contains(where: { "/?{".contains($0) }) else { return nil }
    return url
  }
}

/// `base_url`, `origin`, `rp_id` and `token_type`: what WebAuthn leaves open.
public struct RelyingPartySettings: Equatable, Sendable {
  /// What the four addresses begin with; nil if each is given.
  var baseURL: ServerURL?
  /// The origin that is signed; nil for `linux://RPID`.
  public internal(set) var origin: String?
  /// The only rpId that is accepted; nil for the server's host, or a registrable suffix of it.
  public internal(set) var relyingPartyID: String?
  /// The type of tokens at a privacyIDEA server.
  public internal(set) var tokenType = ServerSettings.TokenType.passkey

  /// Whether root has set the origin of web pages, so that an answer for this machine would also be one for a browser's session.
  public var hasWebOrigin: Bool { origin.map { $0.lowercased().hasPrefix("https:") } ?? false }

  /// The beginning of addresses: no query, no slash at the end.
  static func baseURL(_ text: String) -> ServerURL? {
    let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
    return trimmed.contains("?") ? nil : ServerURL(trimmed)
  }

  /// A domain in lower case.
  static func domain(_ text: String) -> String? {
    guard let url = ServerURL("https://\(text)/"), url.host.utf8.elementsEqual(text.utf8) else { return nil }
    return text
  }
}

extension ServerSettings {
  /// Fills in the addresses of WebAuthn that follow from `base_url`; in the other dialects every address begins with it.
  mutating func fillAddresses() {
    guard let base = webAuthn.baseURL?.text else { return }
    guard dialect == .webauthn else {
      if dialect.isWebAuthn {
        let same = OperationURLs(requestURL: webAuthn.baseURL, responseURL: webAuthn.baseURL)
        (registration, authentication) = (same, same)
      }
      return
    }
    registration.requestURL = registration.requestURL ?? ServerURL(base + "/attestation/options")
    registration.responseURL = registration.responseURL ?? ServerURL(base + "/attestation/result")
    authentication.requestURL = authentication.requestURL ?? ServerURL(base + "/assertion/options")
    authentication.responseURL = authentication.responseURL ?? ServerURL(base + "/assertion/result")
  }
}

extension ServerSettings.OperationURLs {
  static var settings: [Setting<Self>] {
    [
      .text("request_url", \.requestURL, allowed: .serverURL, ServerURL.init),
      .text("response_url", \.responseURL, allowed: .serverURL, ServerURL.init),
    ]
  }

  /// A deregistration has no response.
  static var requestOnlySettings: [Setting<Self>] {
    settings.filter { $0.name == "request_url" }
  }
}

// The URLs of the server, parsed strictly: a URL that two programs could read differently is refused.

/// An `https` (or, if allowed, `http`) URL with placeholders in its path or query.
public struct ServerURL: Equatable, Sendable {
  /// The URL as written.
  public let text: String

  /// Whether the scheme is `https`.
  public let isSecure: Bool

  /// The host name or address in lower case, without brackets.
  public let host: String

  /// The port; the scheme's default if none is written.
  public let port: UInt16

  /// The placeholders a path or query may contain.
  public static let placeholders = ["{user}", "{appID}", "{transaction}", "{transactionBase64URL}"]

  /// Parses a URL; nil if it is not of the form `https://HOST[:PORT][/PATH][?QUERY]`.
  ///
  /// Refused as well: user information, fragments, bytes outside printable ASCII, quotes, backslashes, and braces that are not
  /// part of a placeholder's.
  public init?(_ text: String) {
    let isSecure = text.hasPrefix("https://")
    guard isSecure || text.hasPrefix("http://"), text.utf8.count <= 2048 else { return nil }
    let rest = text.dropFirst(isSecure ? 8 : 7)
    let authority = rest.prefix { !"/?#".contains($0) }
    let path = Self.placeholders.reduce(String(rest.dropFirst(authority.count))) { path, placeholder in
      path.split(separator: placeholder, omittingEmptySubsequences: false).joined()
    }
    guard path.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"#\"'<>\\^`{}|".utf8.contains($0) }) else { return nil }
    guard let (host, port) = Self.hostAndPort(authority, default: isSecure ? 443 : 80) else { return nil }
    self.text = text
    self.isSecure = isSecure
    self.host = host
    self.port = port
  }

  /// Whether the host can only be this machine: 127.0.0.0/8, ::1 or localhost.
  public var isLoopback: Bool {
    if host == "localhost" { return true }
    if let address = Self.ipv4(host) { return address[0] == 127 }
    return Self.isIPv6Loopback(host)
  }

  private static func hostAndPort(_ authority: Substring, default standard: UInt16) -> (String, UInt16)? {
    var host = authority
    var port = standard
    let portStart: Substring.Index?
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<end]
      let after = authority[end...].dropFirst()
      guard isIPv6(host), after.isEmpty || after.first == ":" else { return nil }
      portStart = after.isEmpty ? nil : after.startIndex
    } else {
      portStart = authority.firstIndex(of: ":")
      host = authority[..<(portStart ?? authority.endIndex)]
      guard isName(host) else { return nil }
    }
    if let portStart {
      let digits = authority[portStart...].dropFirst()
      let isNumber = (1...5).contains(digits.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isNumber, digits.first != "0", let number = UInt16(digits) else { return nil }
      port = number
    }
    return (host.lowercased(), port)
  }

  /// A host name by RFC 1123, or a dotted quad; a last label of digits alone is an address or nothing.
  private static func isName(_ host: Substring) -> Bool {
    guard (1...253).contains(host.utf8.count) else { return false }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let wellFormed = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
    guard wellFormed, let last = labels.last else { return false }
    let looksNumeric = last.utf8.first.map { (0x30...0x39).contains($0) } ?? false
    return !looksNumeric || ipv4(String(host)) != nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
  }

  private static func ipv4(_ host: String) -> [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } && (part == "0" || part.first != "0") ? UInt8(part) : nil
    }
    return parts.count == 4 && numbers.count == 4 ? numbers : nil
  }

  private static func isIPv6(_ host: Substring) -> Bool {
    (2...45).contains(host.utf8.count) && host.contains(":")
      && host.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) || $0 == UInt8(ascii: ":")
      }
  }

  private static func isIPv6Loopback(_ host: String) -> Bool {
    ["::1", "0:0:0:0:0:0:0:1", "0000:0000:0000:0000:0000:0000:0000:0001"].contains(host)
  }
}

/// How a local account's name becomes its name at the server: `username`.
public struct UsernameMapping: Equatable, Sendable {
  private let prefix: String
  private let suffix: String

  /// The longest name of UAF, in characters (UAF protocol 1.1, section 3.4.4).
  public static let maximumLength = 128

  /// The account's own name.
  public static let identity = UsernameMapping(prefix: "", suffix: "")

  private init(prefix: String, suffix: String) {
    self.prefix = prefix
    self.suffix = suffix
  }

  /// Makes a mapping from a text that contains `{user}` once; nil for anything else.
  ///
  /// Without the placeholder, all accounts would share one name.
  public init?(_ template: String) {
    let parts = template.split(separator: "{user}", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ Self.isVisibleASCII($0) && !$0.contains("{") && !$0.contains("}") })
    else {
      return nil
    }
    self.init(prefix: String(parts[0]), suffix: String(parts[1]))
  }

  /// The server's name of an account; nil if it would be empty, too long, or contain white space, control or non-ASCII
  /// characters.
  public func name(of account: String) -> String? {
    let name = prefix + account + suffix
    guard !account.isEmpty, Self.isVisibleASCII(account), name.utf8.count <= Self.maximumLength else { return nil }
    return name
  }

  private static func isVisibleASCII(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }
}

/// The name of this machine at the server: `device_name`.
public struct DeviceNameTemplate: Equatable, Sendable {
  private let text: String

  /// The longest name, in code points.
  public static let maximumLength = 64

  /// Makes a template from a text; nil if it has characters that control a terminal.
  ///
  /// Any other brace is refused, because it looks like a placeholder that does not exist.
  public init?(_ text: String) {
    let parts = text.split(separator: Self.placeholder, omittingEmptySubsequences: false)
    guard !text.isEmpty, Text.cleaned(text, limit: Self.maximumLength) == text,
      !parts.contains(where: { $0.contains("{") || $0.contains("}") })
    else { return nil }
    self.text = text
  }

  /// The name of a machine, cut at ``maximumLength``; nil if nothing is left.
  public func name(hostName: String) -> String? {
    let name = text.split(separator: Self.placeholder, omittingEmptySubsequences: false).joined(separator: hostName)
    let cleaned = Text.cleaned(name, limit: Self.maximumLength)
    return cleaned.isEmpty ? nil : cleaned
  }

  private static let placeholder = "{hostname}"
}
