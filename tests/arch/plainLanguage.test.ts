import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { findBannedTerms, judgeLanguage } from './plainLanguage.ts'

const root = mkdtempSync(join(tmpdir(), 'skypool-words-'))
afterEach(() => rmSync(root, { recursive: true, force: true }))

function plant(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

function saidIn(file: string, text: string): string[] {
  plant(file, text)
  return findBannedTerms(root, [file]).map(({ line, said }) => `${line} ${said}`)
}

describe('plain words', () => {
  it.each([
    ['an identifier', 'export function settleRows() {}', '1 settle'],
    ['a constant', 'const SEALED_COLUMNS = 1', '1 SEALED'],
    ['a property', 'return { lookedUp: true }', '1 lookedUp'],
    ['a line comment', 'const a = 1\n// Nobody has it.', '2 Nobody'],
    ['a docstring', '/** Reads\n * it anew. */', '2 anew'],
    ['a turn that two lines of a comment share', '/**\n * It comes by and\n * by. */', '2 by and by'],
    ['a text for people', `const text = 'What shall happen to it?'`, '1 shall'],
    ['a template', 'const text = `The upload goes on.`', '1 goes on'],
    ['a file of messages', `import { TEXTS } from './words.ts'`, '1 words.ts'],
  ])('refuse %s', (_where, code, finding) => {
    expect(saidIn('server/domain/a.ts', code)).toEqual([finding])
  })

  it.each([
    ['web/ui/A.tsx', 'return <p>Somebody has it.</p>'],
    ['prisma/schema.prisma', '/// Kept for good.'],
    ['README.md', 'A cookie beside it counts.'],
    ['docs/settings.md', 'It starts anew.'],
    ['CONTRIBUTING.md', 'What shall I do?'],
  ])('fail the check in %s', (file, text) => {
    plant(file, text)
    expect(judgeLanguage(root)).toEqual([expect.stringMatching(new RegExp(`^${file}:1 says “.+”`))])
  })

  it.each([
    ['of promises', 'server/lib/a.ts', 'await Promise.allSettled(all)'],
    ['that contain one', 'server/lib/a.ts', 'const resettlements = unsealedness + marshall'],
    [
      'that are stored',
      'server/domain/secrets/a.ts',
      `hkdf('skypool sealing'); sql('update sealing_check set sealed = $1')`,
    ],
    ['of generated files', 'web/__generated__/a.ts', 'const nobody = 1'],
  ])('allow words %s', (_which, file, code) => {
    expect(saidIn(file, code)).toEqual([])
  })
})
