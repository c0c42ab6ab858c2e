// Submissions and other bodies in XML that no recording has: every member right, odd and wrong, forms of the document, encodings, other roots.
import { clear, masks, RM } from '../kit-apps.mjs';

const container = (inner) => `<am-container-spec>${inner}</am-container-spec>`;
const local = (inner) => container(`<local-resources><entry><key>k</key><value>${inner}</value></entry></local-resources>`);
const members = [
  '<application-name/>',
  '<application-name></application-name>',
  '<application-name> n </application-name>',
  '<application-name>a &amp; b &lt;c&gt; &quot;d&quot; &#252; &#x1F600;</application-name>',
  '<application-name><![CDATA[<b> & c]]></application-name>',
  '<application-name>a<!-- comment -->b</application-name>',
  '<application-name>a<?pi x?>b</application-name>',
  '<application-name>a<b>c</b>d</application-name>',
  '<application-name>first</application-name><application-name>second</application-name>',
  '<application-name xml:lang="de" x="y">n</application-name>',
  '<application-name xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>',
  '<application-name>&unknown;</application-name>',
  '<application-name>line\nline\ttab</application-name>',
  '<Application-Name>n</Application-Name>',
  '<name>n</name>',
  '<application-type>SPARK</application-type>',
  '<application-type/>',
  '<application-type> SPARK </application-type>',
  `<application-type>${'t'.repeat(25)}</application-type>`,
  '<queue/>',
  '<queue> default </queue>',
  '<queue>root.default</queue>',
  '<queue>root</queue>',
  '<queue>nowhere</queue>',
  '<queue>\n default\n</queue>',
  '<priority>3</priority>',
  '<priority> 3 </priority>',
  '<priority>+3</priority>',
  '<priority>03</priority>',
  '<priority>3.0</priority>',
  '<priority>x</priority>',
  '<priority/>',
  '<priority>-1</priority>',
  '<priority>99</priority>',
  '<priority>99999999999</priority>',
  '<priority><priority>3</priority></priority>',
  '<max-app-attempts>3</max-app-attempts>',
  '<max-app-attempts>0</max-app-attempts>',
  '<max-app-attempts>-1</max-app-attempts>',
  '<max-app-attempts>x</max-app-attempts>',
  '<max-app-attempts>99</max-app-attempts>',
  '<cancel-tokens-when-complete>false</cancel-tokens-when-complete>',
  '<cancel-tokens-when-complete>0</cancel-tokens-when-complete>',
  '<cancel-tokens-when-complete>x</cancel-tokens-when-complete>',
  '<keep-containers-across-application-attempts>true</keep-containers-across-application-attempts>',
  '<keep-containers-across-application-attempts>1</keep-containers-across-application-attempts>',
  '<keep-containers-across-application-attempts>TRUE</keep-containers-across-application-attempts>',
  '<resource/>',
  '<resource><memory>512</memory></resource>',
  '<resource><vCores>2</vCores></resource>',
  '<resource><vcores>2</vcores><memory>256</memory></resource>',
  '<resource><memory>x</memory><vCores>y</vCores></resource>',
  '<resource><memory>-1</memory><vCores>1</vCores></resource>',
  '<resource><memory>256</memory><vCores>0</vCores></resource>',
  '<resource><memory>9999999</memory><vCores>1</vCores></resource>',
  '<resource><memory>99999999999999999999</memory><vCores>1</vCores></resource>',
  '<resource><memory>256</memory><vCores>1</vCores><resourceInformations><resourceInformation><name>memory-mb</name><value>512</value></resourceInformation></resourceInformations></resource>',
  '<resource><memory>256</memory><vCores>1</vCores><resourceInformations><resourceInformation><name>nothing</name><value>1</value></resourceInformation></resourceInformations></resource>',
  '<resource memory="256" vCores="1"/>',
  '<application-tags/>',
  '<application-tags><tag/></application-tags>',
  '<application-tags><tag>A</tag><tag>a</tag><tag>b c</tag></application-tags>',
  '<application-tags>a,b</application-tags>',
  '<application-tags><tag>a</tag></application-tags><application-tags><tag>b</tag></application-tags>',
  `<application-tags><tag>${'t'.repeat(101)}</tag></application-tags>`,
  '<application-tags><tag>ü</tag></application-tags>',
  '<attempt-failures-validity-interval>5000</attempt-failures-validity-interval>',
  '<attempt-failures-validity-interval>x</attempt-failures-validity-interval>',
  '<app-node-label-expression>gpu</app-node-label-expression>',
  '<app-node-label-expression/>',
  '<app-node-label-expression>nothing</app-node-label-expression>',
  '<am-container-node-label-expression>gpu</am-container-node-label-expression>',
  '<application-timeouts><timeout><type>LIFETIME</type><value>60</value></timeout></application-timeouts>',
  '<application-timeouts><entry><key>LIFETIME</key><value>600</value></entry></application-timeouts>',
  '<application-timeouts><entry><key>lifetime</key><value>600</value></entry></application-timeouts>',
  '<application-timeouts><entry><key>LIFETIME</key><value>x</value></entry></application-timeouts>',
  '<application-timeouts><entry><key>LIFETIME</key><value>-1</value></entry></application-timeouts>',
  '<application-timeouts/>',
  '<reservation-id>reservation_1_0001</reservation-id>',
  '<reservation-id>x</reservation-id>',
  '<reservation-id/>',
  '<log-aggregation-context/>',
  '<log-aggregation-context><log-include-pattern>[</log-include-pattern></log-aggregation-context>',
  '<log-aggregation-context><rolled-log-include-pattern>a</rolled-log-include-pattern><log-aggregation-policy-class-name>nothing</log-aggregation-policy-class-name></log-aggregation-context>',
  '<unmanaged-AM>false</unmanaged-AM>',
  container(''),
  '<am-container-spec/>',
  container('<commands/>'),
  container('<commands><command/></commands>'),
  container('<commands><command>a</command><command>b</command></commands>'),
  container('<commands>sleep 1</commands>'),
  container('<command>sleep 1</command>'),
  container('<environment/>'),
  container('<environment><entry><key>A</key></entry></environment>'),
  container('<environment><entry><value>b</value></entry></environment>'),
  container('<environment><entry><key>A</key><value>1</value></entry><entry><key>A</key><value>2</value></entry></environment>'),
  container('<environment><A>1</A></environment>'),
  container('<environment><entry key="A" value="b"/></environment>'),
  container('<service-data><entry><key>s</key><value>AAAA</value></entry></service-data>'),
  container('<service-data><entry><key>s</key><value>***</value></entry></service-data>'),
  container(
    '<application-acls><entry><key>VIEW_APP</key><value>bob</value></entry><entry><key>MODIFY_APP</key><value> </value></entry></application-acls>',
  ),
  container('<application-acls><entry><key>view_app</key><value>bob</value></entry></application-acls>'),
  container('<application-acls><entry><key>NOTHING</key><value>bob</value></entry></application-acls>'),
  container('<application-acls><entry><key/><value>bob</value></entry></application-acls>'),
  container('<credentials/>'),
  container('<credentials><tokens><entry><key>a</key><value>b</value></entry></tokens></credentials>'),
  container('<credentials><secrets><entry><key>a</key><value>AAAA</value></entry></secrets></credentials>'),
  container('<credentials><secrets><entry><key>a</key><value>?</value></entry></secrets></credentials>'),
  container('<containerRetryContext><retry-policy>RETRY_ON_ALL_ERRORS</retry-policy></containerRetryContext>'),
  local(''),
  local('<resource>file:///etc/hostname</resource><type>FILE</type><visibility>PUBLIC</visibility><size>1</size><timestamp>1</timestamp>'),
  local('<resource>file:///etc/hostname</resource><type>file</type><visibility>PUBLIC</visibility>'),
  local('<resource>file:///etc/hostname</resource><type>NOTHING</type><visibility>PUBLIC</visibility>'),
  local('<resource>::</resource><type>FILE</type><visibility>PUBLIC</visibility>'),
  local('<resource/><type>FILE</type><visibility>PUBLIC</visibility>'),
  local('<resource>file:///etc/hostname</resource><type>FILE</type><visibility>PUBLIC</visibility><size>x</size><timestamp>y</timestamp>'),
  local('<resource>file:///etc/hostname</resource><type>PATTERN</type><visibility>PRIVATE</visibility><pattern>.*</pattern>'),
  container('<local-resources><entry><value><resource>file:///a</resource></value></entry></local-resources>'),
  container('<local-resources/>'),
  '<unknown/>',
  '<unknown><deep>x</deep></unknown>',
  'text between',
  '<!-- comment -->',
  '<?pi x?>',
  '<am-container-resource-requests/>',
  '<am-container-resource-requests><resource-name>*</resource-name></am-container-resource-requests>',
];
/** Whole documents; ID stands for a new id. */
const documents = [
  '<application-submission-context><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  '\ufeff<?xml version="1.0" encoding="UTF-8"?><application-submission-context><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  ' \n<application-submission-context><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  ' <?xml version="1.0"?><application-submission-context><application-id>ID</application-id></application-submission-context>',
  '<?xml version="1.1"?><application-submission-context><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  '<?xml version="2.0"?><application-submission-context><application-id>ID</application-id></application-submission-context>',
  '<?xml version="1.0" encoding="iso-8859-1"?><application-submission-context><application-id>ID</application-id><application-name>ü</application-name><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  '<?xml version="1.0" encoding="nothing"?><application-submission-context><application-id>ID</application-id></application-submission-context>',
  '<application-submission-context><application-id> ID </application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  '<application-submission-context><application-id>\nID\n</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  '<application-submission-context a="b"><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  '<application-submission-context xmlns:a="urn:a"><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  '<a:application-submission-context xmlns:a="urn:a"><application-id>ID</application-id></a:application-submission-context>',
  '<a:application-submission-context><application-id>ID</application-id></a:application-submission-context>',
  '<application-submission-context><a:application-id xmlns:a="urn:a">ID</a:application-id></application-submission-context>',
  '<application-submission-context><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context><!-- end -->',
  '<application-submission-context><application-id>ID</application-id></application-submission-context><b/>',
  '<application-submission-context><application-id>ID</application-id></application-submission-context>text',
  '<application-submission-context><application-id>ID</application-id>',
  '<application-submission-context><application-id>ID</application-submission-context>',
  '<application-submission-context><application-id>ID</Application-Id></application-submission-context>',
  '<application-submission-context a=b><application-id>ID</application-id></application-submission-context>',
  '<application-submission-context a="b" a="c"><application-id>ID</application-id></application-submission-context>',
  '<applicationSubmissionContext><application-id>ID</application-id></applicationSubmissionContext>',
  '<ApplicationSubmissionContextInfo><application-id>ID</application-id></ApplicationSubmissionContextInfo>',
  '<application-submission-context/>',
  '<application-submission-context></application-submission-context>',
  '<application-submission-context>ID</application-submission-context>',
  '<application-submission-context><application-id>x</application-id></application-submission-context>',
  '<application-submission-context><application-id/></application-submission-context>',
  '<application-submission-context><application-id>application_1_0001</application-id></application-submission-context>',
  '<application-submission-context><applicationId>ID</applicationId></application-submission-context>',
  '<appstate><state>KILLED</state></appstate>',
  '<apptimeout/>',
  '<labelsToNodesInfo/>',
  '<!DOCTYPE application-submission-context><application-submission-context><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  '<!DOCTYPE a SYSTEM "file:///etc/hostname"><application-submission-context><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM></application-submission-context>',
  '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]><application-submission-context><application-id>ID</application-id><application-name>&e;</application-name></application-submission-context>',
  '{"application-id":"ID"}',
  '<',
  '<>',
  '<?xml version="1.0"?>',
  '<!-- only -->',
  '&amp;',
];
const others = [
  [
    'PUT',
    '/apps/APP/state',
    [
      '<appstate><state>KILLED</state></appstate>',
      '<appstate><state> KILLED </state></appstate>',
      '<appstate><state>killed</state></appstate>',
      '<appstate><state>RUNNING</state></appstate>',
      '<appstate><state/></appstate>',
      '<appstate/>',
      '<state>KILLED</state>',
      '<AppState><state>KILLED</state></AppState>',
      '<appstate><state>KILLED</state><diagnostics>why</diagnostics></appstate>',
    ],
  ],
  [
    'PUT',
    '/apps/APP/queue',
    [
      '<appqueue><queue>default</queue></appqueue>',
      '<appqueue><queue> default </queue></appqueue>',
      '<appqueue><queue/></appqueue>',
      '<appqueue/>',
      '<queue>default</queue>',
      '<appqueue><queue>nowhere</queue></appqueue>',
    ],
  ],
  [
    'PUT',
    '/apps/APP/priority',
    [
      '<applicationpriority><priority>3</priority></applicationpriority>',
      '<applicationpriority><priority/></applicationpriority>',
      '<apppriority><priority>3</priority></apppriority>',
    ],
  ],
  [
    'PUT',
    '/apps/APP/timeout',
    [
      '<timeout><type>LIFETIME</type><expiryTime>2099-01-01T00:00:00.000+0000</expiryTime></timeout>',
      '<timeout><type>lifetime</type><expiryTime>2099-01-01T00:00:00.000+0000</expiryTime></timeout>',
      '<timeout><type>LIFETIME</type></timeout>',
      '<timeout><expiryTime>2099-01-01T00:00:00.000+0000</expiryTime></timeout>',
      '<timeout><type>LIFETIME</type><expiryTime>x</expiryTime></timeout>',
      '<timeout/>',
      '<timeouts><timeout><type>LIFETIME</type></timeout></timeouts>',
      '<timeout><type>NOTHING</type><expiryTime>2099-01-01T00:00:00.000+0000</expiryTime></timeout>',
    ],
  ],
  [
    'POST',
    '/add-node-labels',
    [
      '<nodeLabelsInfo><nodeLabelInfo><name>xa</name><exclusivity>true</exclusivity></nodeLabelInfo></nodeLabelsInfo>',
      '<nodeLabelsInfo><nodeLabelInfo><name>xb</name></nodeLabelInfo><nodeLabelInfo><name>xc</name></nodeLabelInfo></nodeLabelsInfo>',
      '<nodeLabelsInfo><nodeLabelInfo/></nodeLabelsInfo>',
      '<nodeLabelsInfo/>',
      '<nodelabelsinfo/>',
      '<nodeLabelsInfo><nodeLabelInfo><name> xd </name></nodeLabelInfo></nodeLabelsInfo>',
    ],
  ],
  [
    'POST',
    '/replace-node-to-labels',
    [
      '<nodeToLabelsEntryList><nodeToLabels><nodeId>localhost:45454</nodeId><labels>xa</labels></nodeToLabels></nodeToLabelsEntryList>',
      '<nodeToLabelsEntryList/>',
      '<nodeToLabelsEntryList><nodeToLabels><nodeId>x:1</nodeId></nodeToLabels></nodeToLabelsEntryList>',
      '<nodeToLabelsEntryList><nodeToLabels/></nodeToLabelsEntryList>',
      '<nodeToLabels/>',
      '<nodeToLabelsEntryList><nodeToLabels><nodeId>localhost:45454</nodeId></nodeToLabels></nodeToLabelsEntryList>',
    ],
  ],
  [
    'POST',
    '/nodes/localhost:45454/resource',
    [
      '<resourceOption><resource><memory>8192</memory><vCores>8</vCores></resource><overCommitTimeout>-1</overCommitTimeout></resourceOption>',
      '<resourceOption/>',
      '<resourceOption><resource/></resourceOption>',
      '<resource><memory>8192</memory><vCores>8</vCores></resource>',
    ],
  ],
  [
    'PUT',
    '/scheduler-conf',
    [
      '<sched-conf/>',
      '<sched-conf><global-updates><entry><key>a</key><value>b</value></entry></global-updates></sched-conf>',
      '<schedConf/>',
      '<sched-conf><update-queue><queue-name>root.default</queue-name><params><entry><key>maximum-applications</key><value>77</value></entry></params></update-queue></sched-conf>',
      '<sched-conf><update-queue/></sched-conf>',
      '<sched-conf><add-queue><queue-name>root.x</queue-name></add-queue></sched-conf>',
      '<sched-conf><remove-queue>root.nowhere</remove-queue></sched-conf>',
    ],
  ],
  ['POST', '/delegation-token', ['<delegation-token><renewer>bob</renewer></delegation-token>', '<delegation-token/>', '<token/>']],
  [
    'POST',
    '/reservation/submit',
    [
      '<reservation-submission-context/>',
      '<reservation-submission-context><queue>operations</queue></reservation-submission-context>',
      '<reservation-submission-context><queue>operations</queue><reservation-id>x</reservation-id></reservation-submission-context>',
    ],
  ],
  [
    'POST',
    '/reservation/delete',
    [
      '<reservation-delete-context/>',
      '<reservation-delete-context><reservation-id>reservation_1_0001</reservation-id></reservation-delete-context>',
      '<reservation-delete-context><reservation-id>x</reservation-id></reservation-delete-context>',
    ],
  ],
];

