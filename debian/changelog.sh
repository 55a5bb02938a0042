#!/bin/sh
# debian/changelog for a version: the one that BioauthCore tells. What has changed is told by CHANGELOG.md.
#
# usage: debian/changelog.sh VERSION
set -eu
cat <<END
bioauthd ($1) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(git log -1 --format=%aD 2>/dev/null || date -R)
END
