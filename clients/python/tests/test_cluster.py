"""The client against a cluster that runs: HEDDLE_CLUSTER says where."""

import itertools
import os
import pathlib
import re
import unittest

from heddle import Client, HeddleError

HERE = pathlib.Path(__file__).parent


def command(line, **more):
    return {"application-name": "python", "run": {"command": ["sh", "-c", line], "memoryMiB": 128, **more}}


@unittest.skipUnless("HEDDLE_CLUSTER" in os.environ, "HEDDLE_CLUSTER names no cluster")
class ClusterTest(unittest.TestCase):
    def setUp(self):
        self.client = Client(user="root")

    def test_submits_once_and_waits(self):
        first = self.client.submit(command("echo from python"), key=f"once-{os.getpid()}")
        again = self.client.submit(command("echo from python"), key=f"once-{os.getpid()}")
        self.assertEqual((first.id, False, True), (again.id, first.replayed, again.replayed))
        with self.assertRaises(HeddleError) as caught:
            self.client.submit(command("echo another"), key=f"once-{os.getpid()}")
        self.assertEqual(422, caught.exception.status)
        ended = self.client.wait(first.id, timeout=120)
        self.assertEqual(("FINISHED", "SUCCEEDED", "root"), (ended["state"], ended["finalStatus"], ended["user"]))
        life = self.client.application_life(first.id)
        self.assertEqual(["SUCCEEDED"], [attempt["finalStatus"] for attempt in life["attempts"]])
        self.assertEqual("SUCCEEDED", self.client.cluster_app(first.id)["app"]["finalStatus"])

    def test_says_what_a_submission_would_come_to(self):
        tried = self.client.try_submission(command("echo tried"))
        self.assertTrue(tried["accepted"])
        self.assertEqual(["master", "instance"], [each["role"] for each in tried["containers"]])

    def test_says_how_a_command_failed(self):
        ended = self.client.wait(self.client.submit(command("exit 3")).id, timeout=120)
        self.assertEqual(("FINISHED", "FAILED"), (ended["state"], ended["finalStatus"]))

    def test_follows_events_and_kills(self):
        events = self.client.events(kind=["application"])
        id = self.client.submit(command("sleep 600")).id
        with self.assertRaises(TimeoutError):
            self.client.wait(id, timeout=0.1)
        states = []
        for event in events:
            if event.get("applicationId") != id or event["kind"] != "application.state":
                continue
            states.append(event["to"])
            if event["to"] == "RUNNING":
                self.client.kill(id)
            if event["to"] == "KILLED":
                break
        self.assertEqual(["RUNNING", "KILLED"], states[-2:])
        self.assertEqual("KILLED", self.client.wait(id, timeout=60)["state"])
        self.client.kill(id)

    def test_lists_page_after_page(self):
        made = [self.client.submit({**command("true"), "application-tags": {"tag": ["paged"]}}).id for _ in range(3)]
        listed = self.client.iterate_applications(application_tags=["paged"], limit=1, sort="id")
        self.assertEqual(made, [application["id"] for application in itertools.islice(listed, 3)])
        for id in made:
            self.client.wait(id, timeout=120)

    def test_follows_a_container_its_node_and_its_queue(self):
        queues = self.client.follow_queue("default")
        self.assertEqual(("root.default", 0), (lambda queue: (queue["path"], queue["allocatedContainers"]))(next(queues)))
        id = self.client.submit(command("sleep 600")).id
        self.assertTrue(any(queue["allocatedContainers"] > 0 for queue in queues))
        for application in self.client.follow(id):
            if "masterContainerId" in application:
                break
        containers = self.client.follow_container(application["masterContainerId"])
        container = next(containers)
        self.assertEqual((id, 0), (container["applicationId"], container["finishedTime"]))
        node = next(self.client.follow_node(container["nodeId"]))
        self.assertEqual((container["nodeId"], "RUNNING"), (node["id"], node["state"]))
        self.client.kill(id)
        *_, last = containers
        self.assertEqual(("COMPLETE", "STOPPED"), (last["state"], last["exitOutcome"]))
        self.client.wait(id, timeout=60)

    def test_follows_a_list(self):
        pages = self.client.follow_applications(application_tags=["followed"], sort="id")
        self.assertEqual([], next(pages))
        id = self.client.submit({**command("true"), "application-tags": {"tag": ["followed"]}}).id
        for page in pages:
            self.assertEqual([id], [application["id"] for application in page])
            if page[0]["state"] == "FINISHED":
                break
        with self.assertRaises(HeddleError) as caught:
            next(self.client.follow_applications(states=["DONE"]))
        self.assertEqual(400, caught.exception.status)

    def test_looks_at_the_cluster(self):
        nodes = self.client.cluster_nodes()["nodes"]["node"]
        self.assertEqual(["RUNNING"], [node["state"] for node in nodes])
        self.assertEqual(nodes[0]["id"], self.client.cluster_node(nodes[0]["id"])["node"]["id"])
        self.assertEqual(0, self.client.node_containers(nodes[0]["id"])["hidden"])
        self.assertEqual(1, self.client.cluster_metrics()["clusterMetrics"]["activeNodes"])
        self.assertEqual("capacityScheduler", self.client.cluster_scheduler()["scheduler"]["schedulerInfo"]["type"])
        self.assertEqual("hour", self.client.usage(span="hour")["span"])
        self.assertEqual("root", self.client.user_groups("root")["user"])

    def test_stages_files(self):
        id = "application_1_0001"
        with self.assertRaises(HeddleError):
            self.client.staged_file("root", id, "data")
        staged = self.client.stage_file("root", id, "data", b"\x00\xff")
        self.assertEqual(2, staged["bytes"])
        self.assertEqual(b"\x00\xff", self.client.staged_file("root", id, "data"))
        self.client.remove_staged_files("root", id)

    def test_says_what_was_wrong(self):
        for call, status, sentence in (
            (lambda: self.client.application("application_1_9999"), 404, "application_1_9999"),
            (lambda: self.client.application("nonsense"), (400, 404), "nonsense"),
            (lambda: self.client.submit({"qeue": "x"}), 400, "qeue"),
            (lambda: self.client.applications(limit=0), 400, "limit"),
            (lambda: next(self.client.events(kind=["weather"])), 400, "kind must be"),
        ):
            with self.assertRaises(HeddleError) as caught:
                call()
            self.assertIn(caught.exception.status, status if isinstance(status, tuple) else (status,))
            self.assertIn(sentence, caught.exception.sentence)
            self.assertTrue(caught.exception.code)

    def test_the_examples_of_the_readme_run(self):
        blocks = re.findall(r"```python\n(.*?)```", (HERE.parent / "README.md").read_text(encoding="utf-8"), re.S)
        self.assertTrue(blocks)
        printed = []
        names = {"print": lambda *words: printed.append(words)}
        for block in blocks:
            exec(compile(block, "README.md", "exec"), names)
        self.assertIn(("SUCCEEDED",), printed)
        self.assertEqual((404, "NotFoundException"), printed[-1][:2])


if __name__ == "__main__":
    unittest.main()
