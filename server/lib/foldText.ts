const SPACE = ' '
const known = new Map<string, string>()

/**
 * Text as it is compared in a search inside files: lower case without accents, and a space for everything that is no letter or digit.
 * Each character (code point) becomes exactly one, so a place in the result is the same place in the text, which has to be in NFC.
 */
export function foldText(text: string): string {
  let folded = ''
  for (const character of text) folded += foldCharacter(character)
  return folded
}

function foldCharacter(character: string): string {
  let folded = known.get(character)
  if (folded === undefined) {
    folded = computeFold(character)
    known.set(character, folded)
  }
  return folded
}

function computeFold(character: string): string {
  if (!/[\p{L}\p{N}\p{M}]/u.test(character)) return SPACE
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return [plain, character.toLowerCase()].find(isOneLetter) ?? character
}

function isOneLetter(text: string): boolean {
  return /^[\p{L}\p{N}\p{M}]$/u.test(text)
}
