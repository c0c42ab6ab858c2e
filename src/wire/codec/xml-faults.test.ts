import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../model/errors.ts';
import { parseXmlBody } from './xml-body.ts';

/** Documents, and where and by what a reader of Java's stopped at them (Xerces of JDK 17, as Hadoop 3.4.2 answered): line, column, sentence. */
const refused: readonly (readonly [document: string, said: string])[] = [
  [
    '<appstate><state>KILLED&#xZZ;</state></appstate>',
    '1:27 A hexadecimal representation must immediately follow the "&#x" in a character reference.',
  ],
  [
    '<appstate><state>KILLED&#;</state></appstate>',
    '1:26 A decimal representation must immediately follow the "&#" in a character reference.',
  ],
  ['<appstate><state>KILLED&#12</state></appstate>', "1:28 The character reference must end with the ';' delimiter."],
  ['<appstate><state>KILLED&#x41</state></appstate>', "1:29 The character reference must end with the ';' delimiter."],
  [
    '<appstate><state>KILLED&#X41;</state></appstate>',
    '1:26 A decimal representation must immediately follow the "&#" in a character reference.',
  ],
  [
    '<appstate><state>KILLED]]></state></appstate>',
    '1:27 The character sequence "]]>" must not appear in content unless used to mark the end of a CDATA section.',
  ],
  ['<appstate><state>KILLED<</state></appstate>', '1:25 The content of elements must consist of well-formed character data or markup.'],
  ['<appstate><state>KILLED&\u00e9;</state></appstate>', '1:27 The entity "\u00e9" was referenced, but not declared.'],
  [
    '<appstate><state a="&#xZZ;">KILLED</state></appstate>',
    '1:24 A hexadecimal representation must immediately follow the "&#x" in a character reference.',
  ],
  [
    '<appstate><state a="<">KILLED</state></appstate>',
    '1:21 The value of attribute "a" associated with an element type "state" must not contain the \'<\' character.',
  ],
  [
    '<appstate><state a=b>KILLED</state></appstate>',
    '1:20 Open quote is expected for attribute "a" associated with an  element type  "state".',
  ],
  [
    '<appstate><state a>KILLED</state></appstate>',
    '1:19 Attribute name "a" associated with an element type "state" must be followed by the \' = \' character.',
  ],
  ['<appstate><state a="1" a="2">KILLED</state></appstate>', '1:30 Attribute "a" was already specified for element "state".'],
  ['<appstate></appstate>x', '1:22 Content is not allowed in trailing section.'],
  ['<appstate></appstate><b/>', '1:23 The markup in the document following the root element must be well-formed.'],
  [' <?xml version="1.0"?><appstate/>', '1:7 The processing instruction target matching "[xX][mM][lL]" is not allowed.'],
  ['<!-- a -- b --><appstate/>', '1:10 The string "--" is not permitted within comments.'],
  ['<appstate><?xml x?></appstate>', '1:16 The processing instruction target matching "[xX][mM][lL]" is not allowed.'],
  ['<x:appstate/>', '1:14 The prefix "x" for element "x:appstate" is not bound.'],
  ['<1/>', '1:2 The markup in the document preceding the root element must be well-formed.'],
  [' x', '1:2 Content is not allowed in prolog.'],
  [' \n x', '2:2 Content is not allowed in prolog.'],
  ['<appstate a="1"b="2"/>', '1:16 Element type "appstate" must be followed by either attribute specifications, ">" or "/>".'],
  ['<appstate a="&foo;"/>', '1:19 The entity "foo" was referenced, but not declared.'],
  ['<appstate a="&#0;"/>', '1:18 Character reference "&#0" is an invalid XML character.'],
  ['<appstate a="&"/>', "1:15 The entity name must immediately follow the '&' in the entity reference."],
  [
    '<appstate a="\u0001"/>',
    '1:14 An invalid XML character (Unicode: 0x1) was found in the value of attribute "a" and element is "appstate".',
  ],
  ['<appstate a="1/>', '1:17 XML document structures must start and end within the same entity.'],
  ['<appstate a/>', '1:12 Attribute name "a" associated with an element type "appstate" must be followed by the \' = \' character.'],
  ['<appstate /x>', '1:12 Element type "appstate" must be followed by either attribute specifications, ">" or "/>".'],
  ['<appstate/x', '1:11 Element type "appstate" must be followed by either attribute specifications, ">" or "/>".'],
  ['<appstate &>', '1:11 Element type "appstate" must be followed by either attribute specifications, ">" or "/>".'],
  ['<appstate "x">', '1:11 Element type "appstate" must be followed by either attribute specifications, ">" or "/>".'],
  ['<appstate =1>', '1:11 Element type "appstate" must be followed by either attribute specifications, ">" or "/>".'],
  ['<appstate></appstate x>', '1:22 The end-tag for element type "appstate" must end with a \'>\' delimiter.'],
  ['<appstate></appstate ></b>', '1:25 The markup in the document following the root element must be well-formed.'],
  ['<appstate></b>', '1:13 The element type "appstate" must be terminated by the matching end-tag "</appstate>".'],
  ['<appstate><state></appstate></state>', '1:20 The element type "state" must be terminated by the matching end-tag "</state>".'],
  ['<appstate><!foo></appstate>', '1:13 The content of elements must consist of well-formed character data or markup.'],
  ['<appstate><![CDAT[x]]></appstate>', '1:13 The content of elements must consist of well-formed character data or markup.'],
  ['<appstate><!-x></appstate>', '1:14 Comment must start with "<!--".'],
  ['<appstate><!--x', '1:16 XML document structures must start and end within the same entity.'],
  ['<appstate><![CDATA[x', '1:21 XML document structures must start and end within the same entity.'],
  ['<appstate><?p', '1:14 XML document structures must start and end within the same entity.'],
  ['<appstate><??></appstate>', '1:13 The processing instruction must begin with the name of the target.'],
  ['<appstate><? p?></appstate>', '1:13 The processing instruction must begin with the name of the target.'],
  ['<appstate><?p\u0001?></appstate>', '1:14 White space is required between the processing instruction target and data.'],
  ['<appstate><!--\u0001--></appstate>', '1:15 An invalid XML character (Unicode: 0x1) was found in the comment.'],
  ['<appstate><![CDATA[\u0001]]></appstate>', '1:20 An invalid XML character (Unicode: 0x1) was found in the CDATA section.'],
  ['<appstate>\u0001</appstate>', '1:11 An invalid XML character (Unicode: 0x1) was found in the element content of the document.'],
  ['<!--', '1:5 XML document structures must start and end within the same entity.'],
  ['<?p', '1:4 XML document structures must start and end within the same entity.'],
  ['<!x', '1:3 The markup in the document preceding the root element must be well-formed.'],
  ['<![CDATA[x]]><appstate/>', '1:3 The markup in the document preceding the root element must be well-formed.'],
  ['<>', '1:2 The markup in the document preceding the root element must be well-formed.'],
  ['< appstate/>', '1:2 The markup in the document preceding the root element must be well-formed.'],
  ['</appstate>', '1:2 The markup in the document preceding the root element must be well-formed.'],
  ['&amp;<appstate/>', '1:2 Reference is not allowed in prolog.'],
  ['<appstate/>\n\n x', '3:2 Content is not allowed in trailing section.'],
  ['<appstate/>&amp;', '1:12 Content is not allowed in trailing section.'],
  ['<appstate/><!x', '1:14 Comment must start with "<!--".'],
  ['<appstate/></appstate>', '1:14 The markup in the document following the root element must be well-formed.'],
  ['<appstate/><', '1:13 XML document structures must start and end within the same entity.'],
  ['<appstate/><?xml?>', '1:17 The processing instruction target matching "[xX][mM][lL]" is not allowed.'],
  ['<appstate><x:state>K</x:state></appstate>', '1:20 The prefix "x" for element "x:state" is not bound.'],
  ['<appstate x:a="1"/>', '1:20 The prefix "x" for attribute "x:a" associated with an element type "appstate" is not bound.'],
  [
    '<appstate xmlns:x=""/>',
    '1:21 The value of the attribute "prefix="xmlns",localpart="x",rawname="xmlns:x"" is invalid. Prefixed namespace bindings may not be empty.',
  ],
  [
    '<appstate xmlns:xml="y"/>',
    '1:24 The prefix "xml" cannot be bound to any namespace other than its usual namespace; neither can the namespace for "xml" be bound to any prefix other than "xml".',
  ],
  ['<a:b:c/>', '1:5 Element type "a:b" must be followed by either attribute specifications, ">" or "/>".'],
  ['<a:/>', '1:4 Element or attribute "a:" do not match QName production: QName::=(NCName:)?NCName.'],
  ['<appstate><-a/></appstate>', '1:12 The content of elements must consist of well-formed character data or markup.'],
  ['<appstate><a\u0001/></appstate>', '1:13 Element type "a" must be followed by either attribute specifications, ">" or "/>".'],
  ['\u0001<appstate/>', '1:1 Content is not allowed in prolog.'],
  ['<appstate/>\u0001', '1:12 Content is not allowed in trailing section.'],
  ['<?xml version="1.0"?>x', '1:22 Content is not allowed in prolog.'],
  [
    '<?xml version="1.0"?>\n<?xml version="1.0"?><appstate/>',
    '2:6 The processing instruction target matching "[xX][mM][lL]" is not allowed.',
  ],
  ['<?xml version=1.0?><appstate/>', '1:15 The value following "version" in the XML declaration must be a quoted string.'],
  [
    '<?xml version="1.0" standalone="maybe"?><appstate/>',
    '1:39 The standalone document declaration value must be "yes" or "no", not "maybe".',
  ],
  ['<?xml encoding="UTF-8"?><appstate/>', '1:23 The version is required in the XML declaration.'],
  ['<?xml version="1.0" foo="x"?><appstate/>', '1:21 A pseudo attribute name is expected.'],
  ['<?xml version="1.0"><appstate/>', '1:20 A pseudo attribute name is expected.'],
  ['<?xml version="1.0" ?', '1:22 XML document structures must start and end within the same entity.'],
  ['<foo a=1>', '1:8 Open quote is expected for attribute "a" associated with an  element type  "foo".'],
  ['<foo', '1:5 XML document structures must start and end within the same entity.'],
  ['<appstate><state>K</state', '1:26 XML document structures must start and end within the same entity.'],
  ['<appstate><state>K</', '1:21 The element type "state" must be terminated by the matching end-tag "</state>".'],
  ['<appstate><state>K<', '1:20 XML document structures must start and end within the same entity.'],
  ['<appstate><state>K&', '1:20 XML document structures must start and end within the same entity.'],
  ['<appstate><state>K&#', '1:21 XML document structures must start and end within the same entity.'],
  ['<appstate><state>K&#x', '1:22 XML document structures must start and end within the same entity.'],
  ['<appstate><state>K&#x4', '1:23 XML document structures must start and end within the same entity.'],
  ['<appstate><state>K&am', '1:22 XML document structures must start and end within the same entity.'],
  ['<appstate>\r\n<state>&foo;</state></appstate>', '2:13 The entity "foo" was referenced, but not declared.'],
  ['<appstate>\n\n  &foo;</appstate>', '3:8 The entity "foo" was referenced, but not declared.'],
  ['<appstate>\u00e9&foo;</appstate>', '1:17 The entity "foo" was referenced, but not declared.'],
  ['<appstate>\ud83d\ude00&foo;</appstate>', '1:18 The entity "foo" was referenced, but not declared.'],
  ['<appstate a="1\n2" b=3/>', '2:6 Open quote is expected for attribute "b" associated with an  element type  "appstate".'],
  [
    '<appstate\n\ta="1"\n\tc/>',
    '3:3 Attribute name "c" associated with an element type "appstate" must be followed by the \' = \' character.',
  ],
  ['<appstate\n></appstat\n>', '2:4 The element type "appstate" must be terminated by the matching end-tag "</appstate>".'],
  ['<appstate><b></c></b></appstate>', '1:16 The element type "b" must be terminated by the matching end-tag "</b>".'],
  ['<!DOCTYPE a>x', '1:13 Content is not allowed in prolog.'],
  ['<!DOCTYPE a><appstate>&foo;</appstate>', '1:28 The entity "foo" was referenced, but not declared.'],
  ['<!DOCTYPE a [<!ENTITY x "K">]><appstate><state>&y;</state></appstate>', '1:51 The entity "y" was referenced, but not declared.'],
  ['<!doctype a><appstate/>', '1:3 The markup in the document preceding the root element must be well-formed.'],
  ['<!DOCTYPE><appstate/>', '1:10 White space is required after "<!DOCTYPE" in the document type declaration.'],
  ['<!DOCTYPE ><appstate/>', '1:11 The root element type must appear after "<!DOCTYPE" in the document type declaration.'],
  ['<!DOCTYPE a<appstate/>', '1:12 The document type declaration for root element type "a" must end with \'>\'.'],
  ['<!DOCTYPE a PUBLIC "p"><appstate/>', '1:23 White spaces are required between publicId and systemId.'],
  ['<!DOCTYPE a><!DOCTYPE b><appstate/>', '1:22 Already seen doctype.'],
  [
    '<!DOCTYPE a [<!ENTITY e>]><appstate/>',
    '1:24 White space is required between the entity name "e" and the definition in the entity declaration.',
  ],
  ['<!DOCTYPE a [<!ENTITY e "v>]><appstate a="&e;"/>', '1:43 The declaration for the entity "e" must end with \'>\'.'],
  ['<!DOCTYPE a [<!ENTITY e "v>]><appstate/>', '1:41 Premature end of file.'],
  ['<!DOCTYPE a [<!ENTITY e "%">]><appstate/>', "1:27 The entity name must immediately follow the '%' in the parameter entity reference."],
  [
    '<!DOCTYPE a [<!ENTITY e "<b/>">]><appstate a="&e;"/>',
    '1:1 The value of attribute "a" associated with an element type "appstate" must not contain the \'<\' character.',
  ],
  ['\ufeffa<appstate/>', '1:1 Content is not allowed in prolog.'],
  ['<appstate><xmlns:a/></appstate>', '1:21 Element "xmlns:a" cannot have "xmlns" as its prefix.'],
  [
    '<appstate xmlns:xmlns="urn:x"/>',
    '1:30 The prefix "xmlns" cannot be bound to any namespace explicitly; neither can the namespace for "xmlns" be bound to any prefix explicitly.',
  ],
  [
    '<appstate xmlns:a="urn:a" xmlns:b="urn:a" a:x="1" b:x="2"/>',
    '1:60 Attribute "x" bound to namespace "urn:a" was already specified for element "appstate".',
  ],
  ['<appstate>%&foo</appstate>', '1:16 The reference to entity "foo" must end with the \';\' delimiter.'],
];

