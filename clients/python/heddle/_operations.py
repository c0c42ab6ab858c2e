"""A method for each operation. Written by scripts/write-python-client.ts; do not edit."""

from __future__ import annotations

from typing import Literal, Optional, Sequence, cast

from . import types
from ._transport import Transport, part


class Operations:
    """What the interface offers, an operation a method."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def applications(
        self,
        *,
        states: Optional[Sequence[Literal["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"]]] = None,
        state: Optional[Literal["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"]] = None,
        final_status: Optional[Literal["UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED"]] = None,
        user: Optional[str] = None,
        queue: Optional[str] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        application_types: Optional[Sequence[str]] = None,
        application_tags: Optional[Sequence[str]] = None,
        started_time_begin: Optional[int] = None,
        started_time_end: Optional[int] = None,
        finished_time_begin: Optional[int] = None,
        finished_time_end: Optional[int] = None,
        de_selects: Optional[Sequence[Literal["resourceRequests", "timeouts", "appNodeLabelExpression", "amNodeLabelExpression", "resourceInfo"]]] = None,
        sort: Optional[Literal["id", "-id", "+id", "user", "-user", "+user", "name", "-name", "+name", "queue", "-queue", "+queue", "priority", "-priority", "+priority", "state", "-state", "+state", "startedTime", "-startedTime", "+startedTime", "finishedTime", "-finishedTime", "+finishedTime"]] = None,
        cursor: Optional[str] = None,
        find: Optional[str] = None,
        fields: Optional[Sequence[Literal["id", "user", "name", "type", "tags", "queue", "priority", "state", "finalStatus", "progress", "diagnostics", "trackingUrl", "attempts", "startedTime", "launchedTime", "finishedTime", "masterNodeId", "masterContainerId", "allocatedMemoryMiB", "allocatedVcores", "runningContainers", "pendingContainers", "endedContainers"]]] = None,
    ) -> types.ApplicationsPage:
        """Applications, a page at a time; waits for a change in the page where asked.

        GET /api/v1/applications

        limit: How many on a page; usually 100.
        started_time_begin: Milliseconds since the epoch.
        started_time_end: Milliseconds since the epoch.
        finished_time_begin: Milliseconds since the epoch.
        finished_time_end: Milliseconds since the epoch.
        de_selects: Left out.
        sort: Usually `-startedTime`: the newest first.
        cursor: `next` of the page before.
        find: A part of the name or of the id, in any case.
        fields: These members alone.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/applications",
            query={"states": states, "state": state, "finalStatus": final_status, "user": user, "queue": queue, "name": name, "limit": limit, "applicationTypes": application_types, "applicationTags": application_tags, "startedTimeBegin": started_time_begin, "startedTimeEnd": started_time_end, "finishedTimeBegin": finished_time_begin, "finishedTimeEnd": finished_time_end, "deSelects": de_selects, "sort": sort, "cursor": cursor, "find": find, "fields": fields},
            repeatable=True,
        )
        return cast("types.ApplicationsPage", answer.json())

    def submit_application(
        self,
        body: types.Submission,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.SubmittedApplication:
        """Submits an application in one call.

        POST /api/v1/applications

        idempotency_key: The same key with the same body again is answered with the same application; with another body with 422.
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/applications",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
            repeatable=idempotency_key is not None,
        )
        return cast("types.SubmittedApplication", answer.json())

    def application(
        self,
        appid: str,
    ) -> types.Application:
        """One application; waits for a change where asked.

        GET /api/v1/applications/{appid}
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/applications/{part(appid)}",
            repeatable=True,
        )
        return cast("types.Application", answer.json())

    def explain(
        self,
        appid: str,
    ) -> types.Explanation:
        """Why an application and its requests wait, and what would free them.

        GET /api/v1/applications/{appid}/explain
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/applications/{part(appid)}/explain",
            repeatable=True,
        )
        return cast("types.Explanation", answer.json())

    def application_life(
        self,
        appid: str,
    ) -> types.ApplicationLife:
        """Attempts and containers of an application with their times; containers that ended are known for an hour.

        GET /api/v1/applications/{appid}/life
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/applications/{part(appid)}/life",
            repeatable=True,
        )
        return cast("types.ApplicationLife", answer.json())

    def submitted_run(
        self,
        appid: str,
    ) -> types.SubmittedRun:
        """What a command that runs was asked to do; for who may change its application.

        GET /api/v1/applications/{appid}/run
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/applications/{part(appid)}/run",
            repeatable=True,
        )
        return cast("types.SubmittedRun", answer.json())

    def set_instances(
        self,
        appid: str,
        body: types.InstancesChange,
    ) -> types.InstancesChange:
        """Changes how many instances a command that runs is to have; for who may change its application.

        PUT /api/v1/applications/{appid}/instances
        """
        answer = self._transport.send(
            "PUT",
            f"/api/v1/applications/{part(appid)}/instances",
            body=body,
            repeatable=True,
        )
        return cast("types.InstancesChange", answer.json())

    def submission(
        self,
        appid: str,
    ) -> types.SubmittedContext:
        """What an application was submitted with, without secrets; who may not change it sees neither commands nor the values of variables.

        GET /api/v1/applications/{appid}/submission
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/applications/{part(appid)}/submission",
            repeatable=True,
        )
        return cast("types.SubmittedContext", answer.json())

    def master_access(
        self,
        appid: str,
    ) -> types.MasterAccess:
        """What an unmanaged master needs to register: its attempt and its token; for who submitted it.

        GET /api/v1/applications/{appid}/master
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/applications/{part(appid)}/master",
            repeatable=True,
        )
        return cast("types.MasterAccess", answer.json())

    def application_counts(
        self,
        *,
        states: Optional[Sequence[Literal["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"]]] = None,
        final_status: Optional[Literal["UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED"]] = None,
        user: Optional[str] = None,
        queue: Optional[str] = None,
        application_types: Optional[Sequence[str]] = None,
        limit: Optional[int] = None,
    ) -> types.ApplicationCounts:
        """What there is to choose from in lists of applications, with how many each choice has: of each kind with the filters of the others. Where lists leave out what callers may not view, their own are counted.

        GET /api/v1/application-counts

        queue: Those that live below it are counted, too.
        limit: How many values of a kind at most; default 20.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/application-counts",
            query={"states": states, "finalStatus": final_status, "user": user, "queue": queue, "applicationTypes": application_types, "limit": limit},
            repeatable=True,
        )
        return cast("types.ApplicationCounts", answer.json())

    def placement(
        self,
        *,
        limit: Optional[int] = None,
    ) -> types.Placement:
        """What each application has on each node, nodes in the order of their ids; of applications that the caller may not view the sum alone.

        GET /api/v1/placement

        limit: How many nodes at most; default 100.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/placement",
            query={"limit": limit},
            repeatable=True,
        )
        return cast("types.Placement", answer.json())

    def usage(
        self,
        *,
        span: Optional[Literal["now", "hour", "day"]] = None,
    ) -> types.ClusterUsage:
        """How much of the cluster was given, asked for and there: over an hour or a day, in even steps, and now; and what the machines of its nodes really used.

        GET /api/v1/usage

        span: How far back; default hour.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/usage",
            query={"span": span},
            repeatable=True,
        )
        return cast("types.ClusterUsage", answer.json())

    def waiting(
        self,
        *,
        limit: Optional[int] = None,
        queue: Optional[str] = None,
    ) -> types.WaitingApplications:
        """Applications that wait for their master, then those that run and wait for further containers, the oldest first, each with why and what would free it.

        GET /api/v1/waiting

        limit: How many at most; default 10.
        queue: Of this queue and those below.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/waiting",
            query={"limit": limit, "queue": queue},
            repeatable=True,
        )
        return cast("types.WaitingApplications", answer.json())

    def job_folders(
        self,
    ) -> types.JobFolders:
        """Where batch jobs of this cluster are staged and leave their history (folders that clients and nodes share), and whether their access lists count.

        GET /api/v1/job-folders
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/job-folders",
            repeatable=True,
        )
        return cast("types.JobFolders", answer.json())

    def server_log(
        self,
        *,
        level: Optional[Literal["trace", "debug", "info", "warn", "error", "fatal"]] = None,
        text: Optional[str] = None,
        request: Optional[str] = None,
        after: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> types.ServerLog:
        """The last lines of this server's own log; as server-sent events those that come, too.

        GET /api/v1/server-log

        level: Lines of this level and above.
        text: Lines with this in them, in any case.
        request: Lines about the request of this id.
        after: Lines beyond this number.
        limit: So many at most, the latest.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/server-log",
            query={"level": level, "text": text, "request": request, "after": after, "limit": limit},
            repeatable=True,
        )
        return cast("types.ServerLog", answer.json())

    def risks(
        self,
    ) -> types.StartRisks:
        """What is less safe about this start than it could be, and how each is ended.

        GET /api/v1/risks
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/risks",
            repeatable=True,
        )
        return cast("types.StartRisks", answer.json())

    def log_files(
        self,
        containerid: str,
    ) -> types.LogFiles:
        """The list of a container’s log files, from wherever they are: for pages, which cannot follow to another server.

        GET /api/v1/logs/{containerid}
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/logs/{part(containerid)}",
            repeatable=True,
        )
        return cast("types.LogFiles", answer.json())

    def log(
        self,
        containerid: str,
        filename: str,
    ) -> bytes:
        """A log file from wherever it is: a range of it, or with `follow=true` until the container ends.

        GET /api/v1/logs/{containerid}/{filename}
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/logs/{part(containerid)}/{part(filename)}",
            headers={"Accept": "*/*"},
            repeatable=True,
        )
        return answer.body

    def register_master(
        self,
        attempt_id: str,
        body: Optional[types.Registration] = None,
    ) -> types.Registered:
        """A master says where it can be reached; again after the resource manager restarted.

        POST /api/v1/attempts/{attemptId}/register
        """
        answer = self._transport.send(
            "POST",
            f"/api/v1/attempts/{part(attempt_id)}/register",
            body=body,
            repeatable=False,
        )
        return cast("types.Registered", answer.json())

    def allocate(
        self,
        attempt_id: str,
        body: types.Allocation,
        *,
        wait: Optional[int] = None,
    ) -> types.Allocated:
        """A master asks for containers, names places that it avoids, and hears what happened to what it has.

        POST /api/v1/attempts/{attemptId}/allocate

        wait: Milliseconds to wait for news.
        """
        answer = self._transport.send(
            "POST",
            f"/api/v1/attempts/{part(attempt_id)}/allocate",
            query={"wait": wait},
            body=body,
            repeatable=True,
        )
        return cast("types.Allocated", answer.json())

    def finish_master(
        self,
        attempt_id: str,
        body: types.Finish,
    ) -> types.Finished:
        """A master says how its application ended.

        POST /api/v1/attempts/{attemptId}/finish
        """
        answer = self._transport.send(
            "POST",
            f"/api/v1/attempts/{part(attempt_id)}/finish",
            body=body,
            repeatable=True,
        )
        return cast("types.Finished", answer.json())

    def node_attributes(
        self,
        *,
        attribute: Optional[str] = None,
    ) -> types.NodeAttributes:
        """Attributes of nodes, each with the hosts that have it.

        GET /api/v1/node-attributes

        attribute: `prefix/name`; may be repeated.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/node-attributes",
            query={"attribute": attribute},
            repeatable=True,
        )
        return cast("types.NodeAttributes", answer.json())

    def change_node_attributes(
        self,
        body: types.NodeAttributeChange,
    ) -> types.ChangedCount:
        """Gives attributes to hosts, replaces or removes them.

        POST /api/v1/node-attributes
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/node-attributes",
            body=body,
            repeatable=False,
        )
        return cast("types.ChangedCount", answer.json())

    def attributes_of_nodes(
        self,
        *,
        host: Optional[str] = None,
    ) -> types.AttributedNodes:
        """Hosts with their attributes.

        GET /api/v1/node-attributes/nodes

        host: May be repeated.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/node-attributes/nodes",
            query={"host": host},
            repeatable=True,
        )
        return cast("types.AttributedNodes", answer.json())

    def node(
        self,
        node_id: str,
    ) -> types.Node:
        """One node in brief; waits for a change, or for its leaving, where asked.

        GET /api/v1/nodes/{nodeId}
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/nodes/{part(node_id)}",
            repeatable=True,
        )
        return cast("types.Node", answer.json())

    def container(
        self,
        containerid: str,
    ) -> types.Container:
        """One container, for an hour after its end, too; waits for a change, or for its end, where asked.

        GET /api/v1/containers/{containerid}
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/containers/{part(containerid)}",
            repeatable=True,
        )
        return cast("types.Container", answer.json())

    def queue(
        self,
        queue: str,
    ) -> types.Queue:
        """One queue in brief, with those below it; waits for a change, or until it is stopped and empty, where asked.

        GET /api/v1/queues/{queue}
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/queues/{part(queue)}",
            repeatable=True,
        )
        return cast("types.Queue", answer.json())

    def node_containers(
        self,
        node_id: str,
    ) -> types.NodeContainers:
        """Containers on a node with the applications that have them; how many the caller may not view is said, and whether the connection to the node is up.

        GET /api/v1/nodes/{nodeId}/containers
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/nodes/{part(node_id)}/containers",
            repeatable=True,
        )
        return cast("types.NodeContainers", answer.json())

    def node_usage(
        self,
        node_id: str,
    ) -> types.NodeUsage:
        """What a machine and, together, its containers used over the last ten minutes; the node tells it.

        GET /api/v1/nodes/{nodeId}/usage
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/nodes/{part(node_id)}/usage",
            repeatable=True,
        )
        return cast("types.NodeUsage", answer.json())

    def node_containers_usage(
        self,
        node_id: str,
    ) -> types.ContainersUsage:
        """What the containers that run on a node used over the last ten minutes, in brief; those that the caller may view. The node tells it.

        GET /api/v1/nodes/{nodeId}/usage/containers
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/nodes/{part(node_id)}/usage/containers",
            repeatable=True,
        )
        return cast("types.ContainersUsage", answer.json())

    def application_usage(
        self,
        appid: str,
    ) -> types.ContainersUsage:
        """What the containers of an application that run used over the last ten minutes, in brief; their nodes tell it, 32 of them at most.

        GET /api/v1/applications/{appid}/usage
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/applications/{part(appid)}/usage",
            repeatable=True,
        )
        return cast("types.ContainersUsage", answer.json())

    def container_usage(
        self,
        containerid: str,
    ) -> types.ContainerUsage:
        """What a container used over the last ten minutes, beside what it was given; its node tells it.

        GET /api/v1/containers/{containerid}/usage
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/containers/{part(containerid)}/usage",
            repeatable=True,
        )
        return cast("types.ContainerUsage", answer.json())

    def drain_node(
        self,
        node_id: str,
        body: Optional[types.Leave] = None,
    ) -> types.NodeStanding:
        """Lets a node finish its applications within a time and leave; it stays away until it is resumed.

        POST /api/v1/nodes/{nodeId}/drain
        """
        answer = self._transport.send(
            "POST",
            f"/api/v1/nodes/{part(node_id)}/drain",
            body=body,
            repeatable=False,
        )
        return cast("types.NodeStanding", answer.json())

    def resume_node(
        self,
        node_id: str,
    ) -> types.NodeStanding:
        """Undoes a drain: a node that is still there goes on, one that left may come back.

        POST /api/v1/nodes/{nodeId}/resume
        """
        answer = self._transport.send(
            "POST",
            f"/api/v1/nodes/{part(node_id)}/resume",
            repeatable=False,
        )
        return cast("types.NodeStanding", answer.json())

    def refresh_nodes(
        self,
        body: Optional[types.Leave] = None,
    ) -> types.ChangedNodes:
        """Reads the include and exclude files again; nodes no longer listed leave, at once or within gracefulSeconds.

        POST /api/v1/nodes/refresh
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/nodes/refresh",
            body=body,
            repeatable=False,
        )
        return cast("types.ChangedNodes", answer.json())

    def refresh_node_resources(
        self,
    ) -> types.ResizedNodes:
        """Reads dynamic-resources.xml again; nodes it names get the sizes it says.

        POST /api/v1/nodes/refresh-resources
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/nodes/refresh-resources",
            repeatable=False,
        )
        return cast("types.ResizedNodes", answer.json())

    def refresh_queues(
        self,
    ) -> types.RefreshedQueues:
        """Reads capacity-scheduler.xml or fair-scheduler.xml again and takes it over; refused as a whole, with file, key and remedy.

        POST /api/v1/queues/refresh
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/queues/refresh",
            repeatable=False,
        )
        return cast("types.RefreshedQueues", answer.json())

    def queue_what_if(
        self,
        body: types.QueueProposal,
    ) -> types.QueueWhatIf:
        """What the queues would come to with a change, or with another queue file: shares, who would start, what would be taken back. Nothing is changed.

        POST /api/v1/queues/what-if
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/queues/what-if",
            body=body,
            repeatable=False,
        )
        return cast("types.QueueWhatIf", answer.json())

    def queue_history(
        self,
    ) -> types.QueueHistory:
        """What callers changed of the queues: who, when, which keys from what to what; the newest first.

        GET /api/v1/queues/history
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/queues/history",
            repeatable=True,
        )
        return cast("types.QueueHistory", answer.json())

    def refresh_access(
        self,
    ) -> types.JobFoldersAccessLists:
        """Reads again who administers (yarn.admin.acl), who may act for whom (proxy users) and who is in which group.

        POST /api/v1/access/refresh
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/access/refresh",
            repeatable=False,
        )
        return cast("types.JobFoldersAccessLists", answer.json())

    def user_groups(
        self,
        user: str,
    ) -> types.UserGroups:
        """The groups that a user is in, as this server finds them.

        GET /api/v1/users/{user}/groups
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/users/{part(user)}/groups",
            repeatable=True,
        )
        return cast("types.UserGroups", answer.json())

    def stage_file(
        self,
        user: str,
        application: str,
        name: str,
        body: bytes,
        *,
        content_digest: Optional[str] = None,
    ) -> types.StagedFile:
        """Leaves a file for an application of one’s own; its answer names the local resource. A header `content-digest: sha-256=:…:` is checked.

        PUT /api/v1/staging/{user}/{application}/{name}

        content_digest: `sha-256=:BASE64:`, checked.
        """
        answer = self._transport.send(
            "PUT",
            f"/api/v1/staging/{part(user)}/{part(application)}/{part(name)}",
            headers={"Content-Digest": content_digest},
            body=body,
            repeatable=True,
        )
        return cast("types.StagedFile", answer.json())

    def staged_file(
        self,
        user: str,
        application: str,
        name: str,
    ) -> bytes:
        """Reads a staged file of one’s own.

        GET /api/v1/staging/{user}/{application}/{name}
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/staging/{part(user)}/{part(application)}/{part(name)}",
            headers={"Accept": "*/*"},
            repeatable=True,
        )
        return answer.body

    def remove_staged_files(
        self,
        user: str,
        application: str,
    ) -> types.RemovedFiles:
        """Removes what was staged for an application of one’s own.

        DELETE /api/v1/staging/{user}/{application}
        """
        answer = self._transport.send(
            "DELETE",
            f"/api/v1/staging/{part(user)}/{part(application)}",
            repeatable=True,
        )
        return cast("types.RemovedFiles", answer.json())

    def create_token(
        self,
        body: types.TokenWish,
    ) -> types.MadeToken:
        """Makes a bearer token of the caller’s; its text is in this answer and nowhere else.

        POST /api/v1/tokens
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/tokens",
            body=body,
            repeatable=False,
        )
        return cast("types.MadeToken", answer.json())

    def tokens(
        self,
        *,
        all: Optional[bool] = None,
    ) -> types.Tokens:
        """The caller’s bearer tokens, without their texts; with `all=true` those of everybody, for administrators.

        GET /api/v1/tokens

        all: Those of everybody, for administrators.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/tokens",
            query={"all": all},
            repeatable=True,
        )
        return cast("types.Tokens", answer.json())

    def revoke_token(
        self,
        token: str,
    ) -> types.TokensToken:
        """Revokes a bearer token, named by its id or by its name; it counts nowhere any more.

        DELETE /api/v1/tokens/{token}
        """
        answer = self._transport.send(
            "DELETE",
            f"/api/v1/tokens/{part(token)}",
            repeatable=True,
        )
        return cast("types.TokensToken", answer.json())

    def create_schedule(
        self,
        body: types.ScheduleWish,
    ) -> types.Schedule:
        """Makes a schedule of the caller’s: its submission is made in the caller’s name whenever the cron expression says.

        POST /api/v1/schedules
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/schedules",
            body=body,
            repeatable=False,
        )
        return cast("types.Schedule", answer.json())

    def schedules(
        self,
        *,
        all: Optional[Literal["true", "false"]] = None,
    ) -> types.Schedules:
        """The caller’s schedules, without what they submit; with `all=true` those of everybody, for administrators.

        GET /api/v1/schedules

        all: Those of everybody, for administrators.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/schedules",
            query={"all": all},
            repeatable=True,
        )
        return cast("types.Schedules", answer.json())

    def schedule_times(
        self,
        *,
        cron: Optional[str] = None,
        time_zone: Optional[str] = None,
    ) -> types.ScheduleTimes:
        """The next moments of a cron expression, as a schedule would have them; nothing is made.

        GET /api/v1/schedule-times

        cron: Minute, hour, day of the month, month, day of the week; or such as `@daily`.
        time_zone: Such as Europe/Berlin; default UTC.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/schedule-times",
            query={"cron": cron, "timeZone": time_zone},
            repeatable=True,
        )
        return cast("types.ScheduleTimes", answer.json())

    def schedule(
        self,
        user: str,
        schedule: str,
    ) -> types.ScheduleDetail:
        """One schedule: its next moments, what came of the last, and what it submits, without secrets.

        GET /api/v1/schedules/{user}/{schedule}
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/schedules/{part(user)}/{part(schedule)}",
            repeatable=True,
        )
        return cast("types.ScheduleDetail", answer.json())

    def remove_schedule(
        self,
        user: str,
        schedule: str,
    ) -> types.RemovedFiles:
        """Removes a schedule; what it submitted goes on.

        DELETE /api/v1/schedules/{user}/{schedule}
        """
        answer = self._transport.send(
            "DELETE",
            f"/api/v1/schedules/{part(user)}/{part(schedule)}",
            repeatable=True,
        )
        return cast("types.RemovedFiles", answer.json())

    def pause_schedule(
        self,
        user: str,
        schedule: str,
    ) -> types.Schedule:
        """Stops a schedule.

        POST /api/v1/schedules/{user}/{schedule}/pause
        """
        answer = self._transport.send(
            "POST",
            f"/api/v1/schedules/{part(user)}/{part(schedule)}/pause",
            repeatable=False,
        )
        return cast("types.Schedule", answer.json())

    def resume_schedule(
        self,
        user: str,
        schedule: str,
    ) -> types.Schedule:
        """Lets a schedule go on from now; what was due meanwhile is not made up for.

        POST /api/v1/schedules/{user}/{schedule}/resume
        """
        answer = self._transport.send(
            "POST",
            f"/api/v1/schedules/{part(user)}/{part(schedule)}/resume",
            repeatable=False,
        )
        return cast("types.Schedule", answer.json())

    def run_schedule(
        self,
        user: str,
        schedule: str,
    ) -> types.ScheduleRun2:
        """Submits what a schedule submits, now, whatever else of it runs.

        POST /api/v1/schedules/{user}/{schedule}/run
        """
        answer = self._transport.send(
            "POST",
            f"/api/v1/schedules/{part(user)}/{part(schedule)}/run",
            repeatable=False,
        )
        return cast("types.ScheduleRun2", answer.json())

    def create_webhook(
        self,
        body: types.WebhookWish,
    ) -> types.MadeWebhook:
        """Makes a webhook of the caller’s: events are sent there. Its secret is in this answer and nowhere else.

        POST /api/v1/webhooks
        """
        answer = self._transport.send(
            "POST",
            "/api/v1/webhooks",
            body=body,
            repeatable=False,
        )
        return cast("types.MadeWebhook", answer.json())

    def webhooks(
        self,
        *,
        all: Optional[bool] = None,
    ) -> types.Webhooks:
        """The caller’s webhooks, without their secrets; with `all=true` those of everybody, for administrators.

        GET /api/v1/webhooks

        all: Those of everybody, for administrators.
        """
        answer = self._transport.send(
            "GET",
            "/api/v1/webhooks",
            query={"all": all},
            repeatable=True,
        )
        return cast("types.Webhooks", answer.json())

    def webhook(
        self,
        webhook: str,
    ) -> types.WebhookDetail:
        """One webhook with the events that were given up for it.

        GET /api/v1/webhooks/{webhook}
        """
        answer = self._transport.send(
            "GET",
            f"/api/v1/webhooks/{part(webhook)}",
            repeatable=True,
        )
        return cast("types.WebhookDetail", answer.json())

    def remove_webhook(
        self,
        webhook: str,
    ) -> types.RemovedFiles:
        """Removes a webhook and all that was to be sent there.

        DELETE /api/v1/webhooks/{webhook}
        """
        answer = self._transport.send(
            "DELETE",
            f"/api/v1/webhooks/{part(webhook)}",
            repeatable=True,
        )
        return cast("types.RemovedFiles", answer.json())

    def redeliver(
        self,
        webhook: str,
        body: Optional[types.RedeliveryWish] = None,
    ) -> types.Redelivered:
        """Sends events again that were given up: those that are named, or all.

        POST /api/v1/webhooks/{webhook}/redeliver
        """
        answer = self._transport.send(
            "POST",
            f"/api/v1/webhooks/{part(webhook)}/redeliver",
            body=body,
            repeatable=False,
        )
        return cast("types.Redelivered", answer.json())

    def cluster_info(
        self,
    ) -> types.ClusterInfo:
        """Facts about the cluster.

        GET /ws/v1/cluster/info
        """
        answer = self._transport.send(
            "GET",
            "/ws/v1/cluster/info",
            repeatable=True,
        )
        return cast("types.ClusterInfo", answer.json())

    def cluster_metrics(
        self,
    ) -> types.ClusterMetrics:
        """Numbers of the cluster.

        GET /ws/v1/cluster/metrics
        """
        answer = self._transport.send(
            "GET",
            "/ws/v1/cluster/metrics",
            repeatable=True,
        )
        return cast("types.ClusterMetrics", answer.json())

    def cluster_scheduler(
        self,
    ) -> types.Scheduler:
        """The queues with their shares, limits and use.

        GET /ws/v1/cluster/scheduler
        """
        answer = self._transport.send(
            "GET",
            "/ws/v1/cluster/scheduler",
            repeatable=True,
        )
        return cast("types.Scheduler", answer.json())

    def cluster_apps(
        self,
        *,
        states: Optional[Sequence[Literal["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"]]] = None,
        state: Optional[Literal["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"]] = None,
        final_status: Optional[Literal["UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED"]] = None,
        user: Optional[str] = None,
        queue: Optional[str] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        application_types: Optional[Sequence[str]] = None,
        application_tags: Optional[Sequence[str]] = None,
        started_time_begin: Optional[int] = None,
        started_time_end: Optional[int] = None,
        finished_time_begin: Optional[int] = None,
        finished_time_end: Optional[int] = None,
        de_selects: Optional[Sequence[Literal["resourceRequests", "timeouts", "appNodeLabelExpression", "amNodeLabelExpression", "resourceInfo"]]] = None,
    ) -> types.Apps:
        """Applications, by filters.

        GET /ws/v1/cluster/apps

        limit: How many at most.
        started_time_begin: Milliseconds since the epoch.
        started_time_end: Milliseconds since the epoch.
        finished_time_begin: Milliseconds since the epoch.
        finished_time_end: Milliseconds since the epoch.
        de_selects: Left out.
        """
        answer = self._transport.send(
            "GET",
            "/ws/v1/cluster/apps",
            query={"states": states, "state": state, "finalStatus": final_status, "user": user, "queue": queue, "name": name, "limit": limit, "applicationTypes": application_types, "applicationTags": application_tags, "startedTimeBegin": started_time_begin, "startedTimeEnd": started_time_end, "finishedTimeBegin": finished_time_begin, "finishedTimeEnd": finished_time_end, "deSelects": de_selects},
            repeatable=True,
        )
        return cast("types.Apps", answer.json())

    def cluster_app(
        self,
        appid: str,
        *,
        de_selects: Optional[Sequence[Literal["resourceRequests", "timeouts", "appNodeLabelExpression", "amNodeLabelExpression", "resourceInfo"]]] = None,
    ) -> types.App:
        """One application.

        GET /ws/v1/cluster/apps/{appid}

        de_selects: Left out.
        """
        answer = self._transport.send(
            "GET",
            f"/ws/v1/cluster/apps/{part(appid)}",
            query={"deSelects": de_selects},
            repeatable=True,
        )
        return cast("types.App", answer.json())

    def cluster_app_state(
        self,
        appid: str,
    ) -> types.AppState:
        """An application's state inside the resource manager.

        GET /ws/v1/cluster/apps/{appid}/state
        """
        answer = self._transport.send(
            "GET",
            f"/ws/v1/cluster/apps/{part(appid)}/state",
            repeatable=True,
        )
        return cast("types.AppState", answer.json())

    def cluster_set_app_state(
        self,
        appid: str,
        body: types.AppStateChange,
    ) -> types.AppState:
        """Kills an application.

        PUT /ws/v1/cluster/apps/{appid}/state
        """
        answer = self._transport.send(
            "PUT",
            f"/ws/v1/cluster/apps/{part(appid)}/state",
            body=body,
            repeatable=True,
        )
        return cast("types.AppState", answer.json())

    def cluster_nodes(
        self,
        *,
        states: Optional[Sequence[Literal["NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONING", "DECOMMISSIONED", "LOST", "REBOOTED", "SHUTDOWN"]]] = None,
    ) -> types.Nodes:
        """Nodes, by state.

        GET /ws/v1/cluster/nodes
        """
        answer = self._transport.send(
            "GET",
            "/ws/v1/cluster/nodes",
            query={"states": states},
            repeatable=True,
        )
        return cast("types.Nodes", answer.json())

    def cluster_node(
        self,
        node_id: str,
    ) -> types.Node2:
        """One node.

        GET /ws/v1/cluster/nodes/{nodeId}
        """
        answer = self._transport.send(
            "GET",
            f"/ws/v1/cluster/nodes/{part(node_id)}",
            repeatable=True,
        )
        return cast("types.Node2", answer.json())
