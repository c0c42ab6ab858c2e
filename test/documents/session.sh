# One shell, as a reader has it, in the checkout. Reads requests that end with NUL: GRANTED, RUN or STAY and commands, or END, one after the other from
# standard input; answers each with what it printed, NUL, the exit status, NUL.
#
#   means WORD VALUE    (GRANTED) from now on a WORD of the page, an example's id or host, is VALUE here; %n in it counts commands
set -m -o pipefail
cd ~/heddle
declare -A meanings=()
staying=() count=0

means() { meanings[$1]=$2; }
# What is refused shows in the exit status.
curl() { command curl --fail-with-body "$@"; }
# The checkout is installed.
npm() { [ "$1" = ci ] || command npm "$@"; }

end_stays() {
  local at job said status result=0
  for ((at = ${#staying[@]} - 1; at >= 0; at--)); do
    read -r job said <<<"${staying[at]}"
    kill -INT -- "-$job" 2>/dev/null
    wait "$job"
    status=$?
    if [ "$status" -ne 0 ] && [ "$status" -ne 130 ]; then
      echo "ended with $status after Ctrl-C:"
      cat "$said"
      result=$status
    fi
  done
  staying=()
  return "$result"
}

# Runs commands that stay; returns when they say that they are ready, or are followers of what is yet to come.
stay() {
  local commands=$1 job said=/tmp/stays.$count limit=$((SECONDS + 230))
  : >"$said"
  { eval "$commands"; } >"$said" 2>&1 &
  job=$!
  case $commands in
    *--follow* | *" -f"*) ;;
    *)
      until grep -qE '^(Heddle|The .*|heddle: the .*) is ready|until Ctrl-C\.' "$said" || ! kill -0 "$job" 2>/dev/null; do
        if ((SECONDS > limit)); then break; fi
        sleep 0.05
      done
      ;;
  esac
  cat "$said"
  if ((SECONDS > limit)); then return 124; fi
  if ! kill -0 "$job" 2>/dev/null; then
    wait "$job"
    return
  fi
  staying+=("$job $said")
}

while IFS= read -r -d '' request; do
  kind=${request%%$'\n'*}
  commands=${request#*$'\n'}
  if [ "$kind" != GRANTED ]; then
    count=$((count + 1))
    for word in "${!meanings[@]}"; do
      commands=${commands//"$word"/"${meanings[$word]//%n/$count}"}
    done
  fi
  case $kind in
    END) end_stays ;;
    STAY) stay "$commands" ;;
    *) eval "$commands" ;;
  esac </dev/null 2>&1
  printf '\0%d\0' "$?"
done
