extension MetadataStatement {
  /// The version of the form with names, in the member `schema`.
  static let schemaOfNames = 3

  /// Reads a statement of MDS 3: lists of names in place of numbers, and only statements of the family `uaf`.
  ///
  /// A UAF authenticator signs in one way and encodes its keys in one way, so that their lists have one name each.
  /// Members that the form lacks have fixed values: the scheme `UAFV1TLV`, and no second factor.
  init(named reader: MemberReader) throws(MessageError) {
    guard try reader.integer("schema", as: Int.self) == Self.schemaOfNames else {
      throw .outOfRange(reader.name("schema"))
    }
    guard try reader.string("protocolFamily").isIdentical(to: "uaf") else {
      throw .outOfRange(reader.name("protocolFamily"))
    }
    let details = try reader.list("userVerificationDetails") { (set, path) throws(MessageError) in
      try set.list(path: path, mayBeEmpty: false) { (method, path) throws(MessageError) in
        try VerificationMethodDescriptor(named: method, path: path)
      }
    }
    self.init(
      aaid: try reader.child("aaid", as: AAID.self), description: try reader.string("description", characters: 1...200),
      userVerificationDetails: details)
    authenticatorVersion = try reader.integer("authenticatorVersion", as: UInt16.self)
    upv = try reader.list("upv", of: UPV.self)
    authenticationAlgorithm = try reader.only("authenticationAlgorithms", of: RegistryShortNames.signatureAlgorithms)
    publicKeyAlgAndEncoding = try reader.only("publicKeyAlgAndEncodings", of: RegistryShortNames.publicKeyAlgorithms)
    attestationTypes = try reader.numbers("attestationTypes", of: RegistryShortNames.attestationTypes)
    keyProtection = try reader.flags("keyProtection", of: RegistryShortNames.keyProtection)
    isKeyRestricted = try reader.optionalBool("isKeyRestricted") ?? true
    isFreshUserVerificationRequired = try reader.optionalBool("isFreshUserVerificationRequired") ?? true
    matcherProtection = try reader.flags("matcherProtection", of: RegistryShortNames.matcherProtection)
    attachmentHint =
      reader.has("attachmentHint") ? try reader.flags("attachmentHint", of: RegistryShortNames.attachmentHint) : 0
    isSecondFactorOnly = false
    tcDisplay = try reader.flags("tcDisplay", of: RegistryShortNames.tcDisplay, mayBeEmpty: true)
    try readDisplayAndRoots(reader)
  }
}

extension VerificationMethodDescriptor {
  /// Reads one method of a statement of MDS 3.
  fileprivate init(named json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    let name = try reader.string("userVerificationMethod")
    guard let flag = RegistryShortNames.userVerification[name] else {
      throw .outOfRange(reader.name("userVerificationMethod"))
    }
    self.init(
      userVerification: flag, caDesc: try reader.optionalChild("caDesc", as: CodeAccuracyDescriptor.self),
      paDesc: try reader.optionalChild("paDesc", as: PatternAccuracyDescriptor.self))
  }
}

extension MemberReader {
  /// The numbers of a list of names; a name that is not among them, or is there twice, is refused.
  fileprivate func numbers<Number: FixedWidthInteger>(
    _ member: String, of names: [String: Number], mayBeEmpty: Bool = false
  ) throws(MessageError) -> [Number] {
    let numbers = try list(member, mayBeEmpty: mayBeEmpty) { (value, path) throws(MessageError) in
      guard let number = names[try value.nonEmptyString(path: path)] else { throw MessageError.outOfRange(path) }
      return number
    }
    guard Set(numbers).count == numbers.count else { throw .outOfRange(name(member)) }
    return numbers
  }

  /// The number of a list's only name.
  fileprivate func only<Number: FixedWidthInteger>(
    _ member: String, of names: [String: Number]
  ) throws(MessageError) -> Number {
    let numbers = try numbers(member, of: names)
    guard let only = numbers.first, numbers.count == 1 else { throw .outOfRange(name(member)) }
    return only
  }

  /// The flags of a list of names together.
  fileprivate func flags<Number: FixedWidthInteger>(
    _ member: String, of names: [String: Number], mayBeEmpty: Bool = false
  ) throws(MessageError) -> Number {
    try numbers(member, of: names, mayBeEmpty: mayBeEmpty).reduce(0) { $0 | $1 }
  }
}