/** Documents that it took. */
const taken = [
  '<appstate/><!-- c --><?p?> ',
  '<appstate><\u00e9>x</\u00e9></appstate>',
  '<appstate><a.b-c_d/></appstate>',
  '<appstate><state><![CDATA[K]]]]></state></appstate>',
  '<appstate xmlns:x="y"><x:state x:a="1">K</x:state></appstate>',
  '<?xml version="1.0" encoding="UTF-8" standalone=\'yes\' ?><appstate/>',
  '\ufeff<appstate/>',
  '<appstate xml:lang="en"/>',
  '<appstate><:a>x</:a></appstate>',
  "<appstate a='x\">'/>",
];

function saidOf(document: string): string {
  try {
    parseXmlBody(document, 'appstate');
    return 'taken';
  } catch (error) {
    assert.ok(error instanceof Failure, `${document}: ${String(error)}`);
    const [, line, column, sentence] = /lineNumber: (\d+); columnNumber: (\d+); (.*)\]$/s.exec(error.message) ?? [];
    return line === undefined ? error.message : `${line}:${column} ${sentence}`;
  }
}

describe('an XML body', () => {
  it('that is not well-formed is refused where Java’s reader stops, by its sentence', () => {
    for (const [document, said] of refused) assert.equal(saidOf(document), said, document);
  });

  it('that is well-formed is taken', () => {
    for (const document of taken) assert.equal(saidOf(document), 'taken', document);
  });

  it('is not looked at behind a root that nobody expects, but up to there', () => {
    const unexpected = /unexpected element \(uri:"(.*)", local:"(.*)"\)/;
    for (const document of ['<foo>&bar;', '<foo></bar>', '<foo/>&', '<foo a="1"><'])
      assert.deepEqual(unexpected.exec(saidOf(document))?.slice(1), ['', 'foo'], document);
    assert.deepEqual(unexpected.exec(saidOf('<xml:a>'))?.slice(1), ['http://www.w3.org/XML/1998/namespace', 'a']);
    assert.deepEqual(unexpected.exec(saidOf('<appstate xmlns="&#65;b">'))?.slice(1), ['Ab', 'appstate']);
    assert.deepEqual(unexpected.exec(saidOf('<x:appstate xmlns:x="urn:y">'))?.slice(1), ['urn:y', 'appstate']);
    assert.equal(saidOf('<foo a=1>').slice(0, 28), '1:8 Open quote is expected f');
  });

  it('names a namespace as far as its element reaches', () => {
    assert.equal(saidOf('<appstate><b xmlns:x="y"><x:c/></b></appstate>'), 'taken');
    assert.match(saidOf('<appstate><b xmlns:x="y"/><x:c/></appstate>'), /^1:33 The prefix "x" for element "x:c" is not bound\.$/);
    assert.match(saidOf('<appstate><b xmlns:x="y"></b><x:c/></appstate>'), /^1:36 The prefix "x" for element "x:c" is not bound\.$/);
  });

  it('of any length is read in a time that grows with it', () => {
    for (const piece of ['<b a="1">', '<!-- x -->', '<?p x?>', '<b/>', 'text ', 'x]]', '&#65;']) {
      const document = `<appstate>${piece.repeat(20_000)}`;
      const startMs = performance.now();
      assert.match(saidOf(document), /XML document structures must start and end within the same entity\.$/, piece);
      assert.ok(performance.now() - startMs < 2000, piece);
    }
  });
});
