// The script that makes the place of confined containers (confinement.ts), run by bash in a mount namespace of its own as
// `STAGE [rw|ro|hide|keep PATH]… -- COMMAND…`; it executes the command, without capabilities and where it stood itself.

/**
 * Each path has the access of the nearest one above it that has a mark. Folders that differ from what is above become mounts of their own, by
 * binds to themselves; in the end all mounts that are not writable are made read-only. New mounts still come in where the machine shares them.
 * What leads to a folder that is not writable is a mount, too, so that nothing else can be put into its place.
 * Covers are built in the stage and moved into place, as what stays of a covered folder has to be brought in before.
 * A new /dev leads to no disk and to no terminal of others; /run has the sockets of the machine's managers, who obey whoever has the number of root,
 * and sockets elsewhere to which only their owner may write are covered one by one.
 */
export const confinementScript = `set -eu
here=$PWD stage=$1
shift
grants=() hidden=() kept=()
while [[ $1 != -- ]]; do
  case $1 in
    hide) hidden+=("$2") ;;
    keep) kept+=("$2") ;;
    *) grants+=("$1" "$2") ;;
  esac
  shift 2
done
shift
shopt -s nullglob
declare -A access=([/]=ro [/proc]=rw)
of() {
  at=$1
  while [[ -z \${access[$at]-} ]]; do
    at=\${at%/*}
    at=\${at:-/}
  done
  REPLY=\${access[$at]}
}
pin() {
  [[ -n $1 ]] || return 0
  of "$1"
  [[ $REPLY == rw && $at != "$1" ]] || return 0
  pin "\${1%/*}"
  mount -n --rbind -- "$1" "$1"
  access[$1]=rw
}
grant() {
  [[ -e $2 ]] || return 0
  of "$2"
  [[ $REPLY != "$1" ]] || return 0
  pin "\${2%/*}"
  mount -n -o "rbind,$1" -- "$2" "$2"
  [[ $1 == ro || -w $2 ]] || mount -n -o remount,bind,rw -- "$2"
  access[$2]=$1
}
begin() {
  local path place
  mkdir -- "$stage/new"
  mount -n -t tmpfs -o mode=755,size=1m tmpfs "$stage/new"
  for path in "\${@:2}"; do
    [[ $path == "$1"/* && -e $path ]] || continue
    place=$stage/new\${path#"$1"}
    if [[ -d $path ]]; then mkdir -p -- "$place"; else mkdir -p -- "\${place%/*}" && : >"$place"; fi
    mount -n --rbind -- "$path" "$place"
    of "$path"
    access[$path]=$REPLY
  done
}
finish() {
  mount -n --move -- "$stage/new" "$1"
  rmdir -- "$stage/new"
  access[$1]=hidden
}
for path in /*; do
  case \${path#/} in
    bin | boot | dev | efi | etc | gnu | lib* | lost+found | nix | opt | proc | root | run | sbin | snap | sys | usr | var) ;;
    *) [[ ! -d $path || -L $path ]] || grant rw "$path" ;;
  esac
done
for path in /var/tmp /dev/shm; do [[ -L $path ]] || grant rw "$path"; done
for path in /proc/{acpi,bus,driver,fs,irq,scsi,sys,sysrq-trigger}; do grant ro "$path"; done
for ((next = 0; next < \${#grants[@]}; next += 2)); do grant "\${grants[@]:next:2}"; done
pin "\${stage%/*}"
mount -n -t tmpfs -o mode=700,size=1m tmpfs "$stage"
access[$stage]=hidden
begin /dev /dev/shm
devices=()
for path in /dev/{null,zero,full,random,urandom,tty,dri,kfd,infiniband} /dev/nvidia*; do [[ ! -e $path ]] || devices+=("$path"); done
cp -a -- "\${devices[@]}" "$stage/new"
mkdir "$stage/new/pts"
mount -n -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$stage/new/pts"
ln -s pts/ptmx "$stage/new/ptmx"
ln -s /proc/self/fd "$stage/new/fd"
for path in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/\${path%:*}" "$stage/new/\${path#*:}"; done
finish /dev
access[/dev/pts]=rw
kept+=(/run/{nscd,resolvconf,systemd/resolve,NetworkManager/resolv.conf} "\${!access[@]}")
for path in /run "\${hidden[@]}"; do
  of "$path"
  if [[ $REPLY == hidden || ! -e $path || -L $path ]]; then continue; fi
  pin "\${path%/*}"
  if [[ -d $path ]]; then
    begin "$path" "\${kept[@]}"
    finish "$path"
  else
    mount -n --bind /dev/null "$path"
  fi
done
sockets=()
while read -r _ _ _ _ _ _ _ path; do
  if [[ $path != /* || ! -S $path ]]; then continue; fi
  of "$path"
  [[ $REPLY == hidden ]] || sockets+=("$path")
done </proc/net/unix
if ((\${#sockets[@]} > 0)); then
  while read -r mode path; do
    if (((8#$mode & 2) == 0)); then mount -n --bind /dev/null "$path" || [[ ! -S $path ]]; fi
  done < <(stat -c '%a %n' -- "\${sockets[@]}" 2>/dev/null)
fi
mapfile -t mounts </proc/self/mountinfo
for line in "\${mounts[@]}"; do
  read -r _ _ _ _ point options _ <<<"$line"
  if [[ $options == ro || $options == ro,* ]]; then continue; fi
  printf -v point %b "$point"
  of "$point"
  if [[ $REPLY == rw || ! -e $point ]] || [[ $REPLY == hidden && $at != "$point" ]]; then continue; fi
  mount -n -o remount,bind,ro -- "$point" || ! mountpoint -q -- "$point"
done
cd -- "$here"
exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --clear-groups -- "$@"`;
