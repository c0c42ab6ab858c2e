"""The client: what the interface offers (`_operations.py`), and what takes more than one request."""

from __future__ import annotations

import json
import re
import ssl
import time
import uuid
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Sequence, cast

from . import types
from ._operations import Operations
from ._transport import LOST, HeddleError, QueryValue, Transport, is_passing, part

# An event as a plain dict: id, kind, time, and what its kind tells; or {"kind": "gap"}: events before the next are forgotten.
ToldEvent = Dict[str, Any]

_FINAL = frozenset(("FINISHED", "FAILED", "KILLED"))
_POLL_MS = 30_000
# The server writes something every 15 s.
_SILENT_S = 45.0
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 5.0


class Submitted(NamedTuple):
    """What a submission came to. ``replayed``: it was taken before, under the same key."""

    id: str
    replayed: bool


class Client(Operations):
    """Calls a resource manager. Every method raises HeddleError for a refusal, and Unreachable where nobody answered for long.

    ``url``: default HEDDLE_CLUSTER, else http://localhost:8088. ``user``: the name sent where authentication is simple; default
    HADOOP_USER_NAME, else who runs this. ``token``, ``token_file``: a bearer token, or a file of its owner's alone with one (default
    HEDDLE_TOKEN_FILE), read for each request. ``do_as``: in whose name a proxy user calls. ``patience``: seconds of pauses in which
    calls that may come twice are repeated. ``timeout``: seconds without an answer after which a connection is given up. ``tls``:
    which certificates are believed.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        user: Optional[str] = None,
        token: Optional[str] = None,
        token_file: Optional[str] = None,
        do_as: Optional[str] = None,
        patience: float = 60.0,
        timeout: float = 90.0,
        tls: Optional[ssl.SSLContext] = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(Transport(url, user, token, token_file, do_as, patience, timeout, tls, pause))

    def submit(self, submission: types.Submission, *, key: Optional[str] = None) -> Submitted:
        """Submits once, however often it has to be sent: under ``key``, or one of its own. Returns when the submission is durable."""
        answer = self._transport.send(
            "POST", "/api/v1/applications", headers={"Idempotency-Key": key or str(uuid.uuid4())}, body=submission, repeatable=True
        )
        return Submitted(answer.json()["id"], answer.headers.get("Idempotency-Replayed") == "true")

    def try_submission(self, submission: types.Submission) -> types.TriedSubmission:
        """What a submission would come to now: its queue and sizes, where each container would go or why it would wait. Nothing is submitted."""
        answer = self._transport.send(
            "POST", "/api/v1/applications", query={"dryRun": "true"}, body=submission, repeatable=True
        )
        return cast(types.TriedSubmission, answer.json())

    def follow(self, id: str) -> Iterator[types.Application]:
        """An application each time it has changed, beginning with now, until it is over."""
        return self._follow(id, None)

    def _follow(self, id: str, until: Optional[float]) -> Iterator[types.Application]:
        for application in self._changes(f"/api/v1/applications/{part(id)}", {}, until):
            if application is not None:
                yield cast(types.Application, application)
                if application["state"] in _FINAL:
                    return
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"{id} is not over yet")

    def follow_applications(self, **filters: Any) -> Iterator["list[types.ApplicationsPageApplication]"]:
        """A page of applications each time something in it has changed, has come or is gone, beginning with now, for as long as the
        caller goes on; filters as of `applications`."""
        query = {re.sub("_(.)", lambda found: found.group(1).upper(), name): value for name, value in filters.items()}
        for page in self._changes("/api/v1/applications", query, None):
            if page is not None:
                yield page["applications"]

    def follow_container(self, id: str) -> Iterator[types.Container]:
        """A container each time it has changed, beginning with now, until it is over."""
        for container in self._changes(f"/api/v1/containers/{part(id)}", {}, None):
            if container is not None:
                yield container
                if container["finishedTime"] > 0:
                    return

    def follow_node(self, id: str) -> Iterator[types.Node]:
        """A node each time it has changed, beginning with now, for as long as the caller goes on."""
        return (node for node in self._changes(f"/api/v1/nodes/{part(id)}", {}, None) if node is not None)

    def follow_queue(self, path: str) -> Iterator[types.Queue]:
        """A queue, with what is below it, each time it has changed, beginning with now, for as long as the caller goes on."""
        return (queue for queue in self._changes(f"/api/v1/queues/{part(path)}", {}, None) if queue is not None)

    def _changes(self, path: str, query: "Dict[str, QueryValue]", until: Optional[float]) -> Iterator[Any]:
        """What a path answers each time it has changed; None where it has not for a while."""
        etag: Optional[str] = None
        while True:
            left = _POLL_MS if until is None else max(0, min(_POLL_MS, int((until - time.monotonic()) * 1000)))
            answer = self._transport.send(
                "GET",
                path,
                query=query if etag is None else {**query, "wait": left},
                headers={"If-None-Match": etag},
                repeatable=True,
            )
            if answer.status == 304:
                yield None
            else:
                etag = answer.headers.get("ETag")
                yield answer.json()

    def wait(self, id: str, *, timeout: Optional[float] = None) -> types.Application:
        """An application once it is over. Raises TimeoutError after ``timeout`` seconds."""
        *_, last = self._follow(id, None if timeout is None else time.monotonic() + timeout)
        return last

    def kill(self, id: str) -> None:
        """Ends an application; returns when that was heard. One that is over stays as it is."""
        self.cluster_set_app_state(id, {"state": "KILLED"})

    def iterate_applications(self, **filters: Any) -> Iterator[types.ApplicationsPageApplication]:
        """Applications, page after page as far as they are wanted; filters as of `applications`, with ``limit`` for the size of a page."""
        cursor: Optional[str] = filters.pop("cursor", None)
        while True:
            page = self.applications(cursor=cursor, **filters)
            yield from page["applications"]
            cursor = page.get("next")
            if cursor is None:
                return

    def events(
        self,
        *,
        application: Optional[Sequence[str]] = None,
        user: Optional[Sequence[str]] = None,
        queue: Optional[Sequence[str]] = None,
        node: Optional[Sequence[str]] = None,
        kind: Optional[Sequence[str]] = None,
        from_: str = "now",
    ) -> Iterator[ToldEvent]:
        """Events as they happen, for as long as the caller goes on; a lost connection is taken up where it was.

        ``from_``: ``now``, ``oldest``, or the id of the event after which to go on. "Now" is when this is called, not when the first event is
        asked for. ``{"kind": "gap"}`` tells that events before the next are forgotten: read anew what they told.
        """
        filters = {"application": application, "user": user, "queue": queue, "node": node, "kind": kind}
        place = from_
        if from_ == "now":
            first = self._transport.send("GET", "/api/v1/events", query={**filters, "from": "now"}, repeatable=True)
            place = first.json()["next"]
        return self._events(filters, place)

    def _events(self, filters: "Dict[str, Optional[Sequence[str]]]", place: str) -> Iterator[ToldEvent]:
        pause = _FIRST_PAUSE_S
        while True:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": None if place == "oldest" else place}
            query: Dict[str, QueryValue] = {**filters, "from": "oldest" if place == "oldest" else None}
            try:
                with self._transport.stream("/api/v1/events", query=query, headers=headers, timeout=_SILENT_S) as stream:
                    for id, event in _blocks(stream):
                        pause = _FIRST_PAUSE_S
                        place = id or place
                        if event is not None:
                            yield event
            except HeddleError as error:
                if not is_passing(error):
                    raise
            self._transport.pause(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)


def _blocks(stream: Any) -> "Iterator[tuple[Optional[str], Optional[ToldEvent]]]":
    """Blocks of server-sent events: where they lead, and what they tell. Ends with the connection."""
    fields: "dict[str, str]" = {}
    while True:
        try:
            line = stream.readline()
        except LOST:
            return
        # What broke off within a block comes again.
        if not line.endswith(b"\n"):
            return
        text = line.decode("utf-8").rstrip("\r\n")
        if text:
            name, _, value = text.partition(":")
            value = value[1:] if value.startswith(" ") else value
            fields[name] = f"{fields['data']}\n{value}" if name == "data" and "data" in fields else value
            continue
        if fields.get("event") == "gap":
            yield fields.get("id"), {"kind": "gap"}
        elif fields.get("data"):
            yield fields.get("id"), json.loads(fields["data"])
        else:
            yield fields.get("id"), None
        fields = {}
