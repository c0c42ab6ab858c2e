"""What the client does when servers do not answer as they should, by a server that plays them."""

import json
import os
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from heddle import Client, HeddleError, Unreachable


class Server:
    """Answers by a script: a status, headers and body for each request in turn; keeps what it was asked."""

    def __init__(self, *answers):
        self.asked = []
        left = list(answers)
        server = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                server.asked.append((self.command, self.path, dict(self.headers.items()), body))
                status, headers, text = left.pop(0)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()


class TransportTest(unittest.TestCase):
    def client(self, server, **options):
        self.pauses = []
        return Client(server.url, **{"user": "ada", "pause": self.pauses.append, **options})

    def test_repeats_a_submission_under_one_key(self):
        with Server((503, {"Retry-After": "3"}, ""), (502, {}, ""), (202, {"Idempotency-Replayed": "true"}, '{"id": "a"}')) as server:
            submitted = self.client(server).submit({"queue": "q"})
        self.assertEqual(("a", True), submitted)
        self.assertEqual([3.0, 0.4], self.pauses)
        self.assertEqual(1, len({headers["Idempotency-Key"] for _, _, headers, _ in server.asked}))
        self.assertEqual([{"queue": "q"}] * 3, [json.loads(body) for _, _, _, body in server.asked])

    def test_sends_what_may_not_come_twice_once(self):
        with Server((503, {}, "full")) as server:
            with self.assertRaises(HeddleError) as caught:
                self.client(server).create_token({"name": "t", "scope": "read"})
        self.assertEqual((503, None, "full"), (caught.exception.status, caught.exception.code, caught.exception.sentence))
        self.assertEqual(1, len(server.asked))

    def test_says_what_a_refusal_says(self):
        refusal = json.dumps({"RemoteException": {"exception": "NotFoundException", "message": "not there", "javaClassName": "x"}})
        with Server((404, {}, refusal)) as server:
            with self.assertRaises(HeddleError) as caught:
                self.client(server).application("application_1_0001")
        self.assertEqual(
            (404, "NotFoundException", "not there"), (caught.exception.status, caught.exception.code, caught.exception.sentence)
        )
        self.assertEqual([], self.pauses)

    def test_ends_its_patience(self):
        with Server() as server:
            pass
        with self.assertRaises(Unreachable):
            self.client(server, patience=2.0).risks()
        self.assertEqual(2.0, sum(self.pauses))

    def test_follows_no_redirect_with_a_token(self):
        with Server() as other, Server((307, {"Location": other.url}, "")) as server:
            with self.assertRaises(HeddleError) as caught:
                self.client(server, token="heddle_x").risks()
        self.assertEqual(307, caught.exception.status)
        self.assertEqual([], other.asked)
        self.assertEqual("Bearer heddle_x", server.asked[0][2]["Authorization"])

    def test_writes_parts_and_values_as_they_are(self):
        with Server((200, {}, "{}"), (200, {}, '{"applications": []}')) as server:
            client = self.client(server)
            client.user_groups("a/b?c d")
            client.applications(states=["RUNNING", "FAILED"], name="x&y=z")
            with self.assertRaises(ValueError):
                client.application("..")
        self.assertEqual("/api/v1/users/a%2Fb%3Fc%20d/groups?user.name=ada", server.asked[0][1])
        self.assertEqual("/api/v1/applications?states=RUNNING%2CFAILED&name=x%26y%3Dz&user.name=ada", server.asked[1][1])

    def test_goes_on_with_events_where_they_broke_off(self):
        first = 'retry: 1\n\nid: 1-1\nevent: a\ndata: {"kind": "a"}\n\nid: 1-2\n\nid: 1-3\nevent: a\ndata: {"ki'
        second = 'event: gap\ndata: {}\n\nid: 1-3\nevent: b\ndata: {"kind": "b"}\n\n'
        with Server((200, {}, '{"next": "1-0"}'), (200, {}, first), (503, {}, ""), (200, {}, second)) as server:
            events = self.client(server).events(kind=["a", "b"])
            self.assertEqual([{"kind": "a"}, {"kind": "gap"}, {"kind": "b"}], [next(events) for _ in range(3)])
            events.close()
        self.assertEqual([None, "1-0", "1-2", "1-2"], [headers.get("Last-Event-Id") for _, _, headers, _ in server.asked])

    def test_gives_up_events_that_are_refused(self):
        with Server((200, {}, '{"next": "1-0"}'), (400, {}, "no")) as server:
            with self.assertRaises(HeddleError):
                next(self.client(server).events())

    def test_reads_a_token_file_that_its_owner_alone_can_read(self):
        with tempfile.TemporaryDirectory() as folder, Server((200, {}, "{}")) as server:
            path = os.path.join(folder, "token")
            with open(path, "w") as file:
                file.write("heddle_y\n")
            os.chmod(path, 0o644)
            with mock.patch.dict(os.environ, {"HEDDLE_TOKEN_FILE": path, "HEDDLE_CLUSTER": server.url}):
                with self.assertRaises(ValueError):
                    Client()
                os.chmod(path, 0o600)
                Client().risks()
        self.assertEqual(("/api/v1/risks", "Bearer heddle_y"), (server.asked[0][1], server.asked[0][2]["Authorization"]))

    def test_takes_addresses_alone(self):
        for wrong in ("production", "ftp://a:1", "http://user:secret@a:1", "http://"):
            with self.assertRaises(ValueError, msg=wrong):
                Client(wrong, user="ada")
        self.assertEqual("http://cluster:8088", Client("cluster:8088/", user="ada")._transport.url)


if __name__ == "__main__":
    unittest.main()
