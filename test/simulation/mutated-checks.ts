// Checks of repetition and of order in the product, each to be taken out in turn: the text, which stands once in its file, and what takes its place.

/** One check taken out. */
export interface MutatedCheck {
  readonly name: string;
  /** Below `src/resource-manager/`. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

export const mutatedChecks: readonly MutatedCheck[] = [
  {
    name: 'a master hears that its application ends when that is durable',
    file: 'cluster/master-calls.ts',
    text: 'await state.ending(attempt.applicationId);',
    replacement: '',
  },
  {
    name: 'a registration or a finish is refused when it is durable that the application ends',
    file: 'commands/calling-master.ts',
    text: 'await masters.ending(application.id);',
    replacement: '',
  },
  {
    name: 'a token says what its node remembered when it was made',
    file: 'cluster/masters.ts',
    text: '...(nodeMemory === undefined ? {} : { nodeMemory }),',
    replacement: '',
  },
  {
    name: 'a container is given on a node that remembers what it does now',
    file: 'cluster/node-registration.ts',
    text: 'node.memory = message.memory;',
    replacement: 'node.memory ??= message.memory;',
  },
  {
    name: 'what the node remembered is kept with the container',
    file: 'store/container-document.ts',
    text: '...(nodeMemory === undefined ? {} : { nodeMemory }),',
    replacement: '',
  },
  {
    name: 'an answer that tells ends does not leave a session that is over',
    file: 'cluster/master-calls.ts',
    text: '(isCurrent() ? answer : this.#outOfStep(attempt))',
    replacement: 'answer',
  },
  {
    name: 'a registration does not list as over what the next answer gives',
    file: 'cluster/masters.ts',
    text: ' && !toBeGiven.has(end.containerId)',
    replacement: '',
  },
  {
    name: 'what was refused after it was written is taken back',
    file: 'store/single-values.ts',
    text: 'if (!this.#closed) this.write(name, kept, at, takeBackMs).catch(() => undefined);',
    replacement: 'void kept;',
  },
  {
    name: 'that a reservation is there is answered when that is durable',
    file: 'reservations/reservation-system.ts',
    text: 'isDurable(this.#reservations, id) ? undefined : this.#keep(known)',
    replacement: 'isDurable(this.#reservations, id) || !known ? undefined : undefined',
  },
  {
    name: 'an attempt that is over is not failed in the place of the next one',
    file: 'cluster/ends.ts',
    text: 'if (attempt === currentAttempt(application)) this.#fail(',
    replacement: 'this.#fail(',
  },
  {
    name: 'the time that a node has to leave goes by the steady clock',
    file: 'cluster/node-removal.ts',
    text: 'return end.steadyMs - clock.steadyMs();',
    replacement: 'return end.untilMs - clock.now();',
  },
  {
    name: 'what an application is already is answered when that is durable',
    file: 'cluster/applications.ts',
    text: 'if (!this.#unwritten.has(application.id)) return Promise.resolve();',
    replacement: 'if (application) return Promise.resolve();',
  },
  {
    name: 'a label that is there is written again where that is not certain',
    file: 'labels/label-manager.ts',
    text: ' || !isDurable(this.#labels, name)',
    replacement: '',
  },
  {
    name: 'a registration of a session before does not count',
    file: 'cluster/node-registration.ts',
    text: 'if (wasActive && session < known.session) {',
    replacement: 'if (false) {',
  },
  {
    name: 'the same call again is answered as before',
    file: 'cluster/master-calls.ts',
    text: 'if (lastResponse && call.responseId === lastResponse.responseId - 1) return { answer: this.#leaving(attempt, lastResponse, session) };',
    replacement: '',
  },
  {
    name: 'a call out of step is not carried out',
    file: 'cluster/master-calls.ts',
    text: "if (call.responseId !== attempt.responseId) return { answer: masters.command(attempt, 'resync') };",
    replacement: '',
  },
  {
    name: 'the same call again, before it is answered, is not carried out',
    file: 'cluster/master-calls.ts',
    text: 'const isNew = session.taken !== asked;',
    replacement: 'const isNew = true;',
  },
  {
    name: 'two calls that wait get one answer',
    file: 'cluster/master-calls.ts',
    text: 'if (session.lastResponse && session.lastResponse.responseId > call.responseId)',
    replacement: 'if (false)',
  },
  {
    name: 'a call of a session that is over is not answered with its news',
    file: 'cluster/master-calls.ts',
    text: 'if (sessions.session(attempt.id) !== session) return this.#outOfStep(attempt);',
    replacement: '',
  },
  {
    name: 'a registration that comes again begins no other session',
    file: 'cluster/masters.ts',
    text: 'if (registrationId === undefined || sessions.session(attempt.id)?.registrationId !== registrationId) {',
    replacement: '{',
  },
  {
    name: 'a registration that another one followed is refused',
    file: 'commands/register.ts',
    text: 'if (registrationId !== undefined && masters.isSupersededRegistration(attempt, registrationId))',
    replacement: 'if (registrationId === "")',
  },
  {
    name: 'sessions of a master share no numbers',
    file: 'applications/registrations.ts',
    text: 'return attempt.sessions * callsOfASession;',
    replacement: 'return 0;',
  },
  {
    name: 'a note that is written again is kept once',
    file: 'store/resource-manager-store.ts',
    text: 'INSERT OR REPLACE INTO notes (number, application, note) SELECT ?, id, ?',
    replacement: 'INSERT INTO notes (number, application, note) SELECT (SELECT coalesce(max(number), 0) + 1 FROM notes) + 0 * ?, id, ?',
  },
  {
    name: 'ends that a registering master has heard are not told again',
    file: 'cluster/master-sessions.ts',
    text: '.filter(({ containerId }) => !heard.has(containerId))',
    replacement: '',
  },
  {
    name: 'a master that calls again after a restart has heard what it names',
    file: 'cluster/master-calls.ts',
    text: "if (attempt.state === 'RUNNING') await this.#ports.held.heardBefore(application, attempt, responseId);",
    replacement: '',
  },
  {
    name: 'what it does not name it has not heard',
    file: 'applications/registrations.ts',
    text: ' && answer <= answerNumber(attempt, lastResponseId);',
    replacement: ';',
  },
  {
    name: 'what it does not name of former sessions it has not heard',
    file: 'applications/registrations.ts',
    text: 'return answer > attempt.sessions * callsOfASession &&',
    replacement: 'return',
  },
  {
    name: 'what a registering master was given and not told of is listed',
    file: 'cluster/held-containers.ts',
    text: 'filter(({ isMaster, kept }) => !isMaster && kept);',
    replacement: 'filter(({ isMaster, kept, told }) => !isMaster && kept && told);',
  },
  {
    name: 'containers whose nodes are not there yet are listed',
    file: 'cluster/held-containers.ts',
    text: 'return [...own, ...expected.filter(({ isMaster }) => !isMaster)];',
    replacement: 'return own;',
  },
  {
    name: 'a container that is taken up is what its master was told',
    file: 'cluster/containers.ts',
    text: 'resource: kept.isMaster ? resourceOf(report.resource, this.#ports.types) : kept.resource,',
    replacement: 'resource: resourceOf(report.resource, this.#ports.types),',
  },
  {
    name: 'what is expected on a node and not listed by it is over',
    file: 'cluster/node-reports.ts',
    text: 'expected.expect(own);\n      this.#askForEnd(node, containerId);',
    replacement: '',
  },
  {
    name: 'what is known of a node and not listed by it is over',
    file: 'cluster/node-reports.ts',
    text: "if (told.has(container.id) || container.state === 'ALLOCATED') continue;",
    replacement: 'continue;',
  },
  {
    name: 'what runs and is not known is stopped',
    file: 'cluster/node-reports.ts',
    text: "if (report.state !== 'COMPLETE') this.#stopUnknown(node, report.containerId);",
    replacement: '',
  },
  {
    name: 'a node that does not come back is lost with what is expected on it',
    file: 'cluster/expected-containers.ts',
    text: 'timers.set(timerOf(nodeId), nodeExpiryMs, () => this.nodeLost(nodeId));',
    replacement: '',
  },
  {
    name: 'a node without a connection is given nothing',
    file: 'cluster/nodes.ts',
    text: "return state === 'RUNNING' && connected;",
    replacement: "return state === 'RUNNING';",
  },
  {
    name: 'a start that cannot be sent is over',
    file: 'cluster/containers.ts',
    text: 'if (!this.#ports.state.node(container.nodeId)?.connected) return false;',
    replacement: '',
  },
  {
    name: 'a node that registered anew is not lost with its former connection',
    file: 'cluster/nodes.ts',
    text: '// The session before may have lost its connection: this one has one.\n    timers.cancel(absenceTimer(node));',
    replacement: '',
  },
  {
    name: 'masters are watched by the steady clock',
    file: 'cluster/master-watch.ts',
    text: 'this.#ports = ports;',
    replacement: 'this.#ports = { ...ports, clock: { ...ports.clock, steadyMs: () => ports.clock.now() } };',
  },
  {
    name: 'a registration is heard of its master',
    file: 'cluster/attempts.ts',
    text: "attempt.launchDiagnostics = '';\n    this.#ports.watch.begin(application, attempt);",
    replacement: "attempt.launchDiagnostics = '';",
  },
  {
    name: 'a master that is done is watched until it is gone',
    file: 'cluster/ends.ts',
    text: 'else attempts.finishing(application, attempt);',
    replacement: '',
  },
  {
    name: 'an application that has ended is not kept as live',
    file: 'store/resource-manager-store.ts',
    text: 'SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM finished_applications WHERE id = ?1)',
    replacement: 'SELECT ?1, ?2 WHERE true',
  },
  {
    name: 'the finish of an attempt that failed is refused',
    file: 'commands/finish.ts',
    text: 'if (!stored && !(attempt.registered && isFinalState[application.state]))',
    replacement: 'if (!stored && !attempt.registered)',
  },
  {
    name: 'a finish that is said again waits for the first',
    file: 'cluster/ends.ts',
    text: 'return attempt.registered ? this.#ports.state.ending(application.id) : undefined;',
    replacement: 'return attempt.registered ? Promise.resolve() : undefined;',
  },
  {
    name: 'the release of what nobody knows is answered',
    file: 'cluster/held-containers.ts',
    text: 'session.completed.push({ ...nobodys, containerId, exitCode, diagnostics: unknownContainer });',
    replacement: '{}',
  },
  {
    name: 'an end that waits to be told is not told twice for a release',
    file: 'cluster/held-containers.ts',
    text: 'if (!unheard.has(containerId)) session.completed',
    replacement: 'session.completed',
  },
];
