#!/usr/bin/env bash
# A machine for one page: network, processes and files of its own, in which nothing outlives this script and nothing touches this machine.
# The checkout lies at ~/heddle, ada is who reads. Usage: unshare --net --mount --uts --ipc --pid --fork --kill-child bash box.sh CHECKOUT FOLDER CACHE
# FOLDER is an empty one to mount on, CACHE keeps compiled code for all pages. Standard input and output: session.sh.
set -euo pipefail
checkout=$1 folder=$2 cache=$3
reader=61000
home=/home/ada

ip link set lo up
hostname workstation
mount -t tmpfs tmpfs "$folder"
cd "$folder"
mkdir root upper work upper-checkout work-checkout
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" root
mount --rbind /dev root/dev
mount --rbind /sys root/sys
mount -t proc proc root/proc
for own in tmp run home; do
  mkdir -p "root/$own"
  mount -t tmpfs tmpfs "root/$own"
done
chmod 1777 root/tmp
mkdir -p root$home/heddle root$home/bin root/home/compiled root/backups
mount -t overlay overlay -o "lowerdir=$checkout,upperdir=$folder/upper-checkout,workdir=$folder/work-checkout" root$home/heddle
mount --bind "$cache" root/home/compiled
printf '127.0.0.1 localhost workstation\n' >root/etc/hosts
printf 'ada:x:%d:%d::%s:/bin/bash\n' "$reader" "$reader" "$home" >>root/etc/passwd
printf 'ada:x:%d:\n' "$reader" >>root/etc/group
cat >root$home/bin/heddle <<'HEDDLE'
#!/bin/sh
own=$(dirname "$0")/../heddle
exec "$own/node_modules/node/bin/node" "$own/bin/heddle.js" "$@"
HEDDLE
chmod 755 root$home/bin/heddle
rm -rf root/var/lib/heddle root/srv/heddle
mkdir -p root/var/lib/heddle root/srv/heddle
cp "$checkout/test/documents/session.sh" root/home/session.sh
chown "$reader:$reader" root$home root$home/heddle root$home/bin root/home/compiled root/backups root/var/lib/heddle root/srv/heddle
cd /
# Not exec: who becomes another user loses the signal that its parent is dead, and with this process all others of the box end.
chroot "$folder/root" setpriv --reuid "$reader" --regid "$reader" --clear-groups --inh-caps=-all \
  env -i HOME=$home USER=ada LOGNAME=ada LANG=C.UTF-8 "PATH=$home/bin:/usr/local/bin:/usr/bin:/bin:$(dirname "$(command -v npm)")" NODE_COMPILE_CACHE=/home/compiled \
  bash /home/session.sh
