#!/bin/sh
# Runs a command of Swift 6 on a Linux that has none, as root: it comes from Debian 13, into a folder
# that is made once (2.7 GB, some minutes) by mmdebstrap (`apt-get install mmdebstrap`).
#
#     sdk/apple/tools/debian_swift.sh FOLDER swift test --package-path sdk/apple
set -eu
folder=$(realpath -m "$1")
shift
if [ ! -e "$folder/ready" ]; then
  mmdebstrap --mode=root --variant=apt --include=swiftlang,libc6-dev,libstdc++-14-dev,git,ca-certificates \
    trixie "$folder" http://deb.debian.org/debian >&2
  touch "$folder/ready"
fi

# The folders that the command works on are those of this system.
export FOLDER="$folder" HERE="$(pwd)"
exec unshare --mount sh -eu -c '
  for place in "/$(echo "$HERE" | cut -d/ -f2)" /tmp; do
    mkdir -p "$FOLDER$place"
    mount --rbind "$place" "$FOLDER$place"
  done
  mount -t proc proc "$FOLDER/proc"
  exec chroot "$FOLDER" /usr/bin/env PATH=/usr/libexec/swift/bin:/usr/bin:/bin sh -c "cd \"\$HERE\" && exec \"\$@\"" sh "$@"
' sh "$@"
