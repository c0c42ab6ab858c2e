import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { convertUnits, isUnit, knownUnits, parseAmount } from './units.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

test('amounts are converted between units and rounded down', () => {
  assert.equal(convertUnits(5, 'Gi', 'Mi'), 5120);
  assert.equal(convertUnits(5, 'G', 'M'), 5000);
  assert.equal(convertUnits(1500, 'M', 'G'), 1);
  assert.equal(convertUnits(1, 'G', 'Gi'), 0);
  assert.equal(convertUnits(2, 'Gi', 'M'), 2147);
  assert.equal(convertUnits(3, '', 'm'), 3000);
  assert.equal(convertUnits(7, '', ''), 7);
});

test('amounts are read with their unit', () => {
  assert.deepEqual(parseAmount(' 12Gi '), { amount: 12, unit: 'Gi' });
  assert.deepEqual(parseAmount('3'), { amount: 3, unit: '' });
  for (const bad of ['', 'x', '-1', '1.5', '3Zi', '3 4']) assert.equal(parseAmount(bad), undefined, bad);
});

test('every unit is one of fifteen, told by its exact letters', () => {
  assert.equal(knownUnits.length, 15);
  for (const unit of knownUnits) assert.ok(isUnit(unit));
  for (const other of ['K', 'KI', 'mi', 'B', 'MB', 'constructor', 'toString', ' ']) assert.ok(!isUnit(other), other);
});

test('whole amounts survive the way to a smaller unit of the same kind and back', () => {
  const decimal = ['p', 'n', 'u', 'm', '', 'k', 'M', 'G'] as const;
  const binary = ['Ki', 'Mi', 'Gi', 'Ti'] as const;
  for (const units of [decimal, binary])
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.nat(units.length - 1), fc.nat(1), (amount, at, down) => {
        const larger = units[at]!;
        const smaller = units[Math.max(0, at - down)]!;
        assert.equal(convertUnits(convertUnits(amount, larger, smaller), smaller, larger), amount);
      }),
    );
});

test('an amount never grows by rounding', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), (mebibytes) => {
      const gibibytes = convertUnits(mebibytes, 'Mi', 'Gi');
      assert.ok(gibibytes * 1024 <= mebibytes && mebibytes < (gibibytes + 1) * 1024);
      const megabytes = convertUnits(mebibytes, 'Mi', 'M');
      assert.ok(megabytes <= mebibytes * 1.048_576 && megabytes + 1 > mebibytes * 1.048_576);
    }),
  );
});

test('amounts are read as they are written', () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...knownUnits), fc.constantFrom('', ' '), (amount, unit, blank) =>
      assert.deepEqual(parseAmount(`${amount}${blank}${unit}`), { amount, unit }),
    ),
  );
  for (const bad of ['1e3', '+1', '0x10', '1Gi2', '1 G i', '1234567890123456789', 'Gi']) assert.equal(parseAmount(bad), undefined, bad);
});
