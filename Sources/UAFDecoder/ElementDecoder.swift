import UAFMessages

/// Turns the TLV elements of an assertion into lines.
enum ElementDecoder {
  /// Nesting of a genuine assertion is four levels deep; what goes on below is shown as bytes.
  private static let maximumDepth = 8

  /// An assertion's elements; the reason in their place where the bytes are no TLV.
  static func nodes(_ assertion: [UInt8]) -> [DecodedNode] {
    do {
      return [node(try TLVElement.single(in: assertion), depth: 0)]
    } catch {
      return [DecodedNode("not TLV: \(error.description)")]
    }
  }

  private static func node(_ element: TLVElement, depth: Int) -> DecodedNode {
    let name = RegistryNames.tags[element.tag] ?? (element.tag.isCritical ? "unknown critical tag" : "unknown tag")
    let head = "\(ShownValue.registry(element.tag.rawValue)) \(name)"
    guard element.tag.isComposite, depth < maximumDepth else { return DecodedNode("\(head): \(value(element))") }
    let size = ShownValue.count(element.value.count)
    do {
      let children = try element.children()
      var nodes = children.map { node($0, depth: depth + 1) }
      if let methods = verificationMethods(children) { nodes += methods.map { DecodedNode($0) } }
      return DecodedNode("\(head), \(size)", nodes)
    } catch {
      return DecodedNode("\(head), \(size)", [DecodedNode("not TLV: \(error.description)")])
    }
  }

  /// What the data of the extension `fido.uaf.uvm` says; nil if this is not one.
  private static func verificationMethods(_ members: [TLVElement]) -> [String]? {
    let id = Array(UserVerificationMethodEntry.extensionID.utf8)
    guard members.contains(where: { $0.tag == .extensionID && $0.value == id }),
      let data = members.first(where: { $0.tag == .extensionData })?.value
    else { return nil }
    guard let entries = UserVerificationMethodEntry.entries(parsing: data) else {
      return ["not 1 to 3 verification methods of 8 bytes each"]
    }
    return entries.map { entry in
      let parts: [(String, Int64)] = [
        ("userVerification", Int64(entry.userVerificationMethod)), ("keyProtection", Int64(entry.keyProtection)),
        ("matcherProtection", Int64(entry.matcherProtection)),
      ]
      return "verified by: "
        + parts.map { name, number in
          "\(name) \(number) (\(RegistryNames.meaning(of: number, member: name) ?? "not known here"))"
        }.joined(separator: ", ")
    }
  }

  private static func value(_ element: TLVElement) -> String {
    let bytes = element.value
    switch element.tag {
    case .aaid, .extensionID: return ShownValue.quoted(String(decoding: bytes, as: UTF8.self))
    case .assertionInfo where bytes.count == 5 || bytes.count == 7: return information(bytes)
    case .counters where bytes.count == 4: return "SignCounter \(number(bytes, at: 0, count: 4))"
    case .counters where bytes.count == 8:
      return "SignCounter \(number(bytes, at: 0, count: 4)), RegCounter \(number(bytes, at: 4, count: 4))"
    case .transactionContentHash where bytes.isEmpty: return "empty (no transaction)"
    case .keyID: return "\(ShownValue.hexadecimal(bytes)), base64url \(Base64URL.encode(bytes.prefix(64)))"
    default: return ShownValue.hexadecimal(bytes)
    }
  }

  /// `AuthenticatorVersion u16 | AuthenticationMode u8 | SignatureAlgAndEncoding u16 [| PublicKeyAlgAndEncoding u16]`.
  private static func information(_ bytes: [UInt8]) -> String {
    let signature = UInt16(truncatingIfNeeded: number(bytes, at: 3, count: 2))
    let mode =
      switch bytes[2] {
      case 1: "1 (user verified)"
      case 2: "2 (transaction confirmed)"
      default: "\(bytes[2]) (not defined)"
      }
    var parts = [
      "AuthenticatorVersion \(number(bytes, at: 0, count: 2))", "mode \(mode)",
      "signature \(named(signature, RegistryNames.signatureAlgorithms))",
    ]
    if bytes.count == 7 {
      let key = UInt16(truncatingIfNeeded: number(bytes, at: 5, count: 2))
      parts.append("key \(named(key, RegistryNames.publicKeyAlgorithms))")
    }
    return parts.joined(separator: ", ")
  }

  private static func named(_ number: UInt16, _ names: [UInt16: String]) -> String {
    "\(ShownValue.registry(number)) \(names[number] ?? "(not known here)")"
  }

  /// Little-endian; the caller has checked the count.
  private static func number(_ bytes: [UInt8], at start: Int, count: Int) -> UInt32 {
    bytes[start..<(start + count)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
