// What runs in a container to look at its files: scripts for any POSIX shell, as its user and with nothing but that user's rights. A path
// comes as octal escapes, since names are any bytes. They look at what they opened, not at its name, which may be another file's by then.

/** Why nothing is shown: the first line of what a script writes, where it is not `ok`. */
export type FileRefusal = 'absent' | 'denied' | 'folder' | 'special' | 'no-folder' | 'outside' | 'credentials' | 'no-tools';

/** Parameters: path, the container's folder, then all folders in which things may lie. */
const begin = `LC_ALL=C; export LC_ALL; PATH=$PATH:/usr/bin:/bin
no() { echo "$1"; exit 0; }
path=$(printf '%b.' "$1"); path=\${path%.}; work=$2; shift 2`;

/** `$where` is a path without links: whether that lies in a folder of this container, and is none of its credentials. */
const check = `case $where in
  */.secrets|*/.secrets/*|*/container_tokens|*/appTokens) no credentials;;
esac
inside=
for root; do case $where/ in "$root"/*) inside=1;; esac; done
[ -n "$inside" ] || no outside`;

/** Refuses where a program is not there: its output would be taken for what there is to show. */
const programs = (...names: readonly string[]): string =>
  `for program in ${names.join(' ')}; do command -v "$program" >/dev/null || no no-tools; done`;

/** Entries that are told one by one, where `find` cannot tell them: that takes two programs for each. */
const mostOneByOne = 1000;

/**
 * Lists a folder: seven texts for each entry, then how that ended (`more`: not all are told), each text ended by a zero. Where `find` is not GNU's, or not
 * there, as in small images, `stat` is asked about one after the other.
 */
export const listScript = `${begin}
cd -P -- "$work/$path" 2>/dev/null || {
  [ -d "$work/$path" ] && no denied
  [ -e "$work/$path" ] && no no-folder
  no absent
}
where=$(pwd -P; echo .); where=\${where%
.}
${check}
[ -r . ] || no denied
if find . -maxdepth 0 -printf '' >/dev/null 2>&1; then
  echo ok
  find . -mindepth 1 -maxdepth 1 -printf '%y\\0%Y\\0%s\\0%T@\\0%m\\0%f\\0%l\\0'
  printf '%s\\0' $?
  exit
fi
${programs('stat', 'readlink')}
stat -c '%s %Y %a' . >/dev/null 2>&1 || no no-tools
echo ok
kind() {
  for kind in d f p S b c; do [ "-$kind" "$1" ] && return; done
  kind=?
}
told=0
for entry in ./* ./.[!.]* ./..?*; do
  [ -e "$entry" ] || [ -L "$entry" ] || continue
  [ "$told" -lt ${mostOneByOne} ] || { printf 'more\\0'; exit; }
  facts=$(stat -c '%s %Y %a' "$entry" 2>/dev/null) || continue
  told=$((told + 1)) leads=
  kind "$entry"; there=$kind
  if [ -L "$entry" ]; then kind=l leads=$(readlink "$entry"; echo .); leads=\${leads%
.}; fi
  bytes=\${facts%% *} rest=\${facts#* }
  printf '%s\\0' "$kind" "$there" "$bytes" "\${rest% *}" "\${rest#* }" "\${entry#./}" "$leads"
done
printf '0\\0'`;

/**
 * Reads a file; after the path come offset (below 0: from the end), length and whether to go on as it grows. Nothing is opened that is no file:
 * opening a pipe waits, opening a device may do something.
 */
export const readScript = `offset=$1 length=$2 follow=$3; shift 3
${begin}
file=$work/$path
[ -d "$file" ] && no folder
[ -f "$file" ] || { [ -e "$file" ] && no special; no absent; }
{ command exec 3<"$file"; } 2>/dev/null || no denied
[ -f /proc/self/fd/3 ] || no special
${programs('stat', 'readlink', 'head', 'tail')}
where=$(readlink /proc/self/fd/3; echo .); where=\${where%
.}
${check}
facts=$(stat -L -c '%s %Y' /proc/self/fd/3) || no no-tools
bytes=\${facts%% *}
[ "$offset" -ge 0 ] || offset=$((bytes + offset))
[ "$offset" -ge 0 ] || offset=0
echo "ok $facts $offset"
if [ "$follow" = yes ]; then exec tail -c "+$((offset + 1))" -f <&3
elif [ "$offset" -gt 0 ]; then tail -c "+$((offset + 1))" <&3 | head -c "$length"
else exec head -c "$length" <&3
fi`;

/** Bytes as `printf %b` reads them. */
export const escaped = (bytes: Uint8Array): string => Array.from(bytes, (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
