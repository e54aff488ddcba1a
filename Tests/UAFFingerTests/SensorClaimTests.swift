import Testing
import UAFWire

@testable import UAFFinger

/// Which D-Bus signals of the fingerprint service are accepted, and what they mean.
struct SensorClaimTests {
  private static let claim = SensorClaim(service: .fprintd, owner: ":1.7", path: "/net/reactivated/Fprint/Device/0")

  private static func status(
    _ text: String, isDone: Bool? = true, from sender: String = ":1.7",
    path: String = "/net/reactivated/Fprint/Device/0", interface: String = "net.reactivated.Fprint.Device",
    member: String = "VerifyStatus"
  ) -> BusSignal {
    BusSignal(sender: sender, path: path, interface: interface, member: member, texts: [text], flag: isDone)
  }

  private static func owner(
    _ new: String, from sender: String = "org.freedesktop.DBus", of name: String = SensorService.fprintd.name
  )
    -> BusSignal
  {
    BusSignal(
      sender: sender, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
      texts: [name, ":1.7", new], flag: nil)
  }

  @Test(arguments: [
    ("verify-match", FingerTouch.matched), ("verify-no-match", .notMatched), ("verify-retry-scan", .scanAgain),
    ("verify-swipe-too-short", .tooShort), ("verify-finger-not-centered", .notCentred),
    ("verify-remove-and-retry", .liftFirst), ("verify-too-fast", .tooFast),
  ]) func `understands each result that the service reports for a touch`(_ status: String, _ touch: FingerTouch) {
    #expect(Self.claim.meaning(of: Self.status(status)) == .touch(touch))
  }

  @Test(arguments: ["verify-match", "verify-no-match", "verify-unknown-error", "anything"])
  func `takes a status that is not final for no result`(_ status: String) {
    #expect(Self.claim.meaning(of: Self.status(status, isDone: false)) == nil)
  }

  @Test(arguments: ["verify-unknown-error", "", "verify-match ", "VERIFY-MATCH", "enroll-completed"])
  func `takes an unknown result for a failure`(_ status: String) {
    #expect(Self.claim.meaning(of: Self.status(status)) == .end(.failed))
  }

  @Test func `reports that the sensor was unplugged`() {
    #expect(Self.claim.meaning(of: Self.status("verify-disconnected")) == .end(.sensorGone))
  }

  @Test(arguments: [
    status("verify-match", from: ":1.8"), status("verify-match", from: SensorService.fprintd.name),
    status("verify-match", from: ""),
    status("verify-match", path: "/net/reactivated/Fprint/Device/1"),
    status("verify-match", interface: "org.example.Device"),
    status("verify-match", member: "VerifyFingerSelected"), status("verify-match", isDone: nil),
    BusSignal(
      sender: ":1.7", path: "/net/reactivated/Fprint/Device/0", interface: "net.reactivated.Fprint.Device",
      member: "VerifyStatus", texts: ["verify-match", "verify-match"], flag: true),
  ]) func `ignores a match that comes from a different sender or sensor, or has a different format`(_ signal: BusSignal)
  {
    #expect(Self.claim.meaning(of: signal) == nil)
  }

  @Test(arguments: ["", ":1.9"]) func `ends if the D-Bus name of the service gets a new owner`(_ new: String) {
    #expect(Self.claim.meaning(of: Self.owner(new)) == .end(.serviceGone))
  }

  @Test func `continues while the service's D-Bus name has its owner, and only the bus can report a new one`() {
    #expect(Self.claim.meaning(of: Self.owner(":1.7")) == nil)
    #expect(Self.claim.meaning(of: Self.owner(":1.9", from: ":1.9")) == nil)
    #expect(Self.claim.meaning(of: Self.owner(":1.9", of: "org.example.Other")) == nil)
  }

  @Test func `sends calls to the D-Bus connection of the service, not to its well-known name`() {
    let call = Self.claim.call("Claim", "mina")
    #expect(call.destination == ":1.7" && call.arguments == ["mina"])
    #expect(Self.claim.matches.allSatisfy { $0.contains("sender='") })
  }

  @Test(arguments: [
    (BusError.answered(name: "org.freedesktop.DBus.Error.ServiceUnknown", text: ""), FingerSensor.State.noService),
    (.answered(name: "org.freedesktop.DBus.Error.Spawn.ExecFailed", text: ""), .noService),
    (.answered(name: "net.reactivated.Fprint.Error.NoSuchDevice", text: ""), .noSensor),
    (.answered(name: "net.reactivated.Fprint.Error.NoEnrolledPrints", text: ""), .notEnrolled),
    (.answered(name: "net.reactivated.Fprint.Error.AlreadyInUse", text: ""), .busy),
    (.answered(name: "net.reactivated.Fprint.Error.PermissionDenied", text: ""), .denied),
    (.answered(name: "net.reactivated.Fprint.Error.Internal", text: ""), .failed), (.failed(110), .failed),
  ]) func `each error of the bus or of the service gives the right state of the sensor`(
    _ error: BusError, _ state: FingerSensor.State
  ) {
    #expect(SensorTrouble(error, of: .fprintd).state == state)
  }

  // MARK: Another service

  private static let face = SensorService(named: "org.example.Face")

  @Test func `derives every name of another service from its name on the bus, and lists nothing there`() {
    #expect(SensorService(named: nil) == .fprintd && Self.face.listing == nil)
    #expect(
      Self.face.defaultDevice
        == BusCall(
          destination: "org.example.Face", path: "/org/example/Face/Manager", interface: "org.example.Face.Manager",
          member: "GetDefaultDevice", arguments: []))
    let claim = SensorClaim(service: Self.face, owner: ":1.9", path: "/org/example/Face/Device/0")
    #expect(claim.call("Claim", "mina").interface == "org.example.Face.Device")
    #expect(claim.matches.last?.contains("arg0='org.example.Face'") == true)
    #expect(
      SensorTrouble(.answered(name: "org.example.Face.Error.AlreadyInUse", text: ""), of: Self.face).state == .busy)
  }

  @Test(arguments: ["net.reactivated.Fprint.Device", "org.example.Face.Manager", "org.example.Face"])
  func `ignores a match of another interface than that of the claimed service`(_ interface: String) {
    let claim = SensorClaim(service: Self.face, owner: ":1.7", path: "/net/reactivated/Fprint/Device/0")
    #expect(claim.meaning(of: Self.status("verify-match", interface: interface)) == nil)
    #expect(claim.meaning(of: Self.status("verify-match", interface: "org.example.Face.Device")) == .touch(.matched))
  }

  @Test func `an error of fprintd means nothing particular from another service`() {
    let error = BusError.answered(name: "net.reactivated.Fprint.Error.NoSuchDevice", text: "")
    #expect(SensorTrouble(error, of: Self.face).state == .failed)
  }

  @Test func `a new owner of fprintd's name does not end a wait for another service`() {
    let claim = SensorClaim(service: Self.face, owner: ":1.7", path: "/x")
    #expect(claim.meaning(of: Self.owner(":1.9")) == nil)
    #expect(claim.meaning(of: Self.owner(":1.9", of: "org.example.Face")) == .end(.serviceGone))
  }

  @Test func `cuts a long text of the service, and removes its control characters`() {
    let trouble = SensorTrouble(.answered(name: "x", text: String(repeating: "é\n", count: 300)), of: .fprintd)
    #expect(trouble.detail?.utf8.count == WireLimit.fingerDetail && trouble.detail?.contains("\n") == false)
  }
}
