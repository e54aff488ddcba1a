import SecretMemory

/// The bytes written in hexadecimal, white space ignored.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// A secret with these bytes.
func secret(_ bytes: [UInt8]) throws -> Secret {
  try Secret(copying: bytes.span)
}

/// The bytes of a secret, for comparing.
func bytes(_ secret: borrowing Secret) -> [UInt8] {
  secret.withBytes { span in span.indices.map { span[$0] } }
}
