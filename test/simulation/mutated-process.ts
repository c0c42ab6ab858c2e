// Loaded before tests (`node --import`): mutates the product in the process that runs them, as its environment says.
import { mutate } from './mutate.ts';

const said = process.env['HEDDLE_MUTATION'];
if (said) await mutate(JSON.parse(said));
