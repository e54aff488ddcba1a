/// The sizes that docs/protocol.md allows, in bytes unless the name says otherwise.
public enum WireLimit {
  /// A whole packet.
  public static let packet = 65_536
  /// An answer.
  ///
  /// Far above what can be stored (256), so that a front end need not know that limit.
  public static let answer = 1024
  /// A text shown to a person.
  public static let text = 4096
  /// One choice of a prompt.
  public static let option = 256
  /// How many choices a prompt may have.
  public static let options = 16
  /// The greatest number of characters of an entry of known length.
  public static let entry: UInt32 = 256
  /// sudo's arguments.
  ///
  /// The core accepts only a shorter line, because a line of this length may have been cut.
  public static let commandLine = 4096
  /// A text that the caller wants to have confirmed; twice what the core accepts.
  public static let transaction = 4096
  /// A token from the server, or an environment variable's value.
  public static let token = 8192
  /// The JSON document of *status*.
  public static let document = 32_768
  /// The body of a request to the server.
  public static let requestBody = 24_576
  /// A host with its port, that uaf-fetch may connect to.
  public static let place = 264
  /// The header `Cookie` of one exchange; the parts of a *request* together fit into a packet.
  public static let cookies = 4096
  /// The header `Authorization`.
  public static let authorization = 1024
  /// A further header of one exchange, with its name.
  public static let header = 1024
  /// How many hosts with ports there may be.
  public static let places = 64
  /// Certificate authorities in PEM that are in the request itself.
  public static let certificateAuthorities = 24_576
  /// Certificate authorities in PEM, in separate packets: enough for a file of 1 MiB, whose lines may be shortened.
  public static let longAuthorities = 34 * chunk
  /// The server's certificate in DER.
  public static let certificate = 16_384
  /// One part of a response body.
  public static let chunk = 32_768
  /// A device key.
  public static let deviceKey = 32
  /// A device key as a chip has sealed it.
  public static let sealedKey = 2048
  /// The identifier by which the indices of one authenticator are found.
  public static let indexMark = 32
  /// The two values that an index and its share require.
  public static let chipValues = 64
  /// The path of a chip's device or socket: what fits into a socket address.
  public static let chipPlace = 107
  /// An account's name for the fingerprint service.
  public static let fingerAccount = 256
  /// An account's name in the name services.
  public static let accountName = 256
  /// How many enrolled fingers are named.
  public static let fingers = 16
  /// A log line's text about the fingerprint service.
  public static let fingerDetail = 256
  /// A whole response body.
  public static let responseBody = 262_144
}

/// Text from outside, made safe for a log line.
public enum LogText {
  /// `text` with one `?` for each character that is not printable ASCII, at most `limit` bytes.
  public static func cleaned(_ text: some Sequence<UInt8>, limit: Int) -> String {
    String(decoding: text.prefix(limit).map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
