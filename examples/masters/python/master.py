#!/usr/bin/env python3
"""Runs a command in some containers: a master of Heddle in Python, with the standard library alone.

    python3 master.py COUNT COMMAND...

It finds the resource manager, its attempt and its token in its environment. What it may rely on: docs/operate/masters.md.
"""
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

RETRIES = 3  # how many containers may fail
ASK = "work"


class Refused(Exception):
    """The resource manager says no; asking again does not help."""


def call(path, body):
    """One call of the master protocol. While nobody answers, the same call is sent again: that changes nothing."""
    base = os.environ["HEDDLE_RESOURCE_MANAGER"]
    attempt = os.environ["HEDDLE_ATTEMPT_ID"]
    with open(os.environ["HEDDLE_ATTEMPT_TOKEN_FILE"]) as file:
        token = file.read().strip()
    request = urllib.request.Request(
        f"{base}/api/v1/attempts/{attempt}/{path}",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    while True:
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise Refused(f"{path}: {error.code} {error.read().decode()}") from error
        except OSError:
            pass  # Not there, or no longer: it comes back.
        time.sleep(1)


def register():
    """Registers. Another name each time; a repetition of the same call has the same one."""
    return call("register", {"host": "localhost", "rpcPort": -1, "registrationId": str(uuid.uuid4())})


def run(count, command):
    """Returns whether `count` containers ran the command with success."""
    answer = register()
    response_id, running = answer["responseId"], {one["containerId"] for one in answer["runningContainers"]}
    succeeded = failed = 0
    asks = True  # whether the number of open requests has to be said (again)
    while succeeded < count and failed <= RETRIES:
        body = {"responseId": response_id, "progress": 100 * succeeded / count}
        if asks:
            body["asks"] = [{
                "askId": ASK,
                "count": count - succeeded - len(running),
                "resource": {"memoryMiB": 128, "vcores": 1},
                "launch": {"commands": [f"{command} 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr"]},
            }]
        answer = call("allocate?wait=30000", body)
        if answer.get("command") == "shutdown":
            raise Refused("the attempt is over")
        if answer.get("command") == "resync":
            # The resource manager was started anew: what is listed runs, or its end is told next; the rest is asked for again.
            again = register()
            response_id, running = again["responseId"], {one["containerId"] for one in again["runningContainers"]}
            asks = True
            continue
        asks, response_id = False, answer["responseId"]
        running.update(one["containerId"] for one in answer["allocations"])
        for one in answer["completed"]:
            running.discard(one["containerId"])
            print(f"{one['containerId']} ended with {one['exitCode']} {one['diagnostics']}", flush=True)
            if one["exitCode"] == 0:
                succeeded += 1
            else:
                failed += 1
                asks = True
    return succeeded >= count


def main():
    count, command = int(sys.argv[1]), " ".join(sys.argv[2:])
    ok = run(count, command)
    call("finish", {"finalStatus": "SUCCEEDED" if ok else "FAILED", "diagnostics": "" if ok else "too many containers failed"})
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
