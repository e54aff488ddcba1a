/// One record of an account's file, whose mark was right.
struct SealedRecord {
  let kind: RecordKind
  let name: [UInt8]
  let body: [UInt8]
}
