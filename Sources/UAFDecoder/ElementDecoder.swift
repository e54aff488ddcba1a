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
      return DecodedNode("\(head), \(size)", try element.children().map { node($0, depth: depth + 1) })
    } catch {
      return DecodedNode("\(head), \(size)", [DecodedNode("not TLV: \(error.description)")])
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
