// Mistakes that are easily overlooked in stacks with the module: arguments of removed lines, one line of a pair, includes of
// missing files, and a second way in that nobody can use.

import PAMStacks
import UAFConfiguration
import Wording

extension PAMCheck {
  /// Single lines of a service, with what it includes.
  func lineFindings(_ service: String, _ lines: [PAMLine]) -> [Finding] {
    let own = lines.filter(\.asksOwnModule)
    let file = "\(directory)/\(service)"
    var findings: [Finding] = []
    if own.contains(where: { $0.arguments.contains("nouserok") }) {
      findings.append(
        hidesState(service)
          ? .warning(.pamNouserokHidden, PAMNameText.hidden(service: file))
          : .warning(.pamNouserok, PAMLineText.nouserok(file: file)))
    }
    if mayFindStale(own), !own.contains(where: { $0.group == "password" }) {
      findings.append(.warning(.pamNoPasswordLine, PAMLineText.noPasswordLine(file: file)))
    }
    return findings + accountFindings(service, lines)
  }

  /// Arguments that the core refuses, or that the module never looks at and that do not do what was meant.
  func argumentFindings(_ service: String, _ folder: PAMDirectory) -> [Finding] {
    ["auth", "account", "password"].flatMap { group in
      folder.entries(of: service, in: group).filter(\.line.asksOwnModule).compactMap { entry in
        // What is wrong about account_check has a finding of its own.
        guard let error = objection(to: entry.line.arguments, service), error.argument != "account_check"
        else { return nil }
        let place = "\(entry.place.path):\(entry.place.line)"
        let isRead = group != "account" || Self.checksAccounts(entry.line)
        return .failure(.pamArgument, PAMNameText.argument(place: place, problem: "\(error)", isRead: isRead))
      }
    }
  }

  private func objection(to arguments: [String], _ service: String) -> ConfigurationError? {
    do throws(ConfigurationError) {
      return contradiction(try ModuleArguments(parsing: arguments), service)
    } catch { return error }
  }

  /// Services that include a missing stack of ours: libpam then refuses everybody.
  func includes(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    services.compactMap { service in
      let missing = folder.inclusions(of: service).first {
        $0.hasPrefix(PAMService.prefix) && folder.bytes(of: $0) == nil
      }
      return missing.map {
        .failure(
          .pamInclude, PAMLineText.include(file: "\(directory)/\(service)", service: service, stack: $0))
      }
    }
  }

  /// Stacks that their service no longer includes: it asks only for the password, and nobody may have noticed.
  func unusedStacks(_ folder: PAMDirectory) -> [Finding] {
    (StackList(reader: folder).entries() ?? []).filter { $0.origin == .unused }.map { entry in
      let service = String(entry.name.dropFirst(PAMService.prefix.count))
      return .warning(
        .pamUnusedStack,
        PAMLineText.unusedStack(file: "\(directory)/\(service)", service: service, stack: entry.name))
    }
  }

  /// Files that Windows has written: libpam looks for modules whose names end with a carriage return, and refuses.
  func carriageReturns(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    services.compactMap { service in
      folder.carriageReturn(in: service).map {
        .failure(.pamCarriageReturn, PAMLineText.carriageReturn(file: "\(directory)/\(service)", line: $0))
      }
    }
  }

  /// Files that versions of libpam read differently: an update may change who gets in.
  func twoReadings(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    services.compactMap { service in
      folder.parting(of: service).map {
        .warning(.pamTwoReadings, PAMLineText.twoReadings(file: "\(directory)/\(service)", line: $0))
      }
    }
  }

  /// Programs that ask for the passcode by one name and not by another, polkit beside sudo, and further services that do not
  /// ask for it.
  func otherDoors() -> [Finding] {
    let doors = ServiceDoors(folder: directory, vendors: vendorFolders, sudo: sudo)
    let members = doors.openMembers().map { member in
      Finding.warning(
        .pamOtherName,
        PAMLineText.otherName(file: "\(directory)/\(member.name)", service: member.name, asking: member.asking))
    }
    let sudo = [doors.openSudo()].compactMap(\.self).map { service in
      Finding.failure(.pamSudoService, PAMNameText.sudoService(service: ShownText.line(service)))
    }
    let asked = doors.askedBySudo().map { Finding.ok(PAMNameText.sudoAsks($0)) }
    let polkit = doors.openPolkit().map { member in
      Finding.warning(.pamPolkit, PAMNameText.polkit(service: member.name, asking: member.asking))
    }
    let others = doors.openOthers()
    let named = others.isEmpty ? [] : [Finding.ok(PAMLineText.openOthers(others))]
    return members + sudo + asked + [polkit].compactMap(\.self) + named
  }

  /// pam-auth-update's profile, which is a choice for every service at once.
  func profile(_ folder: PAMDirectory) -> [Finding] {
    guard folder.ownLines(of: "common-auth").contains(where: \.asksOwnModule) else { return [] }
    return [.warning(.pamProfile, PAMLineText.profile)]
  }

  /// Whether anybody can use the second way in, where stacks have it.
  func rescue(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    let group = WayIn.rescueGroup
    guard services.contains(where: { StackReading(folder.entries(of: $0, in: "auth")).leadsRescuersPast })
    else { return [] }
    guard let members = passwords.members(ofGroup: group) else {
      return [.warning(.rescueGroup, RescueText.noGroup)]
    }
    guard !members.isEmpty else {
      return [.warning(.rescueGroup, RescueText.nobody)]
    }
    guard isRoot else { return [.skipped(RescueText.closed)] }
    let unusable = members.filter { passwords.password(of: $0) != .usable }
    guard unusable.isEmpty else {
      return unusable.map { .warning(.rescuePassword, RescueText.noPassword(ShownText.line($0))) }
    }
    return [.ok(RescueText.fine(members.map(ShownText.line)))]
  }
}
