// What a page tries against a cluster, as text: it runs in the browser. Gives what a script could read of the answers.
async ({ rm, nm, timeline, node, application, container }) => {
  const readable = [];
  const tries = [];
  for (const mode of ['no-cors', 'cors'])
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json', undefined])
      for (const [method, url, body] of [
        ['POST', `${rm}/api/v1/nodes/${node}/drain`, '{}'],
        ['POST', `${rm}/ws/v1/cluster/apps/new-application`, ''],
        ['POST', `${rm}/api/v1/queues/refresh`, ''],
        ['POST', `${timeline}/ws/v1/timeline/`, '{"entities":[{"entity":"e","entitytype":"ATTACK","starttime":1,"events":[]}]}'],
        ['PUT', `${rm}/ws/v1/cluster/apps/${application}/state`, '{"state":"KILLED"}'],
        ['GET', `${rm}/logLevel?level=trace`, undefined],
        ['GET', `${rm}/ws/v1/cluster/scheduler-conf/format`, undefined],
      ])
        tries.push([
          url,
          method,
          {
            mode,
            method,
            credentials: 'include',
            ...(body === undefined ? {} : { body: new Blob([body], type === undefined ? {} : { type }) }),
          },
        ]);
  for (const [url, method, init] of tries) {
    try {
      const answer = await fetch(url, init);
      if (answer.type !== 'opaque' && answer.status < 400) readable.push(`${method} ${url} ${answer.status}`);
    } catch {
      // The browser kept it.
    }
  }
  for (const url of [
    `${rm}/api/v1/nodes/channel`,
    `${rm}/proxy/${application}/`,
    `${nm}/container/${container}/bash?user.name=ann`,
    `${nm}/container/${container}?user.name=ann`,
  ]) {
    const opened = await new Promise((done) => {
      try {
        const socket = new WebSocket(url.replace(/^http/, 'ws'));
        socket.onopen = () => done(true);
        socket.onerror = () => done(false);
      } catch {
        done(false);
      }
    });
    if (opened) readable.push(`WebSocket ${url}`);
  }
  for (const path of ['/logLevel?level=trace', '/ws/v1/cluster/scheduler-conf/format']) {
    await new Promise((done) => {
      const image = new Image();
      image.onload = image.onerror = () => done();
      image.src = rm + path;
    });
  }
  const form = Object.assign(document.createElement('form'), { method: 'POST', action: `${rm}/api/v1/nodes/${node}/drain` });
  document.body.append(form);
  form.submit();
  return readable;
};
