#!/bin/bash
# Whether each symbol that the documentation of LocalAuthentication names is one of the module's: check-docs.sh DIRECTORY
#   DIRECTORY  where the module was built, .build/debug
# Says so, and ends with 0, where the toolchain has no docc.
set -euo pipefail
cd "$(dirname "$0")/.."
built=$(realpath "${1:?usage: check-docs.sh DIRECTORY}")
bin=$(dirname "$(realpath "$(command -v swiftc)")")
for tool in docc swift-symbolgraph-extract; do
    [ -x "$bin/$tool" ] || { echo "documentation: not checked, as there is no $tool"; exit 0; }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/graphs"
read -ra flags < <(pkg-config --cflags-only-I gio-2.0 libsystemd)
maps=$(find "$built" -maxdepth 2 -path '*CLinux.build/module.modulemap')
"$bin/swift-symbolgraph-extract" -module-name LocalAuthentication -target "$(uname -m)-unknown-linux-gnu" -I "$built/Modules" \
    -minimum-access-level public -skip-inherited-docs -output-dir "$scratch/graphs" "${flags[@]}" \
    ${maps:+-Xcc "-fmodule-map-file=$maps"} -Xcc "-fmodule-map-file=$PWD/Sources/CGLib/module.modulemap" \
    -Xcc "-fmodule-map-file=$PWD/Sources/CSystemd/module.modulemap"
"$bin/docc" convert Sources/LocalAuthentication/LocalAuthentication.docc --warnings-as-errors \
    --fallback-display-name LocalAuthentication --fallback-bundle-identifier LocalAuthentication \
    --additional-symbol-graph-dir "$scratch/graphs" --output-path "$scratch/archive" > "$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}
echo 'documentation: every symbol that it names is there'
