// Character references, entities, CDATA, comments and document types in every place of XML bodies.
import { clear, masks, RM } from '../kit-apps.mjs';

const texts = [
  'a&#x20;b',
  '&#32;ab',
  'ab&#32;',
  '&#9;ab&#10;',
  'a&#13;b',
  'a&#13;&#10;b',
  'a\r\nb',
  'a\rb',
  '&#x41;',
  '&#X41;',
  '&#x4f;&#X4F;',
  '&#x;',
  '&#;',
  '&;',
  '&',
  '& ',
  '&a',
  '&#65',
  '&#x41',
  '&#65 ;',
  '& #65;',
  '&# 65;',
  '&#0;',
  '&#x0;',
  '&#1;',
  '&#x1F;',
  '&#x7f;',
  '&#x80;',
  '&#x85;',
  '&#x2028;',
  '&#xA0;',
  '&#xD800;',
  '&#xDFFF;',
  '&#xD83D;&#xDE00;',
  '&#x1F600;',
  '&#128512;',
  '&#xFFFE;',
  '&#xFFFF;',
  '&#xFFFD;',
  '&#x10FFFF;',
  '&#x110000;',
  '&#1114112;',
  '&#99999999999;',
  '&#xFFFFFFFFFF;',
  '&#4294967361;',
  '&#00065;',
  '&#x000000000041;',
  '&#-65;',
  '&#+65;',
  '&#6.5;',
  '&#x4G;',
  '&#6a;',
  '&amp;#65;',
  '&#38;#65;',
  '&#38;amp;',
  '&#60;b>',
  '&#60;b&#62;',
  '&lt;b/&gt;',
  '&amp;lt;',
  '&apos;&quot;',
  '&nbsp;',
  '&AMP;',
  '&Lt;',
  '&eacute;',
  '&euro;',
  '&copy;',
  '&amp',
  '&lt',
  '&gt',
  'a > b',
  'a ]]> b',
  'a ]]&gt; b',
  'a ]] > b',
  '\'"',
  '<![CDATA[&#65;]]>',
  '<![CDATA[&amp;]]>',
  '<![CDATA[&#0;]]>',
  'a<![CDATA[b]]>c',
  '<![CDATA[]]>',
  'x<![CDATA[]]>',
  '<![CDATA[a]]><![CDATA[b]]>',
  '<![CDATA[a]]]]><![CDATA[>b]]>',
  '<![CDATA[ a ]]>',
  '<![cdata[a]]>',
  '<![CDATA[a',
  '<![CDATA[a\r\nb]]>',
  '&#65;<![CDATA[&#65;]]>&#65;',
  '<![CDATA[<!-- c -->]]>',
  'a<!-- &#65; -->b',
  '<!-- &#0; -->a',
  'a<!-- &bad; -->',
  '<!-- -- -->a',
  '<!---->a',
  '<!--->a',
  '<!-- a --->b',
  '<?p &#65;?>a',
  '<?p &bad;?>a',
  '<?xml a?>b',
  '<?XML a?>b',
  '<? a?>b',
  '<?p?>a',
  'a\u0000b',
  'a\u0001b',
  'a\u000bb',
  'a\u007fb',
  'a\u0085b',
  'a\u2028b',
  'a\ufffeb',
  'a\uffffb',
  'a\u{1f600}b',
  'a\ud800b',
  '\ufeffa',
  'a\u00a0b',
  '&#8364;',
  'é',
  '&#233;',
  '&#xe9;',
  '&#xE9;&#769;',
];
const names = [
  'a&#65;',
  '&#65;',
  'a&amp;',
  'é',
  'a:b',
  ':a',
  'a:',
  'a::b',
  '1a',
  '-a',
  'a.b',
  'a·',
  '_a',
  'a b',
  'xml',
  'xmla',
  'xml:a',
  'xmlns',
  'xmlns:a',
];
const attributes = [
  'a="&#65;"',
  'a="&#0;"',
  'a="&bad;"',
  'a="&lt;"',
  'a="<"',
  'a="&#60;"',
  'a="&"',
  'a="&#xD800;"',
  "a='&#39;'",
  'a="\u0001"',
  'a="&amp"',
  'a="]]>"',
  'a="<![CDATA[b]]>"',
  'a="&#10;"',
  'a="\n"',
  'a = "b"',
  'a="b"c="d"',
  'a="b" ',
  'a',
  'a=',
  'a="b',
  'a=\'b"',
  '="b"',
  '&#65;="b"',
  'a&#65;="b"',
  'é="b"',
  'x:a="b"',
  'xmlns:x="urn:x" x:a="b"',
  'xmlns:x=""',
  'xmlns:x="&#65;"',
  'xmlns=""',
  'xmlns="&#65;"',
  'xmlns:xml="urn:x"',
  'xmlns:xmlns="urn:x"',
  'xml:space="preserve"',
  'xml:space="x"',
  'xmlns:a="urn:a" xmlns:b="urn:a" a:x="1" b:x="2"',
  'A="1" a="2"',
  '/',
  '//',
  '?',
  '<',
  '>',
];
const types = [
  '<!DOCTYPE a>',
  '<!doctype a>',
  '<!DOCTYPE>',
  '<!DOCTYPE >',
  '<!DOCTYPE a',
  '<!DOCTYPE a []>',
  '<!DOCTYPE a [ ]>',
  '<!DOCTYPE a [<!-- c -->]>',
  '<!DOCTYPE a [<?p?>]>',
  '<!DOCTYPE a [<!ENTITY e "v">]>',
  "<!DOCTYPE a [<!ENTITY e 'v'>]>",
  '<!DOCTYPE a [<!ENTITY e "&#65;">]>',
  '<!DOCTYPE a [<!ENTITY e "&#38;#65;">]>',
  '<!DOCTYPE a [<!ENTITY e "&amp;">]>',
  '<!DOCTYPE a [<!ENTITY f "w"><!ENTITY e "&f;&f;">]>',
  '<!DOCTYPE a [<!ENTITY e "&e;">]>',
  '<!DOCTYPE a [<!ENTITY e "<b/>">]>',
  '<!DOCTYPE a [<!ENTITY e "v"><!ENTITY e "w">]>',
  '<!DOCTYPE a [<!ENTITY % p "v">]>',
  '<!DOCTYPE a [<!ENTITY e SYSTEM "x">]>',
  '<!DOCTYPE a [<!ENTITY e PUBLIC "p" "x">]>',
  '<!DOCTYPE a SYSTEM "x">',
  '<!DOCTYPE a PUBLIC "p" "x">',
  '<!DOCTYPE a PUBLIC "p">',
  '<!DOCTYPE a [<!ELEMENT a ANY>]>',
  '<!DOCTYPE a [<!ATTLIST application-name x CDATA "y">]>',
  '<!DOCTYPE a [<!NOTATION n SYSTEM "x">]>',
  '<!DOCTYPE a [<!ENTITY amp "v">]>',
  '<!DOCTYPE a [<!ENTITY lt "&#38;#60;">]>',
  '<!DOCTYPE a [<!ENTITY é "v">]>',
  '<!DOCTYPE a [<!ENTITY e "v>]>',
  '<!DOCTYPE a [<!ENTITY e>]>',
  '<!DOCTYPE a [<!ENTITY e "]">]>',
  '<!DOCTYPE a [<!ENTITY e ">">]>',
  '<!DOCTYPE a [<!ENTITY e "%">]>',
  '<!DOCTYPE a><!DOCTYPE b>',
];
export default {
  name: 'rm-xml-references-more',
  cluster: 'capacity',
  about: 'references, entities, names, attributes and document types in bodies of XML',
  async run(c) {
    masks(c);
    await clear(c);
    const post = (id, method, path, body, options = {}) =>
      c.record(id, 'rm', method, RM + path, { user: 'ann', body, headers: { 'content-type': 'application/xml' }, ...options });
    const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user: 'ann' });
    const app = c.name('app', json['application-id']);
    await c.http('rm', 'POST', `${RM}/apps`, { user: 'ann', body: { 'application-id': app, 'unmanaged-AM': true } });
    await c.until('accepted', async () => (await c.http('rm', 'GET', `${RM}/apps/${app}`, { user: 'root' })).json.app.state === 'ACCEPTED');
    // the queue's name comes back in the message
    const queue = (id, inner, options) => post(id, 'PUT', `/apps/${app}/queue`, inner, options);
    for (const [n, t] of texts.entries())
      await queue(`text.${n}`, `<appqueue><queue>${t}</queue></appqueue>`, n % 3 ? {} : { accept: 'application/xml' });
    for (const [n, t] of texts.entries()) await queue(`between.${n}`, `<appqueue>${t}<queue>nowhere</queue></appqueue>`);
    for (const [n, t] of texts.entries()) await queue(`before.${n}`, `${t}<appqueue><queue>nowhere</queue></appqueue>`);
    for (const [n, t] of texts.entries()) await queue(`after.${n}`, `<appqueue><queue>nowhere</queue></appqueue>${t}`);
    for (const [n, t] of texts.entries())
      await queue(`attribute.${n}`, `<appqueue><queue a="${t.replaceAll('"', "'")}">nowhere</queue></appqueue>`);
    for (const [n, t] of texts.entries()) await queue(`unknown.${n}`, `<appqueue><other>${t}</other><queue>nowhere</queue></appqueue>`);
    for (const [n, t] of names.entries()) {
      await queue(`name.${n}`, `<appqueue><${t}>x</${t}><queue>nowhere</queue></appqueue>`);
      await queue(`empty.${n}`, `<appqueue><${t}/><queue>nowhere</queue></appqueue>`);
      await queue(`root.${n}`, `<${t}><queue>nowhere</queue></${t}>`);
    }
    for (const [n, t] of attributes.entries()) {
      await queue(`own.${n}`, `<appqueue><queue ${t}>nowhere</queue></appqueue>`);
      await queue(`of-root.${n}`, `<appqueue ${t}><queue>nowhere</queue></appqueue>`);
      await queue(`of-end.${n}`, `<appqueue><queue>nowhere</queue ${t}></appqueue>`);
    }
    for (const [n, t] of types.entries())
      for (const v of ['nowhere', '&e;', 'a&e;b', '<![CDATA[&e;]]>', '&f;']) {
        await queue(`type.${n}.${v}`, `${t}<appqueue><queue>${v}</queue></appqueue>`);
        if (v === '&e;') await queue(`type-attribute.${n}`, `${t}<appqueue><queue a="&e;">nowhere</queue></appqueue>`);
      }
    for (const [n, t] of types.entries()) await queue(`type-inside.${n}`, `<appqueue>${t}<queue>nowhere</queue></appqueue>`);
    // where a text is a number, a word, a key
    for (const [n, t] of [
      '&#51;',
      '3&#32;',
      '&#32;3',
      '&#x33;',
      '<![CDATA[3]]>',
      '3<!-- x -->',
      '&#43;3',
      '&#1633;',
      '٣',
      '3&#160;',
      '&#0;3',
      '1 2',
      '1-2',
      '-',
      '+',
      '- 3',
      '3-',
      '+-3',
      '\n3\t',
      '3\u2003',
      '',
      ' ',
      '--3',
      '1+1',
    ].entries()) {
      await post(`number.${n}`, 'PUT', `/apps/${app}/priority`, `<applicationpriority><priority>${t}</priority></applicationpriority>`, {
        loose: ['message'],
      });
    }
    for (const [n, t] of ['KILL&#76;ED', '&#75;ILLE', ' KILLE&#68;X', '&#32;KILLEDX', '<![CDATA[KILLEDX]]>', 'KILL<!-- x -->EDX'].entries())
      await post(`word.${n}`, 'PUT', `/apps/${app}/state`, `<appstate><state>${t}</state></appstate>`);
    for (const [n, t] of texts.entries()) {
      await post(
        `key.${n}`,
        'PUT',
        '/scheduler-conf',
        `<sched-conf><update-queue><queue-name>root.${t}</queue-name></update-queue><global-updates><entry><key>a.${t}</key><value>${t}</value></entry></global-updates></sched-conf>`,
      );
      await post(
        `value.${n}`,
        'PUT',
        '/scheduler-conf',
        `<sched-conf><update-queue><queue-name>root.default</queue-name><params><entry><key>lab-key</key><value>${t}</value></entry></params></update-queue></sched-conf>`,
      );
      await c.record(`value.${n}.conf`, 'rm', 'GET', `${RM}/scheduler-conf`, {
        user: 'root',
        accept: 'application/json',
        pick: (j) => j.property?.filter((p) => p.name.includes('lab-key')).map(({ name, value }) => [name, value]),
      });
    }
  },
};
