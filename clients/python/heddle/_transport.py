"""How requests are sent: address, proof, patience, and refusals as one exception."""

from __future__ import annotations

import getpass
import http.client
import json
import os
import re
import socket
import ssl
import stat
import time
import urllib.error
import urllib.parse
import urllib.request
from email.message import Message
from typing import IO, Any, Callable, Dict, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 5.0
# Statuses of servers that may answer later.
_PASSING = frozenset((429, 502, 503, 504))
_LONGEST_TOKEN = 16384
_LONGEST_REFUSAL = 1 << 20

QueryValue = Union[None, str, int, float, bool, Sequence[str]]


class HeddleError(Exception):
    """The cluster says no.

    ``status`` is the HTTP status, ``code`` the simple name of the exception that clients of Hadoop expect
    (``NotFoundException``; None where the answer names none), ``sentence`` what the server says, ``url`` what was asked.
    """

    def __init__(self, status: int, code: Optional[str], sentence: str, url: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence
        self.url = url

    def __str__(self) -> str:
        return f"{self.status} {self.code}: {self.sentence}" if self.code else f"{self.status}: {self.sentence}"


class Unreachable(HeddleError):
    """Nobody answered, or the answer broke off. ``status`` is 0."""

    def __init__(self, sentence: str, url: str) -> None:
        super().__init__(0, None, sentence, url)


class Answer(NamedTuple):
    """A whole answer."""

    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body) if self.body else None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A proof never follows a redirect to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


def part(text: str) -> str:
    """One part of a path."""
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} cannot be a part of an address")
    return urllib.parse.quote(text, safe="")


def read_token(path: str) -> str:
    """The token in a file that its owner alone can read. Raises ValueError, OSError."""
    known = os.stat(path)
    if os.name == "posix" and stat.S_IMODE(known.st_mode) & 0o077:
        raise ValueError(f'others can read {path}: "chmod 600" it, and revoke the token if they are not to have it')
    with open(path, encoding="utf-8") as file:
        return _one_token(file.read(_LONGEST_TOKEN + 1).strip(), path)


def _one_token(token: str, source: str) -> str:
    if len(token) > _LONGEST_TOKEN or not re.fullmatch(r"[A-Za-z0-9_.~+/=-]+", token):
        raise ValueError(f"{source} does not hold one token")
    return token


def _base_url(text: str) -> str:
    base = text if "://" in text else f"http://{text}"
    address = urllib.parse.urlsplit(base)
    # A bare word is the name of a context of the command line, which this client does not know.
    is_bare = "://" not in text and "." not in text and ":" not in text and text != "localhost"
    if (
        address.scheme not in ("http", "https")
        or not address.hostname
        or is_bare
        or "@" in address.netloc
        or address.query
        or address.fragment
    ):
        raise ValueError(f"{text!r} is no address of a resource manager; give one like http://cluster:8088")
    return base.rstrip("/")


