// The launcher: a small bash that forks quickly, whatever the size of the node manager. It reads orders from its standard input
// (fields ended by NUL) and pushes lines to its standard output: `ready`, once, then `started NAME PID`, `exit NAME CODE`, `failed NAME`. Until it is
// ready its standard error tells why it, or what stands before it, cannot be.
// Each container has a keeper, a fork of the launcher in a process group of its own, which waits for it and writes the exit code to a
// file first, so that nothing is lost when the launcher or the node manager dies; then it ends the container's process group, which
// needs no fork. What has left the group is looked for by the engine (leftovers.ts), also by its working folder, so the keeper stays outside
// the container's. The container itself leads its own session.
// Before its command is executed it enters its control groups, writes its pid file, and claims its start: it makes a file in the folder of
// its launcher's orders. Whoever renames that folder (container-files.ts) takes from all orders that were not claimed yet the right to
// be carried out, wherever they are: in a pipe, in a launcher or a keeper that stands still. A pid file without a claim means nothing.
// SIGQUIT is ignored in containers, as if blocked: asking for a thread dump must not end programs that cannot give one (below Hadoop's
// JVM the signal is blocked for all children); a JVM installs its own handler all the same. The keeper outlives SIGHUP by a handler: what is
// ignored would be ignored in the container too.
// Descriptor 9, where there is one, is kept by launcher and keepers alone (concealment.ts).
// The node manager that listened may be dead: launcher and containers start all the same (SIGPIPE).
// A script for bash is read by the shell that is there: each shell that is started costs as much as all the rest of a start. It finds
// itself as if it had been started: its name as $0, no parameters.
// Variables of an order may have any name: before they are exported the launcher's own go (an array cannot be exported), and once they are
// only positional parameters are read.

/** An order to the launcher. */
export interface LauncherOrder {
  /** Names this start of a container; no two have the same. */
  readonly name: string;
  readonly workFolder: string;
  /** What is executed, after `setsid`, as the user of the launcher. `.` and a file: a script for bash, which is read by the shell that is there already. */
  readonly command: readonly string[];
  /** Files to which the first process writes its number before the command is executed (control groups). */
  readonly joins: readonly string[];
  /** `NAME=value`, exported before the command is executed. */
  readonly variables: readonly string[];
  /** Standard input of the command; empty: none. */
  readonly input: string;
}

/** The order as the launcher reads it. */
export function launcherFields(order: LauncherOrder): string {
  const lists = [order.joins, order.command, order.variables].flatMap((list) => [String(list.length), ...list]);
  return [order.name, order.workFolder, order.input, ...lists].map((field) => `${field}\0`).join('');
}

/**
 * Text of the launcher, run as `bash launcher.sh FOLDER GENERATION`; FOLDER takes `NAME.pid` (a line of /proc/PID/stat and one with the
 * working folder) and `NAME.exit`, its folder `orders.GENERATION` the claims, `NAME`, and `launcher`, the launcher's line of /proc/PID/stat.
 */
export const launcherScript = `#!/bin/bash
set -m
give() {
  unset -v id work input joins command variables fields field
  (($# == 0)) || export -- "$@"
}
keep() {
  set +m
  exec 3>&1 </dev/null >/dev/null 2>&1
  trap '' QUIT
  trap : HUP
  if [[ -n $input ]]; then exec <<<"$input"; fi
  set -- "$1" "$2" "$id" "$work" "\${#joins[@]}" "\${joins[@]}" "\${command[@]}"
  if ! give "\${variables[@]}"; then
    echo "failed $3" >&3
    exit 1
  fi
  setsid /bin/bash -c '
    cd -- "$3" || exit
    set -- "$1" "$2" "\${@:4}"
    while (($3 > 0)); do
      echo $$ >"$4" || exit
      set -- "$1" "$2" $(($3 - 1)) "\${@:5}"
    done
    note() {
      local REPLY
      read -r <"/proc/$$/stat"
      printf "%s\\n%s\\n" "$REPLY" "$PWD" >"$1"
    }
    note "$0/$2.pid" || exit
    set -C
    : >"$0/orders.$1/$2" || exit
    set +C
    trap "" PIPE
    echo "started $2 $$" >&3
    trap - PIPE
    exec 3>&-
    if [[ $4 == . ]]; then
      [[ -r $5 ]] || exit 127
      unset -f note
      eval "BASH_ARGV0=\${5@Q}; unset BASH_ARGV0; set --; . \${5@Q}"
      exit
    fi
    exec "\${@:4}"' "$@" 9<&-
  set -- "$1" "$2" "$3" "$?"
  if ! [[ -e $1/orders.$2/$3 || -e $1/fenced.$2/$3 ]] || ! read -r <"$1/$3.pid"; then
    echo "failed $3" >&3
    exit 1
  fi
  echo "$4" >"$1/$3.exit"
  kill -KILL -- "-\${REPLY%% *}"
  echo "exit $3 $4" >&3
}
list() {
  local count
  IFS= read -r -d '' count
  fields=()
  while ((\${#fields[@]} < count)); do
    IFS= read -r -d '' field || exit 1
    fields+=("$field")
  done
}
[[ -d $1/orders.$2 ]] || exit
read -r <"/proc/$$/stat" && echo "$REPLY" >"$1/orders.$2/launcher"
exec 2>/dev/null
trap '' PIPE
echo ready
trap - PIPE
while IFS= read -r -d '' id; do
  IFS= read -r -d '' work
  IFS= read -r -d '' input
  list; joins=("\${fields[@]}")
  list; command=("\${fields[@]}")
  list; variables=("\${fields[@]}")
  keep "$1" "$2" &
done
`;
