#!/bin/bash
# Holds each target's imports against the table of who may know whom. SwiftPM refuses what a target doesn't declare;
# this refuses what it must not even declare.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A allowed=(
    [BioauthCore]=""
    [BioauthWire]="BioauthCore"
    [BioauthSystem]="CLinux CSystemd CGLib Glibc"
    [PAMStacks]=""
    [Diagnosis]="BioauthCore BioauthWire PAMStacks"
    [PAMSetup]="PAMStacks BioauthSystem Glibc"
    [FingerprintReader]="BioauthCore CGLib CFprint CGUsb Glibc"
    [BioauthDaemon]="BioauthCore BioauthWire BioauthSystem Glibc"
    [BioauthClient]="BioauthCore BioauthWire BioauthSystem Glibc"
    [LocalAuthentication]="BioauthClient BioauthWire BioauthCore BioauthSystem Foundation Synchronization"
    [SyntheticFingers]="Glibc"
    [bioauthd]="BioauthCore BioauthDaemon BioauthSystem FingerprintReader Glibc"
    [bioauthctl]="BioauthCore BioauthWire BioauthClient BioauthDaemon BioauthSystem PAMStacks PAMSetup Diagnosis Glibc"
    [bioauth-password]="BioauthCore BioauthWire BioauthSystem PAMStacks CLinux CPam Glibc"
    [bioauth-finger]="SyntheticFingers Glibc"
)
wrong=0
for folder in Sources/*/; do
    target=$(basename "$folder")
    compgen -G "$folder*.swift" > /dev/null || continue
    if [ -z "${allowed[$target]+known}" ]; then
        echo "$target: not in the table of Tests/check-arrows.sh"
        wrong=1
        continue
    fi
    for module in $(sed -nE 's/^(@[a-z]+ )*((public|package|internal|private|fileprivate) )?import (struct |class |enum |func )?([A-Za-z]+).*/\5/p' \
        "$folder"*.swift | sort -u); do
        if [[ " ${allowed[$target]} " != *" $module "* ]]; then
            echo "$target must not import $module:"
            grep -ln "import $module" "$folder"*.swift | sed 's/^/    /'
            wrong=1
        fi
    done
done
for target in BioauthCore BioauthWire PAMStacks Diagnosis; do
    if grep -nE '\bunsafe\b|Unsafe|@unchecked' Sources/$target/*.swift; then
        echo "$target must stay free of unsafe code"
        wrong=1
    fi
done
[ $wrong -eq 0 ] && echo "imports: as the design says"
exit $wrong
