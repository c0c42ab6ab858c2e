// How many columns of a terminal a letter takes: as the C library of the node has it, by which programs count where the cursor is. Pure.

/** What East Asian typography writes in a square (Unicode, East Asian Width W and F); pictures apart. */
const squares: readonly (readonly [first: number, last: number])[] = [
  [0x11_00, 0x11_5f],
  [0x23_29, 0x23_2a],
  [0x2e_80, 0x30_3e],
  [0x30_41, 0xa4_cf],
  [0xa9_60, 0xa9_7c],
  [0xac_00, 0xd7_a3],
  [0xf9_00, 0xfa_ff],
  [0xfe_10, 0xfe_19],
  [0xfe_30, 0xfe_6f],
  [0xff_01, 0xff_60],
  [0xff_e0, 0xff_e6],
  [0x1_6f_e0, 0x1_b2_ff],
  [0x1_f2_00, 0x1_f2_65],
  [0x2_00_00, 0x3_ff_fd],
];
/** Pictures that are shown as such; the letters of flags are counted one by one. */
const picture = /^(?!\p{Regional_Indicator})\p{Emoji_Presentation}$/u;
/** Signs on other letters, and what is not seen. */
const unseen = /^(?:\p{Mn}|\p{Me}|(?!\u00ad)\p{Cf}|[\u1160-\u11ff\ud7b0-\ud7ff])$/u;

/** Columns of a letter, by its code point. */
export function letterWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x3_00) return 1;
  const letter = String.fromCodePoint(codePoint);
  if (unseen.test(letter)) return 0;
  return squares.some(([first, last]) => codePoint >= first && codePoint <= last) || picture.test(letter) ? 2 : 1;
}
