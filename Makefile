# bioauthd. `make demo` shows it, `make test` tests it; `make help` lists the rest.

SHELL := /bin/bash
BUILD := build
SWIFT_FLAGS := --explicit-target-dependency-import-check error $(if $(CI),-Xswiftc -warnings-as-errors)
# Nothing is looked for beside the program, and nothing that was resolved can be changed.
RELEASE := $(SWIFT_FLAGS) -c release --static-swift-stdlib --disable-local-rpath $(addprefix -Xlinker ,-z relro -z now)
MODULE := $(BUILD)/pam/pam_bioauth.so
# Where `make install` puts things; DESTDIR goes before them.
PREFIX := /usr
MULTIARCH = $(shell dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || gcc -print-multiarch)
PAM_DIR = $(PREFIX)/lib/$(MULTIARCH)/security
VERSION = $(shell sed -n 's/.* version = "\(.*\)"$$/\1/p' Sources/BioauthCore/Release.swift)

.PHONY: help all debug release module words deps demo test month bench fuzz soak check deb system-test install uninstall clean

help:
	@echo 'make demo       show the main job on a virtual reader, changing nothing on the system'
	@echo '                KEEP=1 keeps its daemon running, to be touched by hand'
	@echo 'make test       run every test'
	@echo 'make month      play ten thousand months of trouble to what the daemon decides by'
	@echo '                SEED=N plays that one, event by event'
	@echo 'make soak       play such months to the real daemon for SOAK_SECONDS, an hour by default'
	@echo '                SEED=N plays that one again'
	@echo 'make all        build the release'
	@echo 'make bench      measure, side by side with fprintd'
	@echo 'make fuzz       run the fuzzers, FUZZ_SECONDS each'
	@echo 'make check      formatting, imports, exports, units, help and man pages'
	@echo 'make deb        build the Debian package, in $(BUILD)/deb'
	@echo 'make system-test'
	@echo '                install the package into a Debian of its own, boot that and live with it (as root)'
	@echo 'make install    install below DESTDIR'

all: release module words

# The Debian packages that building and testing need; asks for nothing when they are there.
deps:
	@Tests/install-packages.sh

debug: deps
	swift build $(SWIFT_FLAGS) --build-tests

release: deps
	swift build $(RELEASE) --product bioauthd
	swift build $(RELEASE) --product bioauthctl
	swift build $(RELEASE) --product bioauth-password

module: deps
	$(MAKE) -C pam BUILD=../$(BUILD)/pam $(if $(CI),WERROR=1)

words: deps
	$(MAKE) -C po BUILD=../$(BUILD)/locale

demo: release module words
	swift build $(RELEASE) --product bioauth-finger
	@Tests/Demo/demo.sh "$$(swift build $(RELEASE) --show-bin-path)" $(BUILD)/pam $(BUILD)/locale

test: debug module words month
	@Tests/install-packages.sh hosts
	$(MAKE) -C pam BUILD=../$(BUILD)/pam test $(if $(CI),WERROR=1)
	swift build $(SWIFT_FLAGS) --sanitize thread --scratch-path .build/tsan --product bioauth-evaluate
	swift build --package-path Tests/Example --scratch-path .build/example
	swift test $(SWIFT_FLAGS) --skip-build

month: deps
	swift build $(RELEASE) --product bioauth-month
	"$$(swift build $(RELEASE) --show-bin-path)/bioauth-month" $(SEED)

bench: release module
	swift build $(RELEASE) --product bioauth-bench
	swift build $(RELEASE) --product bioauth-usb
	"$$(swift build $(RELEASE) --show-bin-path)/bioauth-bench" $(BENCH_FLAGS)

FUZZ_SECONDS := 60
fuzz: deps
	$(MAKE) -C pam BUILD=../$(BUILD)/pam fuzz FUZZ_SECONDS=$(FUZZ_SECONDS)
	Tests/Fuzz/run.sh $(FUZZ_SECONDS)

SOAK_SECONDS := 3600
SOAK_JOBS := 2
soak: module
	swift build $(SWIFT_FLAGS) --product bioauth-soak
	"$$(swift build $(SWIFT_FLAGS) --show-bin-path)/bioauth-soak" \
		$(if $(SEED),--seed $(SEED),--seconds $(SOAK_SECONDS) --jobs $(SOAK_JOBS))

check: deps
	Tests/check-arrows.sh
	swift format lint --strict --recursive Package.swift Sources Tests
	$(MAKE) -C pam BUILD=../$(BUILD)/pam check-exports
	Tests/check-units.sh
	Tests/consistency.sh "$$(swift build $(SWIFT_FLAGS) --show-bin-path)"
	Tests/check-docs.sh "$$(swift build $(SWIFT_FLAGS) --show-bin-path)"

