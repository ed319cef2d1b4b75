/**
 * The scripts that put no spaces between words, as the inside of a character class of a regular expression with the
 * flag `u`. `scx`, because characters such as ー and 々 belong to several scripts.
 */
export const UNSPACED_SCRIPTS =
  "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";
