import assert from 'node:assert/strict';
import { it } from 'node:test';
import { indentedXml } from './xml.ts';

it('XML is shown an element a line, by its depth', () => {
  assert.equal(
    indentedXml('<?xml version="1.0"?><app><id>a</id><tags/><am xsi:type="x"><name>n</name></am></app>'),
    '<?xml version="1.0"?>\n<app>\n  <id>a</id>\n  <tags/>\n  <am xsi:type="x">\n    <name>n</name>\n  </am>\n</app>',
  );
});