# What is built already isn't built again: the package holds what `make all` makes.
deb: deps
	mkdir -p $(BUILD)/deb
	rm -f $(BUILD)/deb/*
	debian/changelog.sh $(VERSION) > debian/changelog
	dpkg-buildpackage --build=binary --no-sign \
		--buildinfo-option=-u$(BUILD)/deb --buildinfo-option=-O$(BUILD)/deb/bioauthd.buildinfo \
		--changes-option=-u$(BUILD)/deb --changes-option=-O$(BUILD)/deb/bioauthd.changes
	lintian --fail-on error,warning $(BUILD)/deb/bioauthd.changes

system-test: deb
	swift build $(SWIFT_FLAGS) --product bioauth-system-test
	Tests/System/run.sh $(BUILD)/deb/bioauthd_*.deb "$$(swift build $(SWIFT_FLAGS) --show-bin-path)/bioauth-system-test" \
		$(BUILD)/system

# Builds nothing, so that root needs no Swift: `make all` first. What an administrator may have changed stays.
install:
	@[ -e $(MODULE) ] && [ -e .build/release/bioauthd ] || { echo 'make all first'; exit 1; }
	install -D -m 755 .build/release/bioauthd $(DESTDIR)$(PREFIX)/sbin/bioauthd
	install -D -m 755 .build/release/bioauth-password $(DESTDIR)$(PREFIX)/libexec/bioauth-password
	install -D -m 755 .build/release/bioauthctl $(DESTDIR)$(PREFIX)/bin/bioauthctl
	[ -e $(DESTDIR)/etc/bioauthd/bioauthd.conf ] || \
		install -D -m 644 Sources/bioauthd/bioauthd.conf $(DESTDIR)/etc/bioauthd/bioauthd.conf
	install -D -m 644 $(MODULE) $(DESTDIR)$(PAM_DIR)/pam_bioauth.so
	[ -e $(DESTDIR)/etc/pam.d/bioauth-password ] || \
		install -D -m 644 pam/bioauth-password.pam $(DESTDIR)/etc/pam.d/bioauth-password
	install -d $(DESTDIR)/lib/systemd/system
	install -m 644 systemd/*.service systemd/*.socket $(DESTDIR)/lib/systemd/system
	install -D -m 644 systemd/bioauthd.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/bioauthd.conf
	install -d $(DESTDIR)$(PREFIX)/share/pam-configs
	install -m 644 pam/profiles/* $(DESTDIR)$(PREFIX)/share/pam-configs
	install -D -m 644 Sources/bioauthctl/bioauthctl.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/bioauthctl
	install -D -m 644 Sources/bioauthctl/_bioauthctl $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_bioauthctl
	for page in Sources/*/*.[1-8] pam/*.8; do \
		install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}; done
	install -D -m 644 $(BUILD)/locale/ko/LC_MESSAGES/bioauthd.mo \
		$(DESTDIR)$(PREFIX)/share/locale/ko/LC_MESSAGES/bioauthd.mo

# Takes out what `make install` put there. Prints, state and a changed configuration stay. A line of PAM without its
# module fails, and perhaps nobody could log in any more: such lines go first.
uninstall:
	@if grep -Hn '^[^#]*pam_bioauth' $(DESTDIR)/etc/pam.d/* 2>/dev/null; then echo 'take these lines out first'; exit 1; fi
	rm -f $(DESTDIR)$(PREFIX)/sbin/bioauthd $(DESTDIR)$(PREFIX)/libexec/bioauth-password \
		$(DESTDIR)$(PREFIX)/bin/bioauthctl $(DESTDIR)$(PAM_DIR)/pam_bioauth.so \
		$(DESTDIR)/lib/systemd/system/bioauth{d,-password,-password@}.{service,socket} \
		$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/bioauthd.conf $(DESTDIR)$(PREFIX)/share/pam-configs/bioauth{,-report} \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/bioauthctl \
		$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_bioauthctl \
		$(DESTDIR)$(PREFIX)/share/man/man*/{bioauth*,pam_bioauth*} \
		$(DESTDIR)$(PREFIX)/share/locale/ko/LC_MESSAGES/bioauthd.mo
	if cmp -s Sources/bioauthd/bioauthd.conf $(DESTDIR)/etc/bioauthd/bioauthd.conf; then \
		rm $(DESTDIR)/etc/bioauthd/bioauthd.conf; fi
	if cmp -s pam/bioauth-password.pam $(DESTDIR)/etc/pam.d/bioauth-password; then \
		rm $(DESTDIR)/etc/pam.d/bioauth-password; fi

clean:
	rm -rf $(BUILD) .build
