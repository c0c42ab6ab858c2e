"""What requests and answers hold. Written by scripts/write-python-client.ts; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class ApplicationsPageApplicationEndedContainers(TypedDict):
    succeeded: int
    failed: int
    stopped: int


class ApplicationsPageApplication(TypedDict, total=False):
    id: str
    user: str
    name: str
    type: str
    tags: List[str]
    queue: str
    priority: int
    state: Literal["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"]
    finalStatus: Literal["UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED"]
    progress: float
    diagnostics: str
    trackingUrl: str
    attempts: int
    startedTime: float
    launchedTime: float
    finishedTime: float
    masterNodeId: str
    masterContainerId: str
    allocatedMemoryMiB: float
    allocatedVcores: float
    runningContainers: int
    pendingContainers: int
    endedContainers: ApplicationsPageApplicationEndedContainers


class _ApplicationsPageAlways(TypedDict):
    applications: List[ApplicationsPageApplication]


class _ApplicationsPageSometimes(TypedDict, total=False):
    next: str


class ApplicationsPage(_ApplicationsPageAlways, _ApplicationsPageSometimes):
    pass


class SubmissionAmContainerSpecLocalResourcesValue(TypedDict, total=False):
    resource: str
    type: str
    visibility: str
    size: int
    timestamp: int
    pattern: str


class SubmissionAmContainerSpecCommands(TypedDict, total=False):
    command: List[str]


class SubmissionAmContainerSpecCredentials(TypedDict, total=False):
    tokens: Dict[str, str]
    secrets: Dict[str, str]


SubmissionAmContainerSpec = TypedDict(
    "SubmissionAmContainerSpec",
    {
        "local-resources": "Dict[str, SubmissionAmContainerSpecLocalResourcesValue]",
        "environment": "Dict[str, str]",
        "commands": "SubmissionAmContainerSpecCommands",
        "service-data": "Dict[str, str]",
        "credentials": "SubmissionAmContainerSpecCredentials",
        "application-acls": "Dict[str, str]",
    },
    total=False,
)


class SubmissionResourceResourceInformationsResourceInformation(TypedDict, total=False):
    attributes: Dict[str, str]
    maximumAllocation: int
    minimumAllocation: int
    name: str
    resourceType: str
    tags: List[str]
    units: str
    value: int


class SubmissionResourceResourceInformations(TypedDict, total=False):
    resourceInformation: List[SubmissionResourceResourceInformationsResourceInformation]


class SubmissionResource(TypedDict, total=False):
    memory: int
    vCores: int
    resourceInformations: SubmissionResourceResourceInformations


class SubmissionApplicationTags(TypedDict, total=False):
    tag: List[str]


SubmissionLogAggregationContext = TypedDict(
    "SubmissionLogAggregationContext",
    {
        "log-include-pattern": "str",
        "log-exclude-pattern": "str",
        "rolled-log-include-pattern": "str",
        "rolled-log-exclude-pattern": "str",
        "log-aggregation-policy-class-name": "str",
        "log-aggregation-policy-parameters": "str",
    },
    total=False,
)


SubmissionAmBlackListingRequests = TypedDict(
    "SubmissionAmBlackListingRequests",
    {
        "am-black-listing-enabled": "bool",
        "disable-failure-threshold": "str",
    },
    total=False,
)


class SubmissionAmContainerResourceRequestExecutionTypeRequest(TypedDict, total=False):
    executionType: str
    enforceExecutionType: bool


class SubmissionAmContainerResourceRequest(TypedDict, total=False):
    priority: int
    allocationRequestId: int
    resourceName: str
    capability: SubmissionResource
    numContainers: int
    relaxLocality: bool
    nodeLabelExpression: str
    executionTypeRequest: SubmissionAmContainerResourceRequestExecutionTypeRequest
    placementConstraint: str
    allocationTags: List[str]


class SubmissionRunFilesValue(TypedDict, total=False):
    text: str
    base64: str
    uri: str
    archive: bool


class SubmissionRun(TypedDict, total=False):
    command: List[str]
    instances: int
    memoryMiB: int
    vcores: int
    resources: Dict[str, int]
    environment: Dict[str, str]
    files: Dict[str, SubmissionRunFilesValue]
    secrets: Dict[str, str]
    retries: int
    opportunistic: bool
    tags: List[str]
    constraint: str


Submission = TypedDict(
    "Submission",
    {
        "application-id": "str",
        "application-name": "str",
        "queue": "str",
        "priority": "int",
        "am-container-spec": "SubmissionAmContainerSpec",
        "unmanaged-AM": "bool",
        "cancel-tokens-when-complete": "bool",
        "max-app-attempts": "int",
        "resource": "SubmissionResource",
        "application-type": "str",
        "keep-containers-across-application-attempts": "bool",
        "application-tags": "SubmissionApplicationTags",
        "app-node-label-expression": "str",
        "am-container-node-label-expression": "str",
        "log-aggregation-context": "SubmissionLogAggregationContext",
        "attempt-failures-validity-interval": "int",
        "reservation-id": "str",
        "am-black-listing-requests": "SubmissionAmBlackListingRequests",
        "am-container-resource-requests": "List[SubmissionAmContainerResourceRequest]",
        "application-timeouts": "Dict[str, int]",
        "idempotency-key": "str",
        "run": "SubmissionRun",
    },
    total=False,
)


class TriedSubmissionContainerNode(TypedDict):
    nodeId: str
    count: int


class TriedSubmissionContainerReason(TypedDict):
    rule: str
    sentence: str
    remedy: str


class _TriedSubmissionContainerAlways(TypedDict):
    role: Literal["master", "instance"]
    count: int
    resource: Dict[str, float]
    nodes: List[TriedSubmissionContainerNode]
    waiting: int
    reasons: List[TriedSubmissionContainerReason]


class _TriedSubmissionContainerSometimes(TypedDict, total=False):
    refused: str


class TriedSubmissionContainer(_TriedSubmissionContainerAlways, _TriedSubmissionContainerSometimes):
    pass


class TriedSubmissionAdjusted(TypedDict):
    of: Literal["application", "master", "instance"]
    what: str
    asked: float
    given: float
    sentence: str


class _TriedSubmissionAlways(TypedDict):
    accepted: bool
    sentence: str
    user: str
    containers: List[TriedSubmissionContainer]
    adjusted: List[TriedSubmissionAdjusted]


class _TriedSubmissionSometimes(TypedDict, total=False):
    repeats: str
    name: str
    type: str
    queue: str
    mapped: bool
    priority: int
    masterLabel: str
    lifetimeSeconds: float


class TriedSubmission(_TriedSubmissionAlways, _TriedSubmissionSometimes):
    pass


class SubmittedApplication(TypedDict):
    id: str
    adjusted: List[TriedSubmissionAdjusted]


class _ApplicationAlways(TypedDict):
    id: str
    user: str
    name: str
    type: str
    tags: List[str]
    queue: str
    priority: int
    state: Literal["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"]
    finalStatus: Literal["UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED"]
    progress: float
    diagnostics: str
    attempts: int


class _ApplicationSometimes(TypedDict, total=False):
    trackingUrl: str
    startedTime: float
    launchedTime: float
    finishedTime: float
    masterNodeId: str
    masterContainerId: str
    allocatedMemoryMiB: float
    allocatedVcores: float
    runningContainers: int
    pendingContainers: int
    endedContainers: ApplicationsPageApplicationEndedContainers


class Application(_ApplicationAlways, _ApplicationSometimes):
    pass


class ExplanationApplication(TypedDict, total=False):
    rule: str
    sentence: str
    remedy: str
    queue: str
    user: str
    partition: str
    asked: Dict[str, int]
    used: Dict[str, int]
    limit: Dict[str, int]
    unroundedLimit: Dict[str, int]
    running: int
    maximum: int
    other: str
    nodeId: str
    missing: Dict[str, int]


class ExplanationRequestNodesGroup(TypedDict, total=False):
    why: str
    sentence: str
    count: int
    nodeIds: List[str]


class ExplanationRequestNodesClosest(TypedDict, total=False):
    nodeId: str
    available: Dict[str, int]
    total: Dict[str, int]
    missing: Dict[str, int]


class ExplanationRequestNodes(TypedDict, total=False):
    count: int
    groups: List[ExplanationRequestNodesGroup]
    closest: ExplanationRequestNodesClosest


class ExplanationRequest(TypedDict, total=False):
    askId: str
    master: bool
    priority: int
    allocationRequestId: int
    resource: Dict[str, int]
    count: int
    partition: str
    sinceMs: int
    waitingMs: int
    reasons: List[ExplanationApplication]
    nodes: ExplanationRequestNodes


class ExplanationAdjusted(TypedDict, total=False):
    of: str
    what: str
    asked: int
    given: int
    sentence: str


class Explanation(TypedDict, total=False):
    id: str
    state: str
    finalStatus: str
    queue: str
    user: str
    sentence: str
    remedy: str
    waiting: bool
    sinceMs: int
    waitingMs: int
    queueState: str
    application: ExplanationApplication
    requests: List[ExplanationRequest]
    furtherRequests: int
    adjusted: List[ExplanationAdjusted]
    diagnostics: str


class _ApplicationLifeAttemptAlways(TypedDict):
    id: str
    number: int
    state: str
    finalStatus: Literal["UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED"]
    startedTime: float
    finishedTime: float
    diagnostics: str


class _ApplicationLifeAttemptSometimes(TypedDict, total=False):
    masterContainerId: str
    masterNodeId: str
    exitStatus: int
    exitOutcome: Literal["SUCCEEDED", "FAILED", "STOPPED"]
    exitMeaning: str


class ApplicationLifeAttempt(_ApplicationLifeAttemptAlways, _ApplicationLifeAttemptSometimes):
    pass


class _ApplicationLifeContainerAlways(TypedDict):
    id: str
    attemptId: str
    nodeId: str
    state: str
    createdTime: float
    startedTime: float
    finishedTime: float
    isMaster: bool
    executionType: str
    memoryMiB: float
    vcores: float
    diagnostics: str


class _ApplicationLifeContainerSometimes(TypedDict, total=False):
    exitStatus: int
    exitOutcome: Literal["SUCCEEDED", "FAILED", "STOPPED"]
    exitMeaning: str
    instance: int
    tryNumber: int


class ApplicationLifeContainer(_ApplicationLifeContainerAlways, _ApplicationLifeContainerSometimes):
    pass


class ApplicationLife(TypedDict):
    id: str
    nowMs: float
    attempts: List[ApplicationLifeAttempt]
    containers: List[ApplicationLifeContainer]
    containersSinceMs: float
    more: bool


class _SubmittedRunRunFilesValueAlways(TypedDict):
    resource: str
    type: Literal["FILE", "ARCHIVE", "PATTERN"]
    visibility: Literal["PUBLIC", "PRIVATE", "APPLICATION"]
    size: float
    timestamp: float


class _SubmittedRunRunFilesValueSometimes(TypedDict, total=False):
    pattern: str


class SubmittedRunRunFilesValue(_SubmittedRunRunFilesValueAlways, _SubmittedRunRunFilesValueSometimes):
    pass


class _SubmittedRunRunPlacementAlways(TypedDict):
    tags: List[str]


class _SubmittedRunRunPlacementSometimes(TypedDict, total=False):
    constraint: str


class SubmittedRunRunPlacement(_SubmittedRunRunPlacementAlways, _SubmittedRunRunPlacementSometimes):
    pass


class _SubmittedRunRunAlways(TypedDict):
    command: List[str]
    instances: int
    memoryMiB: float
    vcores: float
    environment: Dict[str, str]
    files: Dict[str, SubmittedRunRunFilesValue]
    retries: int
    attached: bool


class _SubmittedRunRunSometimes(TypedDict, total=False):
    resources: Dict[str, float]
    secrets: List[str]
    placement: SubmittedRunRunPlacement
    opportunistic: bool


class SubmittedRunRun(_SubmittedRunRunAlways, _SubmittedRunRunSometimes):
    pass


class _SubmittedRunAlways(TypedDict):
    id: str
    name: str
    user: str
    state: str
    queue: str
    priority: float
    masterMemoryMiB: float
    run: SubmittedRunRun


class _SubmittedRunSometimes(TypedDict, total=False):
    label: str
    reservationId: str
    lifetimeSeconds: float


class SubmittedRun(_SubmittedRunAlways, _SubmittedRunSometimes):
    pass


class InstancesChange(TypedDict):
    instances: int


class _SubmittedContextRunFileAlways(TypedDict):
    name: str
    archive: bool


class _SubmittedContextRunFileSometimes(TypedDict, total=False):
    address: str
    bytes: float
    kept: bool


class SubmittedContextRunFile(_SubmittedContextRunFileAlways, _SubmittedContextRunFileSometimes):
    pass


class _SubmittedContextRunAlways(TypedDict):
    instances: int
    memoryMiB: float
    vcores: float
    resources: Dict[str, float]
    environment: Dict[str, str]
    files: List[SubmittedContextRunFile]
    secrets: List[str]
    retries: int
    tags: List[str]
    opportunistic: bool


class _SubmittedContextRunSometimes(TypedDict, total=False):
    command: List[str]
    constraint: str


class SubmittedContextRun(_SubmittedContextRunAlways, _SubmittedContextRunSometimes):
    pass


class _SubmittedContextLaunchAlways(TypedDict):
    environment: Dict[str, str]
    files: List[SubmittedContextRunFile]
    services: List[str]
    credentials: bool
    secrets: List[str]


class _SubmittedContextLaunchSometimes(TypedDict, total=False):
    commands: List[str]


class SubmittedContextLaunch(_SubmittedContextLaunchAlways, _SubmittedContextLaunchSometimes):
    pass


class _SubmittedContextAlways(TypedDict):
    id: str
    name: str
    user: str
    type: str
    submittedTime: float
    tags: List[str]
    master: Dict[str, float]
    keepContainers: bool
    unmanaged: bool
    hiddenVariables: List[str]
    notes: List[str]


class _SubmittedContextSometimes(TypedDict, total=False):
    queue: str
    priority: float
    label: str
    reservationId: str
    lifetimeSeconds: float
    masterLabel: str
    masterPlaces: List[str]
    maximumAttempts: int
    viewers: str
    modifiers: str
    run: SubmittedContextRun
    launch: SubmittedContextLaunch
    yaml: str


class SubmittedContext(_SubmittedContextAlways, _SubmittedContextSometimes):
    pass


class MasterAccess(TypedDict):
    attemptId: str
    token: str
    resourceManager: str


class ApplicationCountsStatesValue(TypedDict):
    name: str
    count: int


class ApplicationCountsStates(TypedDict):
    values: List[ApplicationCountsStatesValue]
    more: int


class ApplicationCounts(TypedDict):
    total: int
    states: ApplicationCountsStates
    finalStatuses: ApplicationCountsStates
    users: ApplicationCountsStates
    queues: ApplicationCountsStates
    types: ApplicationCountsStates


class PlacementNodeShare(TypedDict):
    applicationId: str
    containers: int
    memoryMiB: int
    vcores: int


class PlacementNodeHidden(TypedDict):
    containers: int
    memoryMiB: int
    vcores: int


class PlacementNode(TypedDict):
    id: str
    shares: List[PlacementNodeShare]
    hidden: PlacementNodeHidden


class PlacementApplication(TypedDict):
    id: str
    name: str
    user: str
    queue: str


class Placement(TypedDict):
    nodes: List[PlacementNode]
    applications: List[PlacementApplication]
    more: bool


class ClusterUsageSample(TypedDict):
    timeMs: float
    totalMemoryMiB: float
    usedMemoryMiB: float
    pendingMemoryMiB: float
    totalVcores: float
    usedVcores: float
    pendingVcores: float
    runningApplications: float
    waitingApplications: float
    containers: float
    pendingContainers: float
    machineMemoryMiB: float
    machineCores: float


class ClusterUsage(TypedDict):
    span: Literal["now", "hour", "day"]
    stepMs: int
    samples: List[ClusterUsageSample]


class _WaitingApplicationsApplicationAlways(TypedDict):
    id: str
    name: str
    user: str
    queue: str
    state: Literal["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"]
    sinceMs: float
    sentence: str


class _WaitingApplicationsApplicationSometimes(TypedDict, total=False):
    remedy: str


class WaitingApplicationsApplication(_WaitingApplicationsApplicationAlways, _WaitingApplicationsApplicationSometimes):
    pass


class WaitingApplications(TypedDict):
    applications: List[WaitingApplicationsApplication]
    more: bool


class JobFoldersAccessLists(TypedDict):
    administrators: str


class _JobFoldersAlways(TypedDict):
    staging: str
    intermediateHistory: str


class _JobFoldersSometimes(TypedDict, total=False):
    accessLists: JobFoldersAccessLists


class JobFolders(_JobFoldersAlways, _JobFoldersSometimes):
    pass


class ServerLogChange(TypedDict):
    untilMs: int
    afterwards: str


class ServerLogLine(TypedDict):
    number: int
    time: int
    level: Literal["trace", "debug", "info", "warn", "error", "fatal"]
    message: str
    fields: str


class _ServerLogAlways(TypedDict):
    writtenFrom: str
    lines: List[ServerLogLine]
    more: bool


class _ServerLogSometimes(TypedDict, total=False):
    change: ServerLogChange


class ServerLog(_ServerLogAlways, _ServerLogSometimes):
    pass


class StartRisksRisk(TypedDict):
    what: str
    remedy: str


class StartRisks(TypedDict):
    risks: List[StartRisksRisk]


class _LogFilesFileAlways(TypedDict):
    name: str
    bytes: float


class _LogFilesFileSometimes(TypedDict, total=False):
    modifiedTime: float


class LogFilesFile(_LogFilesFileAlways, _LogFilesFileSometimes):
    pass


class LogFiles(TypedDict):
    containerId: str
    running: bool
    files: List[LogFilesFile]


class RegistrationPlacementConstraint(TypedDict):
    sourceTags: List[str]
    constraint: Any


class Registration(TypedDict, total=False):
    host: str
    rpcPort: int
    trackingUrl: str
    placementConstraints: List[RegistrationPlacementConstraint]
    heardEnds: List[str]
    registrationId: str


class RegisteredMaximumResource(TypedDict):
    memoryMiB: float
    vcores: float


class RegisteredApplicationAcls(TypedDict, total=False):
    VIEW_APP: str
    MODIFY_APP: str


class RegisteredRunningContainer(TypedDict):
    containerId: str
    askId: str
    nodeId: str
    nodeHttpAddress: str
    resource: RegisteredMaximumResource
    priority: float
    containerToken: str


class _RegisteredAlways(TypedDict):
    maximumResource: RegisteredMaximumResource
    minimumResource: RegisteredMaximumResource
    queue: str
    applicationAcls: RegisteredApplicationAcls
    runningContainers: List[RegisteredRunningContainer]
    clusterTimestamp: float
    notes: List[str]


class _RegisteredSometimes(TypedDict, total=False):
    responseId: int
    instances: int
    proxyKey: str


class Registered(_RegisteredAlways, _RegisteredSometimes):
    pass


class AllocationAskResource(TypedDict):
    memoryMiB: float
    vcores: float


class _AllocationAskLaunchLocalResourcesValueAlways(TypedDict):
    resource: str


class _AllocationAskLaunchLocalResourcesValueSometimes(TypedDict, total=False):
    type: Literal["FILE", "ARCHIVE", "PATTERN"]
    visibility: Literal["PUBLIC", "PRIVATE", "APPLICATION"]
    size: float
    timestamp: float
    pattern: str


class AllocationAskLaunchLocalResourcesValue(_AllocationAskLaunchLocalResourcesValueAlways, _AllocationAskLaunchLocalResourcesValueSometimes):
    pass


class _AllocationAskLaunchRetryAlways(TypedDict):
    policy: Literal["NEVER_RETRY", "RETRY_ON_ALL_ERRORS", "RETRY_ON_SPECIFIC_ERROR_CODES"]


class _AllocationAskLaunchRetrySometimes(TypedDict, total=False):
    errorCodes: List[int]
    maximumRetries: int
    intervalMs: float
    failuresValidityIntervalMs: float


class AllocationAskLaunchRetry(_AllocationAskLaunchRetryAlways, _AllocationAskLaunchRetrySometimes):
    pass


class _AllocationAskLaunchAlways(TypedDict):
    commands: List[str]


class _AllocationAskLaunchSometimes(TypedDict, total=False):
    environment: Dict[str, str]
    localResources: Dict[str, AllocationAskLaunchLocalResourcesValue]
    serviceData: Dict[str, str]
    tokens: str
    secretEnvironment: Dict[str, str]
    retry: AllocationAskLaunchRetry


class AllocationAskLaunch(_AllocationAskLaunchAlways, _AllocationAskLaunchSometimes):
    pass


class _AllocationAskAlways(TypedDict):
    askId: str
    resource: AllocationAskResource
    count: int


class _AllocationAskSometimes(TypedDict, total=False):
    priority: int
    nodes: List[str]
    racks: List[str]
    relaxLocality: bool
    labelExpression: str
    executionType: Literal["GUARANTEED", "OPPORTUNISTIC"]
    allocationTags: List[str]
    placementConstraint: Any
    launch: AllocationAskLaunch


class AllocationAsk(_AllocationAskAlways, _AllocationAskSometimes):
    pass


class _AllocationUpdateAlways(TypedDict):
    containerId: str
    updateType: Literal["PROMOTE_EXECUTION_TYPE", "DEMOTE_EXECUTION_TYPE", "INCREASE_RESOURCE", "DECREASE_RESOURCE"]


class _AllocationUpdateSometimes(TypedDict, total=False):
    resource: AllocationAskResource


class AllocationUpdate(_AllocationUpdateAlways, _AllocationUpdateSometimes):
    pass


class _AllocationAlways(TypedDict):
    responseId: int


class _AllocationSometimes(TypedDict, total=False):
    progress: float
    asks: List[AllocationAsk]
    cancels: List[str]
    releases: List[str]
    updates: List[AllocationUpdate]
    blacklistAdditions: List[str]
    blacklistRemovals: List[str]
    notes: List[str]


class Allocation(_AllocationAlways, _AllocationSometimes):
    pass


class AllocatedAllocation(TypedDict):
    containerId: str
    askId: str
    nodeId: str
    nodeHttpAddress: str
    resource: RegisteredMaximumResource
    priority: float
    containerToken: str
    executionType: Literal["GUARANTEED", "OPPORTUNISTIC"]


class _AllocatedCompletedAlways(TypedDict):
    containerId: str
    state: Literal["COMPLETE"]
    exitCode: float
    diagnostics: str
    resource: RegisteredMaximumResource
    priority: float
    createdTime: float
    nodeId: str
    nodeHttpAddress: str


class _AllocatedCompletedSometimes(TypedDict, total=False):
    askId: str
    executionType: Literal["GUARANTEED", "OPPORTUNISTIC"]
    allocationTags: List[str]
    version: int
    startedTime: float
    finishedTime: float


class AllocatedCompleted(_AllocatedCompletedAlways, _AllocatedCompletedSometimes):
    pass


class AllocatedUpdated(TypedDict):
    containerId: str
    executionType: Literal["GUARANTEED", "OPPORTUNISTIC"]
    resource: RegisteredMaximumResource
    containerToken: str


class _AllocatedUpdateErrorAlways(TypedDict):
    containerId: str
    reason: str


class _AllocatedUpdateErrorSometimes(TypedDict, total=False):
    updateType: str


class AllocatedUpdateError(_AllocatedUpdateErrorAlways, _AllocatedUpdateErrorSometimes):
    pass


class AllocatedRejected(TypedDict):
    askId: str
    count: int
    reason: Literal["COULD_NOT_PLACE_ON_NODE"]


class _AllocatedAlways(TypedDict):
    responseId: int
    allocations: List[AllocatedAllocation]
    completed: List[AllocatedCompleted]
    headroom: RegisteredMaximumResource


class _AllocatedSometimes(TypedDict, total=False):
    updated: List[AllocatedUpdated]
    updateErrors: List[AllocatedUpdateError]
    rejected: List[AllocatedRejected]
    instances: int
    command: Literal["resync", "shutdown"]
    clusterNodes: int
    clusterHosts: int


class Allocated(_AllocatedAlways, _AllocatedSometimes):
    pass


class _FinishAlways(TypedDict):
    finalStatus: Literal["SUCCEEDED", "FAILED", "KILLED", "ENDED", "UNDEFINED"]


class _FinishSometimes(TypedDict, total=False):
    diagnostics: str
    trackingUrl: str


class Finish(_FinishAlways, _FinishSometimes):
    pass


class Finished(TypedDict):
    unregistered: bool


class NodeAttributesAttributeNode(TypedDict):
    host: str
    value: str


class NodeAttributesAttribute(TypedDict):
    prefix: str
    name: str
    type: str
    nodes: List[NodeAttributesAttributeNode]


class NodeAttributes(TypedDict):
    attributes: List[NodeAttributesAttribute]


class _NodeAttributeChangeNodeAttributeAlways(TypedDict):
    name: str


class _NodeAttributeChangeNodeAttributeSometimes(TypedDict, total=False):
    type: str
    value: str


class NodeAttributeChangeNodeAttribute(_NodeAttributeChangeNodeAttributeAlways, _NodeAttributeChangeNodeAttributeSometimes):
    pass


class NodeAttributeChangeNode(TypedDict):
    host: str
    attributes: List[NodeAttributeChangeNodeAttribute]


class NodeAttributeChange(TypedDict):
    operation: Literal["replace", "add", "remove"]
    nodes: List[NodeAttributeChangeNode]


class ChangedCount(TypedDict):
    changed: int


class AttributedNodesNodeAttribute(TypedDict):
    prefix: str
    name: str
    type: str
    value: str


class AttributedNodesNode(TypedDict):
    host: str
    attributes: List[AttributedNodesNodeAttribute]


class AttributedNodes(TypedDict):
    nodes: List[AttributedNodesNode]


class Node(TypedDict):
    id: str
    rack: str
    httpAddress: str
    state: Literal["NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONING", "DECOMMISSIONED", "LOST", "REBOOTED", "SHUTDOWN"]
    connected: bool
    healthReport: str
    version: str
    labels: List[str]
    containers: int
    usedMemoryMiB: int
    usedVcores: int
    availableMemoryMiB: int
    availableVcores: int


class _ContainerAlways(TypedDict):
    id: str
    attemptId: str
    nodeId: str
    state: str
    createdTime: float
    startedTime: float
    finishedTime: float
    isMaster: bool
    executionType: str
    memoryMiB: float
    vcores: float
    diagnostics: str
    applicationId: str


class _ContainerSometimes(TypedDict, total=False):
    exitStatus: int
    exitOutcome: Literal["SUCCEEDED", "FAILED", "STOPPED"]
    exitMeaning: str
    instance: int
    tryNumber: int


class Container(_ContainerAlways, _ContainerSometimes):
    pass


class QueueUsed(TypedDict):
    memoryMiB: int
    vcores: int


class Queue(TypedDict):
    path: str
    state: Literal["RUNNING", "DRAINING", "STOPPED"]
    queues: List[str]
    runningApplications: int
    waitingApplications: int
    allocatedContainers: int
    pendingContainers: int
    reservedContainers: int
    used: QueueUsed
    pending: QueueUsed
    guaranteed: QueueUsed
    maximum: QueueUsed


class NodeContainersContainer(TypedDict):
    id: str
    applicationId: str
    applicationName: str
    user: str
    queue: str
    state: str
    isMaster: bool
    executionType: Literal["GUARANTEED", "OPPORTUNISTIC"]
    memoryMiB: int
    vcores: int
    createdTime: float


class NodeContainers(TypedDict):
    containers: List[NodeContainersContainer]
    hidden: int
    connected: bool


class NodeUsageSample(TypedDict):
    timeMs: float
    memoryMiB: float
    cpuCores: float
    containersMemoryMiB: float
    containersCpuCores: float
    containers: float


class NodeUsage(TypedDict):
    nodeId: str
    memoryMiB: float
    cores: float
    samples: List[NodeUsageSample]


class ContainersUsageContainer(TypedDict):
    containerId: str
    memoryMiB: float
    vcores: float
    timesMs: List[float]
    usedMemoryMiB: List[float]
    usedCores: List[float]


class ContainersUsage(TypedDict):
    containers: List[ContainersUsageContainer]
    left: int


class ContainerUsageSample(TypedDict):
    timeMs: float
    memoryMiB: float
    cpuCores: float


class _ContainerUsageAlways(TypedDict):
    containerId: str
    running: bool
    samples: List[ContainerUsageSample]


class _ContainerUsageSometimes(TypedDict, total=False):
    memoryMiB: float
    vcores: float


class ContainerUsage(_ContainerUsageAlways, _ContainerUsageSometimes):
    pass


class Leave(TypedDict, total=False):
    graceful: bool
    gracefulSeconds: float
    timeoutSeconds: float


class NodeStanding(TypedDict):
    nodeId: str
    state: str


class ChangedNodes(TypedDict):
    changed: List[NodeStanding]


class ResizedNodes(TypedDict):
    changed: List[str]


_RefreshedQueuesAlways = TypedDict(
    "_RefreshedQueuesAlways",
    {
        "scheduler": "Literal['capacity', 'fair', 'fifo']",
        "from": "str",
    },
    total=True,
)


class _RefreshedQueuesSometimes(TypedDict, total=False):
    file: str


class RefreshedQueues(_RefreshedQueuesAlways, _RefreshedQueuesSometimes):
    pass


QueueProposalAddQueue = TypedDict(
    "QueueProposalAddQueue",
    {
        "queue-name": "str",
        "params": "Dict[str, str]",
    },
    total=False,
)


QueueProposal = TypedDict(
    "QueueProposal",
    {
        "add-queue": "List[QueueProposalAddQueue]",
        "update-queue": "List[QueueProposalAddQueue]",
        "remove-queue": "List[str]",
        "global-updates": "Dict[str, str]",
        "global": "Dict[str, str]",
        "subClusterId": "str",
        "properties": "Dict[str, str]",
        "allocations": "str",
    },
    total=False,
)


class _QueueWhatIfKeyAlways(TypedDict):
    key: str


class _QueueWhatIfKeySometimes(TypedDict, total=False):
    before: str
    after: str


class QueueWhatIfKey(_QueueWhatIfKeyAlways, _QueueWhatIfKeySometimes):
    pass


class _QueueWhatIfQueueBeforeAlways(TypedDict):
    state: str
    guaranteedPercent: float
    maximumPercent: float
    guaranteed: Dict[str, float]
    used: Dict[str, float]
    pending: Dict[str, float]


class _QueueWhatIfQueueBeforeSometimes(TypedDict, total=False):
    activeApplications: int
    pendingApplications: int


class QueueWhatIfQueueBefore(_QueueWhatIfQueueBeforeAlways, _QueueWhatIfQueueBeforeSometimes):
    pass


class _QueueWhatIfQueueAlways(TypedDict):
    path: str
    partition: str


class _QueueWhatIfQueueSometimes(TypedDict, total=False):
    before: QueueWhatIfQueueBefore
    after: QueueWhatIfQueueBefore


class QueueWhatIfQueue(_QueueWhatIfQueueAlways, _QueueWhatIfQueueSometimes):
    pass


class QueueWhatIfApplicationBefore(TypedDict):
    running: int
    waiting: int
    preempted: int


class QueueWhatIfApplication(TypedDict):
    id: str
    name: str
    user: str
    queue: str
    starts: bool
    before: QueueWhatIfApplicationBefore
    after: QueueWhatIfApplicationBefore


class QueueWhatIf(TypedDict):
    sentence: str
    keys: List[QueueWhatIfKey]
    moreKeys: int
    queues: List[QueueWhatIfQueue]
    moreQueues: int
    applications: List[QueueWhatIfApplication]
    moreApplications: int
    starting: int
    containers: int
    preempted: int
    preempts: bool
    spanMs: float
    complete: bool


class QueueHistoryChange(TypedDict):
    version: int
    atMs: float
    user: str
    keys: List[QueueWhatIfKey]
    left: int


class QueueHistory(TypedDict):
    changes: List[QueueHistoryChange]


class UserGroups(TypedDict):
    user: str
    groups: List[str]


class StagedFile(TypedDict):
    uri: str
    bytes: int
    sha256: str


class RemovedFiles(TypedDict):
    removed: str


class _TokenWishAlways(TypedDict):
    name: str
    scope: Literal["read", "submit", "admin"]


class _TokenWishSometimes(TypedDict, total=False):
    queues: List[str]
    lifetimeSeconds: float


class TokenWish(_TokenWishAlways, _TokenWishSometimes):
    pass


class _MadeTokenAlways(TypedDict):
    id: str
    name: str
    user: str
    scope: Literal["read", "submit", "admin"]
    createdMs: float
    expiresMs: float
    proved: bool
    text: str


class _MadeTokenSometimes(TypedDict, total=False):
    queues: List[str]
    lastUsedMs: float


class MadeToken(_MadeTokenAlways, _MadeTokenSometimes):
    pass


class _TokensTokenAlways(TypedDict):
    id: str
    name: str
    user: str
    scope: Literal["read", "submit", "admin"]
    createdMs: float
    expiresMs: float
    proved: bool


class _TokensTokenSometimes(TypedDict, total=False):
    queues: List[str]
    lastUsedMs: float


class TokensToken(_TokensTokenAlways, _TokensTokenSometimes):
    pass


class Tokens(TypedDict):
    tokens: List[TokensToken]


class _ScheduleWishAlways(TypedDict):
    name: str
    cron: str


class _ScheduleWishSometimes(TypedDict, total=False):
    timeZone: str
    overlap: Literal["skip", "queue", "allow"]
    missed: Literal["one", "none"]
    paused: bool
    replace: bool
    submission: Any
    submissionPatch: Dict[str, Any]


class ScheduleWish(_ScheduleWishAlways, _ScheduleWishSometimes):
    pass


class _ScheduleRunAlways(TypedDict):
    dueMs: float
    decidedMs: float
    outcome: Literal["submitted", "skipped", "waiting", "missed", "refused"]


class _ScheduleRunSometimes(TypedDict, total=False):
    applicationId: str
    reason: str


class ScheduleRun(_ScheduleRunAlways, _ScheduleRunSometimes):
    pass


class Schedule(TypedDict):
    user: str
    name: str
    cron: str
    timeZone: str
    overlap: Literal["skip", "queue", "allow"]
    missed: Literal["one", "none"]
    paused: bool
    createdMs: float
    next: List[float]
    runs: List[ScheduleRun]


class Schedules(TypedDict):
    schedules: List[Schedule]


class _ScheduleTimesAlways(TypedDict):
    next: List[float]


class _ScheduleTimesSometimes(TypedDict, total=False):
    fault: str


class ScheduleTimes(_ScheduleTimesAlways, _ScheduleTimesSometimes):
    pass


class _ScheduleDetailSubmitsWorkAlways(TypedDict):
    hiddenVariables: List[str]
    withoutPasswords: bool


class _ScheduleDetailSubmitsWorkSometimes(TypedDict, total=False):
    run: SubmittedContextRun
    launch: SubmittedContextLaunch


class ScheduleDetailSubmitsWork(_ScheduleDetailSubmitsWorkAlways, _ScheduleDetailSubmitsWorkSometimes):
    pass


class _ScheduleDetailSubmitsAlways(TypedDict):
    tags: List[str]


class _ScheduleDetailSubmitsSometimes(TypedDict, total=False):
    name: str
    queue: str
    priority: float
    label: str
    reservationId: str
    lifetimeSeconds: float
    masterMemoryMiB: float
    work: ScheduleDetailSubmitsWork


class ScheduleDetailSubmits(_ScheduleDetailSubmitsAlways, _ScheduleDetailSubmitsSometimes):
    pass


class _ScheduleDetailAlways(TypedDict):
    user: str
    name: str
    cron: str
    timeZone: str
    overlap: Literal["skip", "queue", "allow"]
    missed: Literal["one", "none"]
    paused: bool
    createdMs: float
    next: List[float]
    runs: List[ScheduleRun]


class _ScheduleDetailSometimes(TypedDict, total=False):
    submits: ScheduleDetailSubmits


class ScheduleDetail(_ScheduleDetailAlways, _ScheduleDetailSometimes):
    pass


class ScheduleRun2(TypedDict):
    applicationId: str


class _WebhookWishAlways(TypedDict):
    url: str


class _WebhookWishSometimes(TypedDict, total=False):
    secret: str
    applications: List[str]
    users: List[str]
    queues: List[str]
    kinds: List[str]


class WebhookWish(_WebhookWishAlways, _WebhookWishSometimes):
    pass


class _MadeWebhookAlways(TypedDict):
    id: str
    user: str
    url: str
    createdMs: float
    proved: bool
    waiting: int
    delivered: int
    failures: int
    withheld: int
    deadLetters: int
    dropped: int
    secret: str


class _MadeWebhookSometimes(TypedDict, total=False):
    applications: List[str]
    users: List[str]
    queues: List[str]
    kinds: List[str]
    lastDeliveredMs: float
    failingSinceMs: float
    lastFailure: str


class MadeWebhook(_MadeWebhookAlways, _MadeWebhookSometimes):
    pass


class _WebhooksWebhookAlways(TypedDict):
    id: str
    user: str
    url: str
    createdMs: float
    proved: bool
    waiting: int
    delivered: int
    failures: int
    withheld: int
    deadLetters: int
    dropped: int


class _WebhooksWebhookSometimes(TypedDict, total=False):
    applications: List[str]
    users: List[str]
    queues: List[str]
    kinds: List[str]
    lastDeliveredMs: float
    failingSinceMs: float
    lastFailure: str


class WebhooksWebhook(_WebhooksWebhookAlways, _WebhooksWebhookSometimes):
    pass


class Webhooks(TypedDict):
    webhooks: List[WebhooksWebhook]


class WebhookDetailLetter(TypedDict):
    delivery: int
    kind: str
    madeMs: float
    tries: int
    deadMs: float
    reason: str


class _WebhookDetailAlways(TypedDict):
    id: str
    user: str
    url: str
    createdMs: float
    proved: bool
    waiting: int
    delivered: int
    failures: int
    withheld: int
    deadLetters: int
    dropped: int
    letters: List[WebhookDetailLetter]


class _WebhookDetailSometimes(TypedDict, total=False):
    applications: List[str]
    users: List[str]
    queues: List[str]
    kinds: List[str]
    lastDeliveredMs: float
    failingSinceMs: float
    lastFailure: str


class WebhookDetail(_WebhookDetailAlways, _WebhookDetailSometimes):
    pass


class RedeliveryWish(TypedDict, total=False):
    deliveries: List[int]


class Redelivered(TypedDict):
    redelivered: int


class ClusterInfoClusterInfo(TypedDict, total=False):
    id: int
    startedOn: int
    state: str
    haState: str
    rmStateStoreName: str
    resourceManagerVersion: str
    resourceManagerBuildVersion: str
    resourceManagerVersionBuiltOn: str
    hadoopVersion: str
    hadoopBuildVersion: str
    hadoopVersionBuiltOn: str
    haZooKeeperConnectionState: str


class ClusterInfo(TypedDict):
    clusterInfo: ClusterInfoClusterInfo


class _ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributesEntryAlways(TypedDict):
    key: str


class _ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributesEntrySometimes(TypedDict, total=False):
    value: str


class ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributesEntry(_ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributesEntryAlways, _ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributesEntrySometimes):
    pass


class ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributes(TypedDict, total=False):
    entry: Union["ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributesEntry", List[ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributesEntry]]


class ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformation(TypedDict, total=False):
    attributes: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributes
    maximumAllocation: int
    minimumAllocation: int
    name: str
    resourceType: str
    tags: List[str]
    units: str
    value: int


class ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformations(TypedDict, total=False):
    resourceInformation: List[ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformation]


class ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition(TypedDict, total=False):
    memory: int
    vCores: int
    resourceInformations: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformations


class ClusterMetricsClusterMetrics(TypedDict, total=False):
    appsSubmitted: int
    appsCompleted: int
    appsPending: int
    appsRunning: int
    appsFailed: int
    appsKilled: int
    reservedMB: int
    availableMB: int
    allocatedMB: int
    pendingMB: int
    reservedVirtualCores: int
    availableVirtualCores: int
    allocatedVirtualCores: int
    pendingVirtualCores: int
    containersAllocated: int
    containersReserved: int
    containersPending: int
    totalMB: int
    utilizedMB: int
    totalVirtualCores: int
    utilizedVirtualCores: int
    utilizedMBPercent: int
    utilizedVirtualCoresPercent: int
    rmSchedulerBusyPercent: int
    totalNodes: int
    lostNodes: int
    unhealthyNodes: int
    decommissioningNodes: int
    decommissionedNodes: int
    rebootedNodes: int
    activeNodes: int
    shutdownNodes: int
    containerAssignedPerSecond: int
    totalUsedResourcesAcrossPartition: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    totalClusterResourcesAcrossPartition: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    totalReservedResourcesAcrossPartition: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    totalAllocatedContainersAcrossPartition: int
    crossPartitionMetricsAvailable: bool
    rmEventQueueSize: int
    schedulerEventQueueSize: int


class ClusterMetrics(TypedDict):
    clusterMetrics: ClusterMetricsClusterMetrics


class SchedulerInfoOfQueueCapacityVectorInfoCapacityVectorEntry(TypedDict, total=False):
    resourceName: str
    resourceValue: str


class SchedulerInfoOfQueueCapacityVectorInfo(TypedDict, total=False):
    configuredCapacityVector: str
    capacityVectorEntries: List[SchedulerInfoOfQueueCapacityVectorInfoCapacityVectorEntry]


class Queue2OfQueues(TypedDict, total=False):
    queue: List[Dict[str, Any]]


class Queue2OfCapacitiesQueueCapacitiesByPartition(TypedDict, total=False):
    partitionName: str
    queueCapacityVectorInfo: SchedulerInfoOfQueueCapacityVectorInfo
    capacity: float
    usedCapacity: float
    maxCapacity: float
    absoluteCapacity: float
    absoluteUsedCapacity: float
    absoluteMaxCapacity: float
    maxAMLimitPercentage: float
    weight: float
    normalizedWeight: float
    configuredMinResource: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    configuredMaxResource: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    effectiveMinResource: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    effectiveMaxResource: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition


class Queue2OfCapacities(TypedDict, total=False):
    queueCapacitiesByPartition: List[Queue2OfCapacitiesQueueCapacitiesByPartition]


class Queue2OfResourcesResourceUsagesByPartition(TypedDict, total=False):
    partitionName: str
    used: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    reserved: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    pending: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    amUsed: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    amLimit: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    userAmLimit: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition


class Queue2OfResources(TypedDict, total=False):
    resourceUsagesByPartition: List[Queue2OfResourcesResourceUsagesByPartition]


class Queue2OfQueueAclsQueueAcl(TypedDict, total=False):
    accessType: str
    accessControlList: str


class Queue2OfQueueAcls(TypedDict, total=False):
    queueAcl: List[Queue2OfQueueAclsQueueAcl]


class Queue2OfLeafQueueTemplateProperty(TypedDict, total=False):
    name: str
    value: str


class Queue2OfLeafQueueTemplate(TypedDict, total=False):
    property: List[Queue2OfLeafQueueTemplateProperty]


class Queue2Of(TypedDict, total=False):
    queuePath: str
    capacity: float
    usedCapacity: float
    maxCapacity: float
    absoluteCapacity: float
    absoluteMaxCapacity: float
    absoluteUsedCapacity: float
    weight: float
    normalizedWeight: float
    numApplications: int
    maxParallelApps: int
    queueName: str
    isAbsoluteResource: bool
    state: str
    queues: Queue2OfQueues
    resourcesUsed: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    hideReservationQueues: bool
    nodeLabels: List[str]
    allocatedContainers: int
    reservedContainers: int
    pendingContainers: int
    capacities: Queue2OfCapacities
    resources: Queue2OfResources
    minEffectiveCapacity: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    maxEffectiveCapacity: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    maximumAllocation: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    queueAcls: Queue2OfQueueAcls
    queuePriority: int
    orderingPolicyInfo: str
    autoCreateChildQueueEnabled: bool
    leafQueueTemplate: Queue2OfLeafQueueTemplate
    mode: str
    queueType: str
    creationMethod: str
    autoCreationEligibility: str
    defaultNodeLabelExpression: str
    autoQueueTemplateProperties: Queue2OfLeafQueueTemplate
    autoQueueParentTemplateProperties: Queue2OfLeafQueueTemplate
    autoQueueLeafTemplateProperties: Queue2OfLeafQueueTemplate


class Queue2Of2UsersUser(TypedDict, total=False):
    username: str
    resourcesUsed: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    numPendingApplications: int
    numActiveApplications: int
    AMResourceUsed: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    userResourceLimit: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    resources: Queue2OfResources
    userWeight: float
    isActive: bool


class Queue2Of2Users(TypedDict, total=False):
    user: List[Queue2Of2UsersUser]


class Queue2Of2(TypedDict, total=False):
    type: Literal["capacitySchedulerLeafQueueInfo"]
    queuePath: str
    capacity: float
    usedCapacity: float
    maxCapacity: float
    absoluteCapacity: float
    absoluteMaxCapacity: float
    absoluteUsedCapacity: float
    weight: float
    normalizedWeight: float
    numApplications: int
    maxParallelApps: int
    queueName: str
    isAbsoluteResource: bool
    state: str
    resourcesUsed: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    hideReservationQueues: bool
    nodeLabels: List[str]
    allocatedContainers: int
    reservedContainers: int
    pendingContainers: int
    capacities: Queue2OfCapacities
    resources: Queue2OfResources
    minEffectiveCapacity: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    maxEffectiveCapacity: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    maximumAllocation: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    queueAcls: Queue2OfQueueAcls
    queuePriority: int
    orderingPolicyInfo: str
    autoCreateChildQueueEnabled: bool
    leafQueueTemplate: Queue2OfLeafQueueTemplate
    mode: str
    queueType: str
    creationMethod: str
    autoCreationEligibility: str
    defaultNodeLabelExpression: str
    autoQueueTemplateProperties: Queue2OfLeafQueueTemplate
    autoQueueParentTemplateProperties: Queue2OfLeafQueueTemplate
    autoQueueLeafTemplateProperties: Queue2OfLeafQueueTemplate
    numActiveApplications: int
    numPendingApplications: int
    numContainers: int
    maxApplications: int
    maxApplicationsPerUser: int
    userLimit: float
    users: Queue2Of2Users
    userLimitFactor: float
    configuredMaxAMResourceLimit: float
    AMResourceLimit: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    usedAMResource: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    userAMResourceLimit: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    preemptionDisabled: bool
    intraQueuePreemptionDisabled: bool
    defaultPriority: int
    isAutoCreatedLeafQueue: bool
    maxApplicationLifetime: int
    defaultApplicationLifetime: int


Queue2 = Union["Queue2Of", "Queue2Of2"]


class SchedulerInfoOfQueues(TypedDict, total=False):
    queue: List[Queue2]


class SchedulerInfoOfHealthOperationsInfo(TypedDict, total=False):
    operation: str
    nodeId: str
    containerId: str
    queue: str


class SchedulerInfoOfHealthLastRunDetail(TypedDict, total=False):
    operation: str
    count: int
    resources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition


class SchedulerInfoOfHealth(TypedDict, total=False):
    lastrun: int
    operationsInfo: List[SchedulerInfoOfHealthOperationsInfo]
    lastRunDetails: List[SchedulerInfoOfHealthLastRunDetail]


class SchedulerInfoOf(TypedDict, total=False):
    type: Literal["capacityScheduler"]
    capacity: float
    usedCapacity: float
    maxCapacity: float
    weight: float
    normalizedWeight: float
    queueCapacityVectorInfo: SchedulerInfoOfQueueCapacityVectorInfo
    queueName: str
    queuePath: str
    maxParallelApps: int
    isAbsoluteResource: bool
    queues: SchedulerInfoOfQueues
    capacities: Queue2OfCapacities
    health: SchedulerInfoOfHealth
    maximumAllocation: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    queueAcls: Queue2OfQueueAcls
    queuePriority: int
    orderingPolicyInfo: str
    mode: str
    queueType: str
    creationMethod: str
    autoCreationEligibility: str
    defaultNodeLabelExpression: str
    autoQueueTemplateProperties: Queue2OfLeafQueueTemplate
    autoQueueParentTemplateProperties: Queue2OfLeafQueueTemplate
    autoQueueLeafTemplateProperties: Queue2OfLeafQueueTemplate


class RootQueueOf(TypedDict, total=False):
    maxApps: int
    minResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    maxResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    usedResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    amUsedResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    amMaxResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    demandResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    steadyFairResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    fairResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    clusterResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    reservedResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    maxContainerAllocation: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    pendingContainers: int
    allocatedContainers: int
    reservedContainers: int
    queueName: str
    schedulingPolicy: str
    preemptable: bool
    childQueues: Queue2OfQueues


class RootQueueOf2(TypedDict, total=False):
    type: Literal["fairSchedulerLeafQueueInfo"]
    maxApps: int
    minResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    maxResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    usedResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    amUsedResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    amMaxResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    demandResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    steadyFairResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    fairResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    clusterResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    reservedResources: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    maxContainerAllocation: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    pendingContainers: int
    allocatedContainers: int
    reservedContainers: int
    queueName: str
    schedulingPolicy: str
    preemptable: bool
    numPendingApps: int
    numActiveApps: int


RootQueue = Union["RootQueueOf", "RootQueueOf2"]


class SchedulerInfoOf2(TypedDict, total=False):
    type: Literal["fairScheduler"]
    rootQueue: RootQueue


class SchedulerInfoOf3(TypedDict, total=False):
    type: Literal["fifoScheduler"]
    capacity: float
    usedCapacity: float
    qstate: str
    minQueueMemoryCapacity: int
    maxQueueMemoryCapacity: int
    numNodes: int
    usedNodeCapacity: int
    availNodeCapacity: int
    totalNodeCapacity: int
    numContainers: int


SchedulerInfo = Union["SchedulerInfoOf", "SchedulerInfoOf2", "SchedulerInfoOf3"]


class SchedulerScheduler(TypedDict, total=False):
    schedulerInfo: SchedulerInfo


class Scheduler(TypedDict):
    scheduler: SchedulerScheduler


class AppsAppsAppResourceRequest(TypedDict, total=False):
    priority: int
    allocationRequestId: int
    resourceName: str
    capability: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    numContainers: int
    relaxLocality: bool
    nodeLabelExpression: str
    executionTypeRequest: SubmissionAmContainerResourceRequestExecutionTypeRequest
    placementConstraint: str
    allocationTags: List[str]


class AppsAppsAppTimeoutsTimeout(TypedDict, total=False):
    type: str
    expiryTime: str
    remainingTimeInSeconds: int


class AppsAppsAppTimeouts(TypedDict, total=False):
    timeout: List[AppsAppsAppTimeoutsTimeout]


class AppsAppsApp(TypedDict, total=False):
    id: str
    user: str
    name: str
    queue: str
    state: str
    finalStatus: str
    progress: float
    trackingUI: str
    trackingUrl: str
    diagnostics: str
    clusterId: int
    rmClusterId: str
    applicationType: str
    applicationTags: str
    priority: int
    startedTime: int
    launchTime: int
    finishedTime: int
    elapsedTime: int
    amContainerLogs: str
    amHostHttpAddress: str
    amRPCAddress: str
    masterNodeId: str
    allocatedMB: int
    allocatedVCores: int
    reservedMB: int
    reservedVCores: int
    runningContainers: int
    memorySeconds: int
    vcoreSeconds: int
    queueUsagePercentage: float
    clusterUsagePercentage: float
    resourceSecondsMap: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributes
    preemptedResourceMB: int
    preemptedResourceVCores: int
    numNonAMContainerPreempted: int
    numAMContainerPreempted: int
    preemptedMemorySeconds: int
    preemptedVcoreSeconds: int
    preemptedResourceSecondsMap: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartitionResourceInformationsResourceInformationAttributes
    resourceRequests: List[AppsAppsAppResourceRequest]
    logAggregationStatus: str
    unmanagedApplication: bool
    appNodeLabelExpression: str
    amNodeLabelExpression: str
    resourceInfo: Queue2OfResources
    timeouts: AppsAppsAppTimeouts


class AppsApps(TypedDict, total=False):
    app: List[AppsAppsApp]


class Apps(TypedDict):
    apps: AppsApps


class App(TypedDict):
    app: AppsAppsApp


class AppState(TypedDict, total=False):
    state: str
    diagnostics: str


class AppStateChange(TypedDict, total=False):
    state: str
    diagnostics: str


class NodesNodesNodeAllocationTagsAllocationTagInfo(TypedDict, total=False):
    allocationTag: str
    allocationsCount: int


class NodesNodesNodeAllocationTags(TypedDict, total=False):
    allocationTagInfo: List[NodesNodesNodeAllocationTagsAllocationTagInfo]


class NodesNodesNodeResourceUtilization(TypedDict, total=False):
    nodePhysicalMemoryMB: int
    nodeVirtualMemoryMB: int
    nodeCPUUsage: float
    aggregatedContainersPhysicalMemoryMB: int
    aggregatedContainersVirtualMemoryMB: int
    containersCPUUsage: float


class NodesNodesNodeNodeAttributesInfoNodeAttributeInfo(TypedDict, total=False):
    prefix: str
    name: str
    type: str
    value: str


class NodesNodesNodeNodeAttributesInfo(TypedDict, total=False):
    nodeAttributeInfo: List[NodesNodesNodeNodeAttributesInfoNodeAttributeInfo]


class NodesNodesNode(TypedDict, total=False):
    rack: str
    state: str
    id: str
    nodeHostName: str
    nodeHTTPAddress: str
    lastHealthUpdate: int
    version: str
    healthReport: str
    numContainers: int
    usedMemoryMB: int
    availMemoryMB: int
    usedVirtualCores: int
    availableVirtualCores: int
    memUtilization: float
    cpuUtilization: float
    numRunningOpportContainers: int
    usedMemoryOpportGB: int
    usedVirtualCoresOpport: int
    numQueuedContainers: int
    nodeLabels: List[str]
    allocationTags: NodesNodesNodeAllocationTags
    resourceUtilization: NodesNodesNodeResourceUtilization
    usedResource: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    availableResource: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition
    nodeAttributesInfo: NodesNodesNodeNodeAttributesInfo
    totalResource: ClusterMetricsClusterMetricsTotalUsedResourcesAcrossPartition


class NodesNodes(TypedDict, total=False):
    node: List[NodesNodesNode]


class Nodes(TypedDict):
    nodes: NodesNodes


class Node2(TypedDict):
    node: NodesNodesNode
