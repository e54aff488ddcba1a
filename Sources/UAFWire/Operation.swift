/// What a conversation is for (*begin*, field 2).
public enum Operation: UInt8, CaseIterable, Sendable {
  case authenticate = 1
  case change = 2
  case register = 3
  case deregister = 4
  case deregisterAll = 5
  case status = 6
  case unlock = 7
  case reset = 8
  case initialise = 9
  case forget = 10
  case trust = 11
  case seal = 12
  case unseal = 13
  case recover = 14
  case account = 15
  case join = 16
  case leave = 17
  case repair = 18
  case checkIn = 19
  case rename = 20
}
