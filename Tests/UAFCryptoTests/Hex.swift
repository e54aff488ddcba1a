import SecretMemory

/// The bytes that a hexadecimal text stands for; white space is ignored.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// A secret that contains these bytes.
func secret(_ bytes: [UInt8]) throws -> Secret {
  try Secret(copying: bytes.span)
}

/// A copy of a secret's bytes, to compare them.
func bytes(_ secret: borrowing Secret) -> [UInt8] {
  secret.withBytes { span in span.indices.map { span[$0] } }
}
