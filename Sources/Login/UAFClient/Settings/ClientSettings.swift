import UAFMessages

/// What root's configuration says about the server, in the form that the flows need.
public struct ClientSettings: Equatable, Sendable {
  /// The endpoint for registrations.
  public var registration: ServerEndpoint
  /// The endpoint for authentications.
  public var authentication: ServerEndpoint
  /// The endpoint for deregistrations.
  public var deregistration: ServerEndpoint
  /// This client's entry in a server's list of trusted facets.
  public var facetID: String
  /// How messages are carried.
  public var dialect: Dialect
  /// The media type of requests and of the answers that are wanted; nil for the dialect's own.
  public var contentType: String?
  /// AppIDs that may be asked for their facets although their host or port differs from the server's.
  public var appIDs: [String] = []
  /// Whether http to this machine is allowed.
  public var allowsPlainHere = false
  /// Whether a text to confirm that the server adds by itself is accepted; it must be shown before anybody is asked to verify.
  public var takesServersTexts = false
  /// Whether the server states in its challenges what they are for, so that no other challenge is signed.
  public var demandsPurpose = false
  /// What is sent to the server about this machine.
  public var device: DeviceContext
  /// The PAM service at which the person logs in, for the server's audit; nil is not sent.
  public var service: PAMServiceName?
  /// Whether the server can be told of a deregistration; if not, ``deregistration`` is not used.
  public var deregisters = true
  /// Whether the request for a registration is a token of the server's and nothing else, instead of a GetUAFRequest.
  public var redeemsTokens = false
  /// How this client speaks WebAuthn; nil if the server speaks UAF, as ``dialect`` says.
  public var webAuthn: WebAuthnSettings?

  /// Whether the server checks enrolment codes, so that a code can prove a person.
  public var judgesCodes: Bool { webAuthn == nil && dialect == .fido }

  /// Makes settings with the same endpoint for every operation.
  public init(
    endpoint: ServerEndpoint, facetID: String, dialect: Dialect = .fido, device: DeviceContext = DeviceContext()
  ) {
    self.init(
      registration: endpoint, authentication: endpoint, deregistration: endpoint, facetID: facetID, dialect: dialect,
      device: device)
  }

  /// Makes settings with an endpoint for each operation.
  public init(
    registration: ServerEndpoint, authentication: ServerEndpoint, deregistration: ServerEndpoint, facetID: String,
    dialect: Dialect = .fido, device: DeviceContext = DeviceContext()
  ) {
    self.registration = registration
    self.authentication = authentication
    self.deregistration = deregistration
    self.facetID = facetID
    self.dialect = dialect
    self.device = device
  }

  /// The parts of an address that these settings allow to be asked; nil for any other.
  func address(_ url: String) -> HTTPSAddress? { HTTPSAddress(url, orPlainHere: allowsPlainHere) }

  func endpoint(for operation: UAFOperation) -> ServerEndpoint {
    switch operation {
    case .registration: registration
    case .authentication: authentication
    case .deregistration: deregistration
    }
  }

  /// The context of every request for an account.
  func context(username: String) -> RequestContext {
    var context = RequestContext(username: username)
    context.deviceID = device.id
    context.deviceName = device.name
    context.deviceModel = device.model
    context.deviceOS = device.operatingSystem
    return context
  }
}

/// Where one operation finds its server.
public struct ServerEndpoint: Equatable, Sendable {
  /// Where a UAF request is fetched.
  public let requestURL: String

  /// Where the UAF response is sent; not used by deregistration.
  public let responseURL: String

  /// Makes an endpoint; both addresses may contain the placeholders of ``URLTemplate``.
  public init(requestURL: String, responseURL: String) {
    self.requestURL = requestURL
    self.responseURL = responseURL
  }
}

/// How UAF messages are carried.
public enum Dialect: Equatable, Sendable {
  /// The bodies of the FIDO UAF transport specification, which the FIDO Alliance's interface for server tests also uses.
  case fido
  /// GET for requests, POST for responses; the bodies are the UAF messages themselves.
  case plain(PlainRules)
}

/// The configured member and value that mean success in an answer without a UAF status code.
public struct SuccessMark: Equatable, Sendable {
  /// The member's name.
  public let member: String

  /// Its text; for an integer or a boolean, the JSON form.
  public let value: String

  /// Makes a success value.
  public init(member: String, value: String) {
    self.member = member
    self.value = value
  }

  /// Whether an object has this value.
  func isHeld(by object: JSONObject) -> Bool { text(in: object)?.isIdentical(to: value) ?? false }

  /// The value that an object has instead of the success value; nil without the member, or if it has no single value.
  func otherValue(in object: JSONObject) -> String? {
    guard let text = text(in: object), !text.isIdentical(to: value) else { return nil }
    return text
  }

  private func text(in object: JSONObject) -> String? {
    switch object[member] {
    case .string(let text): text
    case .integer(let number): String(number)
    case .bool(let flag): String(flag)
    default: nil
    }
  }
}

