import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LINES } from '../spec/lines.ts'
import { provenBy, specTable } from '../spec/table.ts'

describe('the tests of the specification', () => {
  const proven = provenBy()

  it('prove every line, each by one test', () => {
    const counts = Object.keys(LINES).map((id) => [id, proven.get(id)?.length ?? 0] as const)
    expect(counts.filter(([, tests]) => tests !== 1)).toEqual([])
  })

  it('prove nothing else', () => {
    expect([...proven.keys()].filter((id) => !(id in LINES))).toEqual([])
  })

  it('are listed as they are (npm run spec-table)', () => {
    expect(readFileSync('tests/spec/README.md', 'utf8')).toBe(specTable())
  })
})