class Transport:
    """Sends requests to one resource manager. Threads may share it."""

    def __init__(
        self,
        url: Optional[str],
        user: Optional[str],
        token: Optional[str],
        token_file: Optional[str],
        do_as: Optional[str],
        patience: float,
        timeout: float,
        tls: Optional[ssl.SSLContext],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = _base_url(url or os.environ.get("HEDDLE_CLUSTER") or "http://localhost:8088")
        self._token = None if token is None else _one_token(token, "token")
        self._token_file = None if token is not None else token_file or os.environ.get("HEDDLE_TOKEN_FILE") or None
        if self._token_file is not None:
            read_token(self._token_file)
        # Where a token proves who calls, a name is sent only where it is given.
        proves = self._token is not None or self._token_file is not None
        self._user = user or (None if proves else os.environ.get("HADOOP_USER_NAME") or getpass.getuser())
        self._do_as = do_as
        self._patience = patience
        self._timeout = timeout
        self.pause = pause
        handlers: "list[urllib.request.BaseHandler]" = [urllib.request.ProxyHandler({}), _NoRedirects()]
        if tls is not None:
            handlers.append(urllib.request.HTTPSHandler(context=tls))
        self._opener = urllib.request.build_opener(*handlers)

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, QueryValue]] = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
        body: Any = None,
        repeatable: bool,
        timeout: Optional[float] = None,
    ) -> Answer:
        """The answer to a request, also 304. What is repeatable is sent again while nobody answers or there is no room."""

        def once() -> Answer:
            try:
                with self.open(method, path, query=query, headers=headers, body=body, timeout=timeout) as answer:
                    return Answer(answer.status, answer.headers, answer.read())
            except urllib.error.HTTPError as answer:
                if answer.code != 304:
                    raise
                answer.close()
                return Answer(304, answer.headers, b"")

        waited = 0.0
        pause = _FIRST_PAUSE_S
        while True:
            asked = 0.0
            try:
                return _heard(f"{self.url}{path}", once)
            except _Later as later:
                if not repeatable or waited >= self._patience:
                    raise later.error from later.__cause__
                asked = later.after
            rest = min(max(pause, asked), self._patience - waited)
            self.pause(rest)
            waited += rest
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def open(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, QueryValue]] = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
        body: Any = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """Sends once and gives the open answer. Raises what urllib raises."""
        pairs = {**(query or {}), "user.name": self._user, "doAs": self._do_as}
        written = "&".join(
            f"{part(name)}={urllib.parse.quote(_text(value), safe='')}" for name, value in pairs.items() if value is not None
        )
        sent: Dict[str, str] = {"Accept": "application/json", "User-Agent": "heddle-python"}
        data: Union[None, bytes, IO[bytes]] = None
        if isinstance(body, (bytes, bytearray)):
            data = bytes(body)
            sent["Content-Type"] = "application/octet-stream"
        elif body is not None:
            data = json.dumps(body, allow_nan=False).encode()
            sent["Content-Type"] = "application/json"
        # A token file is read each time: tokens are renewed.
        token = read_token(self._token_file) if self._token_file is not None else self._token
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        sent.update({name: value for name, value in (headers or {}).items() if value is not None})
        address = f"{self.url}{path}{'?' if written else ''}{written}"
        request = urllib.request.Request(address, data=data, headers=sent, method=method)
        return self._opener.open(request, timeout=self._timeout if timeout is None else timeout)

    def stream(self, path: str, *, query: Mapping[str, QueryValue], headers: Mapping[str, Optional[str]], timeout: float) -> Any:
        """An answer that goes on, once. Raises HeddleError, also for what may pass; `is_passing` tells."""
        try:
            return _heard(f"{self.url}{path}", lambda: self.open("GET", path, query=query, headers=headers, timeout=timeout))
        except _Later as later:
            raise later.error from later.__cause__


def is_passing(error: HeddleError) -> bool:
    """Whether the same request may be answered later."""
    return isinstance(error, Unreachable) or error.status in _PASSING


class _Later(Exception):
    def __init__(self, error: HeddleError, after: float) -> None:
        super().__init__(str(error))
        self.error = error
        self.after = after


# What a lost or missing connection raises.
LOST = (urllib.error.URLError, http.client.HTTPException, socket.timeout, ConnectionError, TimeoutError, OSError)


_Heard = TypeVar("_Heard")


def _heard(url: str, call: Callable[[], _Heard]) -> _Heard:
    try:
        return call()
    except urllib.error.HTTPError as answer:
        with answer:
            error = _refusal(answer, url)
            if answer.code not in _PASSING:
                raise error from None
            asked = answer.headers.get("Retry-After", "")
            raise _Later(error, float(asked) if asked.isdigit() and len(asked) < 6 else 0.0) from None
    except LOST as problem:
        reason = getattr(problem, "reason", problem)
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise Unreachable(f"{url} is not believed: {reason}", url) from problem
        raise _Later(Unreachable(f"{url} does not answer: {reason}", url), 0.0) from problem


def _refusal(answer: urllib.error.HTTPError, url: str) -> HeddleError:
    """What a refusal says, in either form of Hadoop's errors; else its text."""
    try:
        text = answer.read(_LONGEST_REFUSAL).decode("utf-8", "replace")
    except LOST:
        text = ""
    said: Any = None
    try:
        said = json.loads(text)
    except ValueError:
        pass
    if isinstance(said, dict):
        said = said.get("RemoteException", said)
    if isinstance(said, dict) and isinstance(said.get("message"), str):
        code = said.get("exception")
        return HeddleError(answer.code, code if isinstance(code, str) else None, said["message"], url)
    return HeddleError(answer.code, None, text[:500].strip() or f"answered with {answer.code}", url)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    return ",".join(value)
