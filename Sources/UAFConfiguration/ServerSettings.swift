/// `[server]`: the addresses of the server and the form of its messages.
public struct ServerSettings: Equatable, Sendable {
  /// What the bodies look like.
  public enum Dialect: String, CaseIterable, Sendable {
    /// The standard's GetUAFRequest and SendUAFResponse.
    case fido
    /// GET for requests, bare UAF arrays for answers.
    case plain
  }

  /// What the server demands before it accepts the first key of an account.
  public enum Enrolment: String, CaseIterable, Sendable {
    /// A payload of its own, which names server, account and code.
    case payload
    /// A code, which the person enters.
    case code
    /// Nothing: the first person who registers a name gets it.
    case open
  }

  /// What a text to be confirmed is written in.
  public enum TransactionCharset: String, CaseIterable, Sendable {
    /// As UAF has it, everything else escaped.
    case ascii
    /// With letters beyond ASCII.
    case utf8 = "utf-8"
  }

  /// Whose texts a person is asked to confirm.
  public enum TransactionSource: String, CaseIterable, Sendable {
    /// Those that this machine sent, and those of an approval that the person asked for.
    case ours
    /// Also one that the server adds to a request by itself.
    case any
  }

  /// The URLs of one operation; nil falls back to ``ServerSettings/requestURL`` and ``ServerSettings/responseURL``.
  public struct OperationURLs: Equatable, Sendable {
    /// Where requests are fetched.
    public internal(set) var requestURL: ServerURL?
    /// Where answers go.
    public internal(set) var responseURL: ServerURL?
  }

  /// Where requests are fetched; nil only where each operation has its own.
  public internal(set) var requestURL: ServerURL?
  /// Where answers go; nil only where registration and authentication have their own.
  public internal(set) var responseURL: ServerURL?
  /// `[server.registration]`.
  public internal(set) var registration = OperationURLs()
  /// `[server.authentication]`.
  public internal(set) var authentication = OperationURLs()
  /// `[server.deregistration]`.
  public internal(set) var deregistration = OperationURLs()
  /// What the bodies look like.
  public internal(set) var dialect = Dialect.fido
  /// What a first registration of an account needs.
  public internal(set) var enrolment = Enrolment.payload
  /// The media type of what is sent, and wanted in return; nil for the dialect's own.
  public internal(set) var contentType: String?
  /// What the plain dialect leaves open.
  public internal(set) var plain = PlainSettings()
  /// AppIDs whose list of facets may be fetched although they have another host or port than the server.
  public internal(set) var appIDs: [String] = []
  /// The longest one exchange may take, connection and answer.
  public internal(set) var timeout: Duration = .seconds(30)

  /// The same server, which is waited for no longer than `limit`.
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
  /// The proxy; nil for none, and never the environment's.
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

  /// What a text to be confirmed is written in, where root says so.
  var chosenTransactionCharset: TransactionCharset?

  /// What a text to be confirmed is written in.
  ///
  /// UAF allows ASCII, which every server accepts. The default is UTF-8 if verdicts are signed, because then the server is
  /// uaf-server, which accepts it.
  public var transactionCharset: TransactionCharset {
    chosenTransactionCharset ?? (requiresSignedVerdict ? .utf8 : .ascii)
  }

  /// Every URL there is.
  public var urls: [ServerURL] {
    [self.requestURL, self.responseURL].compactMap { $0 }
      + [registration, authentication, deregistration].flatMap { [$0.requestURL, $0.responseURL].compactMap { $0 } }
  }

  /// Whether each operation has an address for requests, and each but deregistration one for responses.
  var isComplete: Bool {
    let asked = [registration, authentication, deregistration].allSatisfy { ($0.requestURL ?? requestURL) != nil }
    return asked && [registration, authentication].allSatisfy { ($0.responseURL ?? responseURL) != nil }
  }

  /// Whether there is a server and all its URLs lead to this machine.
  public var isLoopbackOnly: Bool {
    !urls.isEmpty && urls.allSatisfy(\.isLoopback)
  }

  static let urlWords = "a URL https://HOST[:PORT]/PATH"

  static var settings: [Setting<ServerSettings>] {
    [
      .text("request_url", \.requestURL, allowed: urlWords, ServerURL.init),
      .text("response_url", \.responseURL, allowed: urlWords, ServerURL.init),
      .choice("dialect", \.dialect),
      .choice("enrolment", \.enrolment),
      .text("content_type", \.contentType, allowed: "a media type such as application/json", mediaType),
      .texts("app_ids", \.appIDs, allowed: "a list of https URLs, none twice", appID),
      .seconds("timeout", \.timeout, 1...300),
      .boolean("tls_verify", \.verifiesTLS),
      .text("ca_file", \.certificateAuthorityFile, allowed: AllowedText.absolutePathWords, AllowedText.absolutePath),
      .text("facet_id", \.facetID, allowed: "1 to 512 printable ASCII characters without spaces", facet),
      .text("username", \.username, allowed: "a name with {user} in it once, without spaces", UsernameMapping.init),
      .text("proxy", \.proxy, allowed: "http://HOST:PORT, or empty for none", proxy),
      .boolean("send_device", \.sendsDevice),
      .text("device_name", \.deviceName, allowed: DeviceNameTemplate.words, DeviceNameTemplate.init),
      .boolean("allow_insecure", \.allowsInsecure),
      .boolean("require_signed_verdict", \.requiresSignedVerdict),
      Setting(name: "transaction_charset") { value, server throws(SettingRefusal) in
        server.chosenTransactionCharset = try Setting<Self>.choice(value)
      },
      .choice("accept_transaction", \.acceptedTransactions),
      .text("verdict_key", \.verdictKeyFile, allowed: AllowedText.absolutePathWords, AllowedText.absolutePath),
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

extension ServerSettings.OperationURLs {
  static var settings: [Setting<Self>] {
    [
      .text("request_url", \.requestURL, allowed: ServerSettings.urlWords, ServerURL.init),
      .text("response_url", \.responseURL, allowed: ServerSettings.urlWords, ServerURL.init),
    ]
  }

  /// A deregistration has no response.
  static var requestOnlySettings: [Setting<Self>] {
    settings.filter { $0.name == "request_url" }
  }
}
