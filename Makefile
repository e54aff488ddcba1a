# Everything this project is built, tried and installed with. `make help` lists it.
#
#   PREFIX=/usr      where the programs go; part of the module, so `make build` and `make install` need the same
#   DESTDIR=         put before every path by `make install`, for packages
#   PAMDIR, UNITDIR  where PAM modules and systemd units go: scripts/stage.sh asks the compiler, which `make deps` may install
#   DIST=trixie      in that release of Debian instead of the machine's own: scripts/dist.sh

PREFIX ?= /usr
DESTDIR ?=
SWIFT ?= swift

# Another release of Debian makes the same targets: there DIST is its own.
ifneq ($(strip $(DIST)),)
ifneq ($(DIST),$(shell sed -n 's/^VERSION_CODENAME=//p' /etc/os-release))
ELSEWHERE := yes
endif
endif

ifdef ELSEWHERE
.PHONY: elsewhere $(MAKECMDGOALS)
elsewhere:
	@scripts/dist.sh '$(DIST)' $(MAKE) --no-print-directory DIST= $(MAKECMDGOALS)
$(MAKECMDGOALS): elsewhere
else

export PREFIX PAMDIR UNITDIR SWIFT

# Not the folder Server, which has a .build of its own.
IN_SWIFT := Package.swift Sources Tests $(addprefix Server/,Package.swift Sources Tests)

# The tests of the client's package, and those of the server's with the whole logins.
BUILD_TESTS := $(SWIFT) build --build-tests && $(SWIFT) build --package-path Server --build-tests

# Tests make users, sockets and PAM conversations that only root may.
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo -E env "PATH=$$PATH")

.PHONY: help deps build demo test test-reproducible test-system test-fleet test-console test-devices test-fingerprint test-face
.PHONY: test-confinement test-desktop test-vm test-webauthn test-directory test-provisioning lint-ansible
.PHONY: attack attack-table proofs test-machines bench fuzz coverage test-fuzzers deb release test-packages install clean fmt lint

help:
	@echo 'make demo     install what is missing, build, and show a login being decided by a server'
	@echo 'make test     every test and rule check; needs root or sudo'
	@echo 'make test-system  log in through sudo, sshd, login, su and a locker, in namespaces; needs root or sudo'
	@echo 'make test-fleet  kill each part of a server of many machines under logins, in namespaces; ROWS=quick four minutes of it'
	@echo 'make test-console  every page of the server'\''s console in Chromium, and hostile visitors, in namespaces; ROWS=... some'
	@echo 'make test-directory  the people of a slapd in a server'\''s store, in namespaces; ROWS=... some of it'
	@echo 'make test-devices  log in on a machine whose key a TPM holds, and do to it what can happen; in namespaces; needs root or sudo'
	@echo 'make test-desktop  log in at greeters and lockers, and with gnome-keyring and KWallet behind the module, in namespaces; ROWS=... some'
	@echo 'make test-fingerprint  log in by fprintd'\''s virtual sensor, in namespaces; ROWS=... some of it'
	@echo 'make test-face      log in by passcode and face, on a face service of the tests, in namespaces; ROWS=... some of it'
	@echo 'make test-webauthn  servers of others that speak WebAuthn, started and tried, in namespaces; ROWS=quick the two small ones'
	@echo 'make test-provisioning  accounts as identity providers send them by SCIM, on SQLite and PostgreSQL, in namespaces; ROWS=... some'
	@echo 'make test-confinement  have AppArmor and SELinux read the policies for our programs'
	@echo 'make test-vm  a Debian with its own kernel in an emulator: AppArmor, and whatever else namespaces cannot show; ROWS=... some'
	@echo 'make test-machines  a server and workstations on one network: they join, log in and leave; in namespaces; needs root'
	@echo 'make attack   attack what was built, through real hosts, and print the table; BASELINE=1 pam_faillock beside it'
	@echo 'make attack-table  write the table of the last complete attack into SECURITY.md'
	@echo 'make proofs   have Spin check the models of the attempt ledger and of a failover, and find what breaks them'
	@echo 'make bench    time logins, side by side, medians; BESIDE=CHECKOUT this build beside that one; needs root'
	@echo 'make fuzz     ten minutes of a fuzzer for each reader, the module and the core'
	@echo 'make coverage  count how many lines of each reader the seeds of its fuzzer reach'
	@echo 'make test-fuzzers  put the fuzzers together as OSS-Fuzz takes them, and try each; SECONDS_EACH=60 longer'
	@echo 'make build    release programs and the module into build/stage'
	@echo 'make deb      Debian packages of the same, in build/packages; lintian has looked at them'
	@echo 'make release  packages for both releases of Debian, sources and a repository for apt, signed: KEY=PATH, REPOSITORY_KEY=FINGERPRINT'
	@echo 'make test-packages  install, upgrade, remove and purge them in a Debian of their own; needs root'
	@echo 'make test-reproducible  build the packages a second time in another folder, and compare every byte'
	@echo 'make install  copy build/stage to DESTDIR (default /)'
	@echo 'make deps     install the packages building and testing need'
	@echo 'make fmt      format Swift, C, Python and shell'
	@echo 'make lint     check their format, and what linters find'
	@echo 'make lint-ansible  build the Ansible collection, and have ansible-lint read it'
	@echo 'make clean    remove what was built'
	@echo 'DIST=trixie or DIST=bookworm: the same in that release of Debian, in namespaces; needs root or sudo'

