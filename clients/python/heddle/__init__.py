"""Client of Heddle, a cluster resource manager that speaks the interfaces of Hadoop YARN 3.4.

>>> from heddle import Client
>>> client = Client("http://localhost:8088", user="ada")
>>> submitted = client.submit({"run": {"command": ["echo", "hello"]}})
>>> client.wait(submitted.id)["finalStatus"]
'SUCCEEDED'
"""

from ._client import Client, Submitted, ToldEvent
from ._transport import HeddleError, Unreachable

__all__ = ["Client", "HeddleError", "Submitted", "ToldEvent", "Unreachable"]
