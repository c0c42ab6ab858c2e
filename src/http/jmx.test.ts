import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerBeans, type Bean, Float } from './jmx.ts';

const beans: Bean[] = [
  { name: 'Hadoop:service=X,name=Cluster', modelerType: 'Cluster', attributes: { Nodes: 1, Load: new Float(2) } },
  { name: 'Hadoop:service=X,name=Queue,q0=root,q1=a', modelerType: 'Queue', attributes: { 'tag.Queue': 'root.a' } },
];
const body = (query?: string, get?: string): string => {
  const answer = answerBeans(beans, query, get);
  assert.equal(answer.kind, 'rendered');
  return answer.kind === 'rendered' ? answer.body : '';
};
const names = (query?: string): string[] => JSON.parse(body(query)).beans.map((bean: Bean) => bean.name);

describe('beans', () => {
  it('selects by pattern', () => {
    assert.equal(names().length, 2);
    assert.equal(names('Hadoop:*').length, 2);
    assert.deepEqual(names('Hadoop:service=X,name=Cluster'), ['Hadoop:service=X,name=Cluster']);
    assert.deepEqual(names('Hadoop:service=X,name=Queue,*'), ['Hadoop:service=X,name=Queue,q0=root,q1=a']);
    assert.deepEqual(names('Hadoop:name=nothing'), []);
  });
  it('writes as Jackson does', () => {
    assert.equal(body('nothing'), '{ }');
    assert.equal(body('Hadoop:name=nothing'), '{\n  "beans" : [ ]\n}');
    assert.match(body(undefined, 'Hadoop:service=X,name=Cluster::Load'), /"Load" : 2\.0\n {2}} \]/);
  });
  it('says what is wrong with an attribute', () => {
    assert.match(body(undefined, 'nothing'), /"message" : "query format is not as expected\."/);
    assert.match(
      body(undefined, 'Hadoop:service=X,name=Cluster::Other'),
      /"result" : "ERROR",\n {4}"message" : "No attribute with name Other was found\."/,
    );
  });
});
