// The launcher: a small bash that forks quickly, whatever the size of the node manager. It reads orders from its standard input
// (fields ended by NUL) and pushes lines to its standard output: `started ID PID`, `exit ID CODE`, `failed ID`.
// Each container has a keeper, a fork of the launcher in a process group of its own, which waits for it and writes the exit code to a
// file first, so that nothing is lost when the launcher or the node manager dies; then it ends the container's process group, which
// needs no fork. What has left the group is looked for by the engine (leftovers.ts). The container itself leads its own session.
// SIGQUIT is ignored in containers, as if blocked: asking for a thread dump must not end programs that cannot give one (below Hadoop's
// JVM the signal is blocked for all children); a JVM installs its own handler all the same.

/**
 * Text of the launcher, run as `bash launcher.sh FOLDER`; FOLDER takes `ID.pid` (a line of /proc/PID/stat and one with the
 * working folder) and `ID.exit`.
 */
export const launcherScript = `#!/bin/bash
set -m
folder=$1
keep() {
  set +m
  exec 3>&1 </dev/null >/dev/null 2>&1
  trap '' QUIT HUP
  id=$1 work=$2 script=$3
  shift 3
  if ! cd -- "$work" || ! export -- "$@"; then
    echo "failed $id" >&3
    exit 1
  fi
  setsid /bin/bash -c '
    trap - HUP
    read -r stat <"/proc/$$/stat"
    printf "%s\\n%s\\n" "$stat" "$PWD" >"$0/$1.pid"
    echo "started $1 $$" >&3
    exec 3>&-
    exec /bin/bash "$2"' "$folder" "$id" "$script"
  code=$?
  echo "$code" >"$folder/$id.exit"
  if read -r pid rest <"$folder/$id.pid"; then kill -KILL -- "-$pid"; fi
  echo "exit $id $code" >&3
}
while IFS= read -r -d '' id; do
  IFS= read -r -d '' work
  IFS= read -r -d '' script
  IFS= read -r -d '' count
  variables=()
  for ((i = 0; i < count; i++)); do
    IFS= read -r -d '' variable || exit 1
    variables+=("$variable")
  done
  keep "$id" "$work" "$script" "\${variables[@]}" &
done
`;
