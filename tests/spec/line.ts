import { it } from 'vitest'
import { LINES, type LineId } from './lines.ts'

/** One line of the specification, as a test of that name; several lines that one journey shows are told apart by steps. */
export function line(id: LineId, prove: () => Promise<void> | void): void {
  const { says } = LINES[id]
  it(`${id} ${says}`, prove)
}