/// What the plain dialect leaves to each server.
public struct PlainRules: Equatable, Sendable {
  /// The server's names for members of the context; a member without a name here is not sent.
  public let contextNames: [String: String]

  /// How the server reports a success without a UAF status code.
  public let success: SuccessMark?

  /// Makes rules.
  ///
  /// The default tells the server nothing, and accepts only a UAF status code as a success.
  public init(contextNames: [String: String] = [:], success: SuccessMark? = nil) {
    self.contextNames = contextNames
    self.success = success
  }
}

/// An address with `{user}`, `{appID}`, `{transaction}` or `{transactionBase64URL}` in it.
public struct URLTemplate: Equatable, Sendable {
  private let text: String

  /// Makes a template from a configured address.
  public init(_ text: String) {
    self.text = text
  }

  /// The address with each placeholder replaced by its percent-encoded value.
  ///
  /// Everything but RFC 3986's unreserved characters is encoded, so that no value can add a path, a query or a host.
  /// - Returns: nil if a brace is left that is not one of the placeholders.
  public func expanded(user: String, appID: String, transaction: String) -> String? {
    let values = [
      "user": user, "appID": appID, "transaction": transaction,
      "transactionBase64URL": Base64URL.encode(Array(transaction.utf8)),
    ]
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}"),
        let value = values[String(rest[rest.index(after: open)..<close])]
      else { return nil }
      result += rest[..<open] + Self.percentEncoded(value)
      rest = rest[rest.index(after: close)...]
    }
    guard !result.contains("}"), !rest.contains("}") else { return nil }
    return result + rest
  }

  /// Everything but RFC 3986's unreserved characters as percent and two digits.
  static func percentEncoded(_ value: String) -> String {
    var encoded: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.append(byte)
      default:
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}

/// A route of `uaf-server` in addition to requests and responses; it is our own (docs/protocol.md).
public enum OwnRoute: String, Sendable {
  /// The state of an account.
  case account
  /// A machine joins.
  case join
  /// A machine that had joined leaves.
  case leave
  /// A machine that has joined checks in.
  case machine

  /// The route's address at a server, derived from the address for its requests.
  ///
  /// - Returns: nil if that address does not end in `/get`, as the address of a `uaf-server` does.
  public func url(beside requestURL: String) -> String? {
    guard requestURL.hasSuffix("/get") else { return nil }
    return requestURL.dropLast(3) + rawValue
  }
}

/// The interface by which a relying party carries WebAuthn, by its name in `server.dialect` (docs/webauthn-servers.md).
public enum WebAuthnInterface: String, Sendable, CaseIterable {
  /// The FIDO Alliance's interface for server tests.
  case conformance = "webauthn"
  /// Tokens of privacyIDEA.
  case privacyIDEA = "privacyidea"
  /// django-allauth's interface for apps.
  case allauth
  /// django-otp-webauthn.
  case djangoOTP = "django-otp-webauthn"
  /// A scheme of glewlwyd.
  case glewlwyd
  /// Passkeys of kanidm.
  case kanidm
  /// Flask-Security.
  case flaskSecurity = "flask-security"
}

/// The types of privacyIDEA's tokens whose keys are those of WebAuthn, by the server's names.
public enum PrivacyIDEATokenType: String, Sendable {
  case passkey
  case webauthn
}

/// How this client speaks WebAuthn with its relying party.
public struct WebAuthnSettings: Equatable, Sendable {
  /// The server's interface.
  public let interface: WebAuthnInterface

  /// The origin that root chose, sent as it is; nil for `linux://RPID`.
  public let origin: String?

  /// The only rpId that is accepted, chosen by root; nil for the host that is asked, or a registrable suffix of it.
  public let relyingPartyID: String?

  /// The server's name for a code in a request for options; nil if it takes codes in the header `Authorization`.
  public let codeMember: String?

  /// The type of the tokens at a privacyIDEA server.
  public let tokenType: PrivacyIDEATokenType

  /// Makes settings; without arguments, everything follows from the host.
  public init(
    interface: WebAuthnInterface = .conformance, origin: String? = nil, relyingPartyID: String? = nil,
    codeMember: String? = nil, tokenType: PrivacyIDEATokenType = .passkey
  ) {
    self.interface = interface
    self.origin = origin
    self.relyingPartyID = relyingPartyID
    self.codeMember = codeMember
    self.tokenType = tokenType
  }
}

/// What is sent to the server about this machine; nil is not sent.
public struct DeviceContext: Equatable, Sendable {
  /// A hash that identifies this machine to this application only, never the machine's own identifier.
  public let id: String?
  /// A name people know the machine by.
  public let name: String?
  /// Its model.
  public let model: String?
  /// Its system.
  public let operatingSystem: String?

  /// Makes a description; nothing at all for `send_device = false`.
  public init(id: String? = nil, name: String? = nil, model: String? = nil, operatingSystem: String? = nil) {
    self.id = id
    self.name = name
    self.model = model
    self.operatingSystem = operatingSystem
  }
}