deps:
	scripts/deps.sh

build:
	scripts/stage.sh

demo: deps
	scripts/stage.sh
	scripts/demo.sh

# CI begins the second build and the fuzzers only up to these minutes of its run (scripts/in-time.sh).
test: deps
	scripts/stage.sh
	scripts/together.sh 'make -C cshim test analyze && scripts/check.sh' 'scripts/in-time.sh 21 scripts/reproducible.sh core'
	scripts/together.sh 'scripts/in-time.sh 22 scripts/fuzz.sh && scripts/postgresql.sh bin && $(BUILD_TESTS)' scripts/attack.sh
	$(AS_ROOT) env SWIFT=$(SWIFT) scripts/swift-test.sh
	$(AS_ROOT) env ROUNDS=1 scripts/bench.py derivation
	$(AS_ROOT) scripts/in-time.sh 45 scripts/bench.py counts

test-system: deps
	scripts/stage.sh --if-older
	scripts/system.sh $(ROWS)
	$(if $(ROWS),,scripts/packages.sh)

test-fleet: deps
	scripts/stage.sh --if-older
	scripts/fleet.sh $(ROWS)

test-console: deps
	scripts/stage.sh --if-older
	scripts/console.sh $(ROWS)

test-directory: deps
	scripts/stage.sh --if-older
	scripts/directory.sh $(ROWS)

test-confinement:
	scripts/confinement.sh

test-vm: deps
	scripts/vm.sh $(ROWS)

test-devices: deps
	scripts/stage.sh --if-older
	scripts/devices.sh $(ROWS)

test-fingerprint: deps
	scripts/stage.sh --if-older
	scripts/fingerprint.sh $(ROWS)

test-face: deps
	scripts/stage.sh --if-older
	scripts/face.sh $(ROWS)

test-desktop: deps
	scripts/stage.sh --if-older
	scripts/desktop.sh $(ROWS)

test-webauthn: deps
	scripts/stage.sh --if-older
	scripts/webauthn.sh $(ROWS)

test-provisioning: deps
	scripts/stage.sh --if-older
	scripts/provisioning.sh $(ROWS)

attack: deps
	scripts/stage.sh
	scripts/attack.sh $(ROWS)

attack-table:
	PYTHONPATH=Tests/Acceptance PYTHONDONTWRITEBYTECODE=1 python3 -m attack.document

proofs: deps
	scripts/proofs.sh

bench: deps
	scripts/stage.sh
	$(AS_ROOT) scripts/bench.py $(if $(BESIDE),builds "$(BESIDE)")
	$(if $(BESIDE),,$(AS_ROOT) scripts/bench.py server $(STORE))
	$(if $(BESIDE),,$(AS_ROOT) scripts/bench.py morning $(STORE))

fuzz:
	SECONDS_EACH=600 scripts/fuzz.sh

coverage:
	@PYTHONDONTWRITEBYTECODE=1 scripts/coverage.py

test-fuzzers:
	scripts/deps.sh file unzip zip
	scripts/oss-fuzz.sh

deb:
	scripts/deb.sh

# DISTS='bookworm' for one release of Debian alone.
release:
	@PYTHONDONTWRITEBYTECODE=1 scripts/make_release.py '$(KEY)' '$(REPOSITORY_KEY)' $(DISTS)

test-reproducible: deps
	scripts/reproducible.sh

test-packages:
	scripts/packages.sh $(ROWS)

test-machines: deps
	scripts/stage.sh --if-older
	scripts/machines.sh $(ROWS)

install:
	scripts/install.sh '$(DESTDIR)'

clean:
	rm -rf build
	$(SWIFT) package clean
	$(SWIFT) package --package-path Server clean

fmt:
	$(SWIFT) format --in-place --recursive $(IN_SWIFT)
	scripts/check/linters.sh
	scripts/check/lint.py --fix

lint:
	$(SWIFT) format lint --strict --recursive $(IN_SWIFT)
	scripts/check/linters.sh
	scripts/check/lint.py

lint-ansible:
	scripts/ansible.sh
endif
