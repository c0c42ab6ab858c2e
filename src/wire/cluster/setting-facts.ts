// The settings of a server as `/ui/settings.json` shows them, to administrators.
import { fields, type JsonOf, many, optional, text, truth } from '../../lib/json-shape.ts';

const settingFacts = fields({
  key: text(),
  /** What it does, in a sentence. */
  about: text(),
  /** The part of Heddle that it belongs to; absent where Heddle does not implement it. */
  component: optional(text()),
  /** What its text is read as. */
  type: optional(text()),
  default: optional(text()),
  /** Absent where nothing sets it, and where all of it is hidden. */
  value: optional(text()),
  /** It is a secret, or nothing but one of another setting. */
  isHidden: truth(),
  /** A file, `heddle.yaml`, `environment NAME`, `command line`, `defaults`; `not set` where it has no value. */
  source: text(),
  /** Later files cannot change it. */
  isFinal: truth(),
  isReloadable: truth(),
  /** The variable that sets it; absent for members of a family and what Heddle does not implement. */
  environment: optional(text()),
});
export type SettingFacts = JsonOf<typeof settingFacts>;

/** All settings, and what was noted when they were read. */
export const settingsAnswer = fields({ settings: many(settingFacts), notes: many(text()) });
export type SettingsAnswer = JsonOf<typeof settingsAnswer>;
