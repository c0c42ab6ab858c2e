import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMediaType, parseAccept } from './media-types.ts';

const shown = (accept: string) => parseAccept(accept)?.map(({ type, subtype, quality }) => `${type}/${subtype} ${quality}`);

describe('Accept', () => {
  it('is read with the best first: by quality, the more precise before wild ones, in the order that is given', () => {
    assert.deepEqual(shown('text/html, */*, application/*;q=1, application/xml;q=0.5, a/b;q=0.501'), [
      'text/html 1000',
      'application/* 1000',
      '*/* 1000',
      'a/b 501',
      'application/xml 500',
    ]);
    assert.deepEqual(shown('Application/JSON ; Q=.25;charset="a,b"; q=1.000'), ['application/json 1000']);
  });

  it('may name a type without a subtype, and end with a comma or a semicolon', () => {
    assert.deepEqual([shown('*'), shown('*/json'), shown('application')], [['*/* 1000'], ['*/json 1000'], ['application/* 1000']]);
    assert.deepEqual([shown('a/b,'), shown('a/b;'), shown('a/b;;q=0.1 , '), shown(' ')], [['a/b 1000'], ['a/b 1000'], ['a/b 100'], []]);
  });

  it('is not read with a quality that is none, without a type, or with something between', () => {
    for (const accept of [
      ...['a/b;q=1.5', 'a/b;q=x', 'a/b;q=-1', 'a/b;q=', 'a/b;q=0.1234', 'a/b;q = 1', 'a/b;q', 'a/b;c'],
      ...[',a/b', 'a/b,,c/d', 'a/b c/d', 'a /b', 'a/b/c', '/', 'a/', '/b', '"a/b"', 'a/b;c="'],
    ])
      assert.equal(shown(accept), undefined, accept);
  });
});

describe('Content-Type', () => {
  it('is one type with a subtype and parameters', () => {
    for (const type of ['a/b', 'a/*', ' A/B ; c=d', 'application/json;charset=utf-8', 'multipart/form-data;boundary="x y"'])
      assert.ok(isMediaType(type), type);
    for (const type of ['', ' ', 'a', 'a/', 'a/b c', 'a/b, c/d', 'a/b;c', 'garbage']) assert.ok(!isMediaType(type), type);
  });
});
