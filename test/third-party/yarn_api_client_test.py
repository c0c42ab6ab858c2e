"""The client that Jupyter Enterprise Gateway and others speak to YARN with, against a cluster that runs: it finds everything by the files of
`heddle config client` (HADOOP_CONF_DIR), as on Hadoop."""

import os
import time
import unittest

from yarn_api_client import HistoryServer, NodeManager, ResourceManager
from yarn_api_client.errors import APIError


def until(what, probe, limit_s=60):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        got = probe()
        if got:
            return got
        time.sleep(0.1)
    raise AssertionError(f"waited {limit_s} s for {what}")


class YarnApiClient(unittest.TestCase):
    def setUp(self):
        self.manager = ResourceManager()

    def submit(self, command):
        application_id = self.manager.cluster_new_application().data["application-id"]
        self.manager.cluster_submit_application(
            {
                "application-id": application_id,
                "application-name": "by yarn-api-client",
                "application-type": "TRIED",
                "am-container-spec": {"commands": {"command": command}},
                "resource": {"memory": 256, "vCores": 1},
            }
        )
        return application_id

    def test_looks_at_the_cluster(self):
        manager = self.manager
        self.assertEqual(manager.cluster_information().data["clusterInfo"]["state"], "STARTED")
        self.assertGreaterEqual(manager.cluster_metrics().data["clusterMetrics"]["activeNodes"], 1)
        self.assertGreaterEqual(manager.cluster_node_container_memory(), 1024)
        node_id = manager.cluster_nodes(states=["RUNNING"]).data["nodes"]["node"][0]["id"]
        self.assertEqual(manager.cluster_node(node_id).data["node"]["state"], "RUNNING")
        queue = manager.cluster_scheduler_queue("default")
        self.assertEqual(queue["queueName"], "default")
        partition = manager.cluster_queue_partition(queue, "")
        self.assertTrue(manager.cluster_scheduler_queue_availability(partition, 95.0))
        self.assertIsNone(manager.cluster_scheduler_queue("nowhere"))
        self.assertIn("statItem", manager.cluster_application_statistics().data["appStatInfo"])

    def test_follows_an_application_from_its_submission_to_its_kill(self):
        manager = self.manager
        application_id = self.submit("sleep 120")
        attempt_id = application_id.replace("application", "appattempt") + "_000001"
        until("its container", lambda: manager.cluster_application_attempts(application_id).data["appAttempts"]["appAttempt"][0].get("containerId"))
        self.assertEqual(manager.cluster_application_state(application_id).data["state"], "ACCEPTED")
        found = manager.cluster_applications(states=["ACCEPTED"], application_types=["TRIED"], limit=5).data["apps"]["app"]
        self.assertIn(application_id, [one["id"] for one in found])
        self.assertEqual(manager.cluster_application_attempt_info(application_id, attempt_id).data["appAttemptId"], attempt_id)
        self.assertIn("container", manager.cluster_application_attempt_containers(application_id, attempt_id).data)
        self.assertEqual(manager.cluster_get_application_queue(application_id).data["queue"], "root.default")
        manager.cluster_change_application_priority(application_id, 0)
        self.assertEqual(manager.cluster_get_application_priority(application_id).data["priority"], 0)
        self.assertIn("timeouts", manager.cluster_application_timeouts(application_id).data)

        node = NodeManager(service_endpoint=os.environ["HEDDLE_NODE"])
        container_id = application_id.replace("application", "container") + "_01_000001"
        until("its process", lambda: node.node_container(container_id).data["container"]["state"] == "RUNNING")
        self.assertEqual(node.node_application(application_id).data["app"]["state"], "RUNNING")
        self.assertEqual(node.node_information().data["nodeInfo"]["nodeHealthy"], True)

        manager.cluster_application_kill(application_id)
        until("its end", lambda: manager.cluster_application_state(application_id).data["state"] == "KILLED")

    def test_is_told_of_what_is_not_there(self):
        with self.assertRaisesRegex(APIError, "404.*app with id: application_1_0001 not found"):
            self.manager.cluster_application("application_1_0001")

    def test_reads_the_history_of_a_job(self):
        history = HistoryServer()
        job_id = history.jobs().data["jobs"]["job"][0]["id"]
        task_id = job_id.replace("job", "task") + "_m_000000"
        attempt_id = task_id.replace("task", "attempt") + "_0"
        self.assertEqual(history.job(job_id).data["job"]["state"], "SUCCEEDED")
        self.assertEqual(history.job_tasks(job_id).data["tasks"]["task"][0]["state"], "SUCCEEDED")
        self.assertEqual(history.task_attempt(job_id, task_id, attempt_id).data["taskAttempt"]["id"], attempt_id)
        self.assertIn("counterGroup", history.job_counters(job_id).data["jobCounters"])
        self.assertTrue(history.job_conf(job_id).data["conf"]["property"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
