/// The maximum sizes according to docs/protocol.md, in bytes unless stated otherwise.
public enum WireLimit {
  /// A whole packet.
  public static let packet = 65_536
  /// The person's entry in an *answer*.
  ///
  /// This is far above the maximum length of a secret (256), so that a front end need not know that length.
  public static let answer = 1024
  /// A text shown to a person.
  public static let text = 4096
  /// One option of a prompt.
  public static let option = 256
  /// How many options a prompt may have.
  public static let options = 16
  /// The maximum number of characters of an entry whose length is fixed.
  public static let entry: UInt32 = 256
  /// sudo's arguments.
  ///
  /// The core accepts only shorter lines, because a line of this length may have been cut off.
  public static let commandLine = 4096
  /// A text that the caller wants the person to confirm; twice the length that the core accepts.
  public static let transaction = 4096
  /// A token from the server, or the value of an environment variable.
  public static let token = 8192
  /// The password of a person's keyring.
  public static let keyring = 512
  /// The JSON document of *status*.
  public static let document = 32_768
  /// The body of an HTTP request to the server.
  public static let requestBody = 24_576
  /// A host with its port to which uaf-fetch may connect.
  public static let place = 264
  /// The `Cookie` header of one exchange.
  ///
  /// With this limit, all fields of a *request* together fit into a packet.
  public static let cookies = 4096
  /// The `Authorization` header.
  public static let authorization = 1024
  /// A further header of one exchange, with its name.
  public static let header = 1024
  /// The value of a header by which an answer names its session; with its name it fits into ``header``.
  public static let session = 992
  /// How many hosts with ports uaf-fetch may be given.
  public static let places = 64
  /// Certificate authorities in PEM, if they are in the *request* itself.
  public static let certificateAuthorities = 24_576
  /// Certificate authorities in PEM, if they are sent in separate packets.
  ///
  /// This is enough for a file of 1 MiB, even with short lines.
  public static let longAuthorities = 34 * chunk
  /// The server's certificate in DER.
  public static let certificate = 16_384
  /// One chunk of a response body.
  public static let chunk = 32_768
  /// A device key.
  public static let deviceKey = 32
  /// A device key that a chip has sealed.
  public static let sealedKey = 2048
  /// The identifier by which an authenticator's indices are found.
  public static let indexMark = 32
  /// The two values together that an index and its share require.
  public static let chipValues = 64
  /// The path of a chip's device or socket.
  ///
  /// It must fit into a socket address.
  public static let chipPlace = 107
  /// The account name that is sent to the fingerprint service.
  public static let fingerAccount = 256
  /// The name of a service on the system bus, other than fprintd.
  public static let fingerService = 128
  /// The account name that the name services return.
  public static let accountName = 256
  /// How many enrolled fingers are reported.
  public static let fingers = 16
  /// The text for the log about the fingerprint service.
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
