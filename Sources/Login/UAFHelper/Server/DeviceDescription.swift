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

  /// The part that the server may know: the ID is an HMAC, so that it is useless to anyone else.
  ///
  /// - Parameters:
  ///   - template: root's name for the machine; nil for the host name.
  ///   - folder: the state folder's own random bytes. A folder without any keeps the ID that servers already know.
  func context(named template: DeviceNameTemplate?, of folder: [UInt8]?) -> DeviceContext {
    DeviceContext(
      id: identifier(folder), name: template.map { $0.name(hostName: hostName) } ?? Self.optional(hostName),
      model: Self.optional(model),
      operatingSystem: Self.optional(operatingSystem))
  }

  /// Copied machines often share a machine-id, and copied state folders share their random bytes: the ID is the same only if both
  /// are the same.
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
  /// The descriptions of the account's authenticators, to be compared with a policy.
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