export default {
  name: 'rm-submit-xml-more',
  cluster: 'capacity',
  about: 'bodies in XML that no recording has: submissions, states, queues, timeouts, labels, sizes, queue changes',
  async run(c) {
    masks(c);
    c.mask(/reservation_\d{10,}_\d+/g, 'reservation_N');
    await clear(c);
    const xml = { 'content-type': 'application/xml' };
    const one = async (id, body, options = {}) => {
      const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user: 'ann' });
      const app = c.name(id, json['application-id']);
      await c.record(id, 'rm', 'POST', `${RM}/apps`, {
        user: 'ann',
        body: body.replaceAll('ID', app),
        headers: xml,
        loose: ['message'],
        ...options,
      });
      const found = await c.http('rm', 'GET', `${RM}/apps/${app}`, { user: 'root' });
      if (found.status !== 200) return;
      await c
        .until(
          `${id} placed`,
          async () =>
            ['ACCEPTED', 'FAILED', 'FINISHED', 'KILLED', 'RUNNING'].includes(
              (await c.http('rm', 'GET', `${RM}/apps/${app}`, { user: 'root' })).json.app.state,
            ),
          20,
          50,
        )
        .catch(() => undefined);
      await c.record(`${id}.app`, 'rm', 'GET', `${RM}/apps/${app}`, {
        user: 'root',
        pick: ({ app: a }) => [
          a.name,
          a.queue,
          a.user,
          a.priority,
          a.applicationType,
          a.applicationTags,
          a.unmanagedApplication,
          a.appNodeLabelExpression,
          a.amNodeLabelExpression,
          a.state === 'FAILED',
        ],
      });
      await c.record(`${id}.timeouts`, 'rm', 'GET', `${RM}/apps/${app}/timeouts`, {
        user: 'root',
        loose: ['expiryTime', 'remainingTimeInSeconds'],
      });
      await c.http('rm', 'PUT', `${RM}/apps/${app}/state`, { user: 'root', body: { state: 'KILLED' } });
    };
    for (const [n, member] of members.entries())
      await one(
        `member.${n}`,
        `<application-submission-context><application-id>ID</application-id><unmanaged-AM>true</unmanaged-AM>${member}</application-submission-context>`,
      );
    for (const [n, text] of documents.entries()) {
      await one(`document.${n}`, text);
      await one(`document-xml.${n}`, text, { accept: 'application/xml' });
    }
    const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user: 'ann' });
    const app = c.name('app', json['application-id']);
    await c.http('rm', 'POST', `${RM}/apps`, { user: 'ann', body: { 'application-id': app, 'unmanaged-AM': true } });
    await c.until(
      'the application waits for its master',
      async () => (await c.http('rm', 'GET', `${RM}/apps/${app}`, { user: 'root' })).json.app.state === 'ACCEPTED',
    );
    for (const [o, [method, path, bodies]] of [...others.slice(1), others[0]].entries())
      for (const [n, body] of bodies.entries())
        for (const accept of [undefined, 'application/xml'])
          await c.record(`other.${o}.${n}.${accept}`, 'rm', method, RM + path.replace('APP', app), {
            user: 'root',
            body,
            headers: xml,
            accept,
            loose: ['message', 'expiryTime', 'remainingTimeInSeconds', 'lastUpdateTime'],
            mask: [[/("state":"|<state>)[A-Z_]+/, '$1{moment}']],
            cut: 3000,
          });
    await c.record('labels', 'rm', 'GET', `${RM}/get-node-labels`, { user: 'root' });
    await c.record('node-labels', 'rm', 'GET', `${RM}/get-node-to-labels`, { user: 'root' });
  },
};
