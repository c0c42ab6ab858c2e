"""Jupyter Enterprise Gateway as it is, with its own kernel of Spark in YARN's cluster mode: `spark-submit` brings the kernel onto the cluster over
Hadoop RPC, the gateway finds and kills it over REST."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

import pyspark
import requests
import websocket

port = os.environ["GATEWAY_PORT"]
gateway = f"http://127.0.0.1:{port}"
manager = os.environ["HEDDLE_CLUSTER"]
# The sources of the gateway: its kernel launchers are in no wheel.
sources = pathlib.Path(os.environ["GATEWAY_SOURCES"])
kernel_name = "spark_python_yarn_cluster"


def install_kernel(folder):
    """The gateway's kernel specification, with the Spark and the Python of this environment."""
    target = folder / "kernels" / kernel_name
    shutil.copytree(sources / "etc" / "kernelspecs" / kernel_name, target)
    shutil.copytree(sources / "etc" / "kernel-launchers" / "python" / "scripts", target / "scripts")
    (target / "bin" / "run.sh").chmod(0o755)
    specification = json.loads((target / "kernel.json").read_text())
    options = [
        "--master yarn --deploy-mode cluster --name ${KERNEL_ID:-ERROR__NO__KERNEL_ID}",
        "--conf spark.yarn.submit.waitAppCompletion=false --conf spark.yarn.maxAppAttempts=1",
        "--conf spark.driver.memory=512m --conf spark.executor.memory=512m --conf spark.executor.instances=1",
        f"--conf spark.yarn.appMasterEnv.PYSPARK_PYTHON={sys.executable} --conf spark.executorEnv.PYSPARK_PYTHON={sys.executable}",
    ]
    specification["env"] = {
        "SPARK_HOME": str(pathlib.Path(pyspark.__file__).parent),
        "HADOOP_CONF_DIR": os.environ["HADOOP_CONF_DIR"],
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_OPTS": " ".join(options),
        "LAUNCH_OPTS": "",
    }
    specification["argv"][0] = str(target / "bin" / "run.sh")
    (target / "kernel.json").write_text(json.dumps(specification))


class Channels:
    def __init__(self, kernel_id):
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}/api/kernels/{kernel_id}/channels", timeout=180)

    def execute(self, code):
        """What a cell printed, and its error."""
        message_id = uuid.uuid4().hex
        header = {"msg_id": message_id, "username": "u", "session": "s", "msg_type": "execute_request", "version": "5.3"}
        content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell", "buffers": []}
        self.socket.send(json.dumps(message))
        printed, is_idle, is_answered = "", False, False
        while not (is_idle and is_answered):
            got = json.loads(self.socket.recv())
            if got["parent_header"].get("msg_id") != message_id:
                continue
            if got["msg_type"] == "stream":
                printed += got["content"]["text"]
            elif got["msg_type"] == "error":
                printed += "\n".join(got["content"]["traceback"])
            elif got["msg_type"] == "execute_reply":
                is_answered = True
            elif got["msg_type"] == "status":
                is_idle = got["content"]["execution_state"] == "idle"
        return printed


def application(kernel_id):
    found = requests.get(f"{manager}/ws/v1/cluster/apps", timeout=10).json()["apps"].get("app", [])
    return next((one for one in found if one["name"] == kernel_id), None)


class EnterpriseGateway(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gateway-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        install_kernel(self.folder)
        log = open(self.folder / "gateway.log", "w")
        self.addCleanup(log.close)
        program = pathlib.Path(sys.executable).parent / "jupyter-enterprisegateway"
        command = [program, "--ip=127.0.0.1", f"--port={port}", f"--EnterpriseGatewayApp.yarn_endpoint={manager}"]
        environment = {**os.environ, "JUPYTER_PATH": str(self.folder), "EG_RESPONSE_IP": "127.0.0.1", "EG_UNAUTHORIZED_USERS": "nobody"}
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        end = time.monotonic() + 60
        while True:
            try:
                requests.get(f"{gateway}/api", timeout=5)
                return
            except requests.ConnectionError:
                if time.monotonic() > end or server.poll() is not None:
                    raise AssertionError((self.folder / "gateway.log").read_text()[-3000:]) from None
                time.sleep(0.2)

    def test_a_notebook_works_on_the_cluster(self):
        environment = {
            "KERNEL_USERNAME": os.environ.get("USER", "root"),
            "KERNEL_LAUNCH_TIMEOUT": "150",
            # The gateway looks whether a node has so much, and whether the queue has room.
            "KERNEL_EXECUTOR_MEMORY": "512",
            "KERNEL_DRIVER_MEMORY": "512",
            "KERNEL_QUEUE": "default",
            "KERNEL_NODE_LABEL": "",
        }
        started = requests.post(f"{gateway}/api/kernels", json={"name": kernel_name, "env": environment}, timeout=200)
        self.assertEqual(started.status_code, 201, started.text + (self.folder / "gateway.log").read_text()[-3000:])
        kernel_id = started.json()["id"]
        self.assertEqual(application(kernel_id)["applicationType"], "SPARK")
        channels = Channels(kernel_id)
        channels.execute("from pyspark.sql import SparkSession")
        printed = channels.execute("session = SparkSession.builder.getOrCreate(); print(session.range(1000).selectExpr('sum(id)').first()[0])")
        self.assertIn("499500", printed)
        self.assertIn(application(kernel_id)["id"], channels.execute("print(session.sparkContext.applicationId)"))
        self.assertEqual(application(kernel_id)["state"], "RUNNING")
        self.assertEqual(requests.delete(f"{gateway}/api/kernels/{kernel_id}", timeout=60).status_code, 204)
        end = time.monotonic() + 60
        while application(kernel_id)["state"] not in ("KILLED", "FINISHED"):
            self.assertLess(time.monotonic(), end, "the application goes on")
            time.sleep(0.2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
