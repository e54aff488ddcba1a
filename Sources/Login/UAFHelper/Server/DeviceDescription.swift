import Authenticator
import AuthenticatorTypes
import Glibc
import SecretMemory
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages

/// The data about this machine that is sent to the server, unless `send_device` is off.
struct DeviceDescription: Equatable {
  /// The content of `/etc/machine-id`, which never leaves the machine; empty if there is none.
  var machineID: [UInt8] = []
  var hostName = ""
  var model = ""
  var operatingSystem = ""

  /// The description of this machine.
  static func current() -> DeviceDescription {
    var description = DeviceDescription()
    var names = utsname()
    // SAFETY: uname fills the structure with NUL-terminated texts.
    if unsafe uname(&names) == 0 {
      description.hostName = text(&names.nodename)
      description.model = text(&names.machine)
      description.operatingSystem = "\(text(&names.sysname)) \(text(&names.release))"
    }
    let file = unsafe open("/etc/machine-id", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return description }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 32)
    // SAFETY: the array has room for the number of bytes asked for.
    let count = unsafe read(file, &bytes, bytes.count)
    if count == bytes.count { description.machineID = bytes }
    return description
  }

  /// The part of the description that the server is told.
  ///
  /// The ID is an HMAC, so that it reveals nothing about the machine-id.
  ///
  /// - Parameters:
  ///   - template: the machine's name that root has configured; if nil, the host name is used.
  ///   - folder: the state folder's own random bytes. If the folder has none, the machine keeps the ID that servers already
  ///     know.
  func context(named template: DeviceNameTemplate?, of folder: [UInt8]?) -> DeviceContext {
    DeviceContext(
      id: identifier(folder), name: template.map { $0.name(hostName: hostName) } ?? Self.optional(hostName),
      model: Self.optional(model),
      operatingSystem: Self.optional(operatingSystem))
  }

  /// The ID depends on both: copied machines often have the same machine-id, and copied state folders have the same random
  /// bytes.
  ///
  /// So two machines have the same ID only if they agree in both.
  func identifier(_ folder: [UInt8]?) -> String? {
    let bytes = folder ?? machineID
    let message = Array("pam-uaf device id".utf8) + (folder == nil ? [] : machineID)
    guard !bytes.isEmpty, let key = try? Secret(copying: bytes.span),
      let mark = try? HMACSHA256.authenticate(message, key: key)
    else { return nil }
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: mark.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func optional(_ text: String) -> String? { text.isEmpty ? nil : text }

  private static func text<Tuple>(_ field: inout Tuple) -> String {
    // SAFETY: the field's own bytes, up to the first NUL.
    unsafe withUnsafeBytes(of: &field) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }.filter { (0x20...0x7e).contains($0) }, as: UTF8.self)
    }
  }
}

extension AuthenticatorDescription {
  /// The descriptions of an account's authenticators, with which a server's policy is compared.
  static func all(of types: [AuthenticatorType], keys: [RegisteredKey]) -> [AuthenticatorDescription] {
    types.compactMap { type in
      guard let aaid = try? AAID(type.aaid) else { return nil }
      var description = AuthenticatorDescription(aaid: aaid, userVerification: type.userVerification)
      let own = keys.filter { $0.type == type }
      description.registrations = Set(own.map(\.appID)).map { appID in
        AuthenticatorDescription.Registrations(
          appID: appID, keyIDs: own.filter { $0.appID == appID }.compactMap { try? KeyID(bytes: $0.keyID) })
      }
      return description
    }
  }
}
