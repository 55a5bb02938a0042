#!/bin/sh
# Fuzzes the Swift codec, and what reads and changes PAM's files, under the address sanitizer: run.sh SECONDS (of each)
# Fails on a finding; the bytes that led to it stay in the build directory (BUILD, or .build/fuzz).
#
# Swift has no undefined-behaviour sanitizer on Linux. What such a one finds traps by itself, optimised or not:
# overflow, an index out of range, a number that doesn't fit, nil.
set -eu

seconds=${1:?usage: run.sh SECONDS}
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/.build/fuzz}
mkdir -p "$build/corpus" "$build/seeds" "$build/pam-corpus"
cd "$build"

# The counters that guide the fuzzer must be in every module.
compile() {
    swiftc -O -swift-version 6 -parse-as-library -sanitize=fuzzer,address -I . -L . "$@"
}
compile -module-name BioauthCore -emit-module -emit-library -static -o libBioauthCore.a "$root"/Sources/BioauthCore/*.swift
compile -module-name BioauthWire -emit-module -emit-library -static -o libBioauthWire.a "$root"/Sources/BioauthWire/*.swift
# The linker warns of each local symbol of the sanitizer's: shown only when it fails.
compile "$root/Tests/Fuzz/WireFuzz.swift" -lBioauthWire -lBioauthCore -o wire-fuzz 2>link.log || { cat link.log >&2; exit 1; }

compile -module-name PAMStacks -emit-module -emit-library -static -o libPAMStacks.a "$root"/Sources/PAMStacks/*.swift
compile "$root/Tests/Fuzz/PAMFuzz.swift" -lPAMStacks -o pam-fuzz 2>link.log || { cat link.log >&2; exit 1; }

# What it starts from: a name and the bytes in hex, between bars.
perl -ne 'next if /^#/ or !/\|/; my ($name, $hex) = split /\s*\|\s*/; $hex =~ s/\s//g;
    open(my $seed, ">:raw", "seeds/$name") or die $!; print $seed pack("H*", $hex)' \
    "$root/Tests/BioauthWireTests/golden.txt" "$root/Tests/Fuzz/seeds.txt"

# The fuzzer reports a crash by itself; Swift's backtracer would only hold it up.
export SWIFT_BACKTRACE=enable=no
./wire-fuzz -max_len=4200 -timeout=5 -max_total_time="$seconds" -print_final_stats=1 corpus seeds
./pam-fuzz -max_len=2000 -timeout=20 -max_total_time="$seconds" -print_final_stats=1 pam-corpus "$root/Tests/Fuzz/pam-seeds"
