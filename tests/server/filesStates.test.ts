import { describe, expect, it } from 'vitest'
import { assess, type CopyFacts, type FileFacts } from '../../server/domain/files/content/states.ts'

const good: CopyFacts = { state: 'STORED', readable: true, suspect: false, lost: [], names: ['Drive 1'], changed: [] }
const storing: CopyFacts = {
  state: 'STORING',
  readable: false,
  suspect: false,
  lost: [],
  names: ['Drive 9'],
  changed: [],
}
const missing = (...names: string[]): CopyFacts => ({
  state: 'MISSING',
  readable: false,
  suspect: false,
  lost: [],
  names,
  changed: [],
})
const lost = (how: 'EXPIRED' | 'UNREACHABLE' | 'DISCONNECTED', ...names: string[]): CopyFacts => ({
  state: 'STORED',
  readable: false,
  suspect: false,
  lost: names.slice(0, 1).map((name) => ({ name, how })),
  names,
  changed: [],
})
const file = (facts: Partial<FileFacts>): FileFacts => ({
  staged: false,
  wanted: 1,
  copies: [],
  open: 0,
  begun: false,
  stopped: false,
  error: null,
  cancelled: false,
  ...facts,
})

describe('the state of a file', () => {
  it.each<[string, Partial<FileFacts>, string, string | null]>([
    ['received', { staged: true, open: 1 }, 'RECEIVED', null],
    ['being sent', { staged: true, open: 1, begun: true }, 'STORING', null],
    [
      'parked',
      { staged: true, open: 1, stopped: true, error: 'Connect “Drive 2” again.' },
      'AT_RISK',
      'It waits on this server: Connect “Drive 2” again.',
    ],
    ['given up', { staged: true }, 'AT_RISK', 'It is on this server alone, and no copy of it is on its way.'],
    [
      'cancelled',
      { staged: true, cancelled: true },
      'AT_RISK',
      'It is on this server alone: its transfer was cancelled, and is tried again after a day.',
    ],
    [
      'cancelled as the second copy',
      { wanted: 2, copies: [good], cancelled: true },
      'AT_RISK',
      'Only 1 of 2 copies is stored: its transfer was cancelled, and is tried again after a day.',
    ],
    ['stored', { copies: [good] }, 'STORED', null],
    ['stored with one to spare', { copies: [good, lost('EXPIRED', 'Drive 2')] }, 'STORED', null],
    ['getting its second copy', { wanted: 2, copies: [good, storing], open: 1 }, 'STORING', null],
    [
      'without room for its second copy',
      { wanted: 2, copies: [good, storing], stopped: true, error: 'No account has 5 MB free.' },
      'AT_RISK',
      'Only 1 of 2 copies is stored: No account has 5 MB free.',
    ],
    [
      'with fewer copies than its rule',
      { wanted: 3, copies: [good, good] },
      'AT_RISK',
      'Only 2 of 3 copies are stored, and no other is on its way yet.',
    ],
    [
      'of an expired account',
      { copies: [lost('EXPIRED', 'Drive 2')] },
      'AT_RISK',
      'Its only copy is on “Drive 2”, which needs to be connected again.',
    ],
    [
      'of several accounts of which one is away',
      { copies: [lost('UNREACHABLE', 'Drive 2', 'Drive 3')] },
      'AT_RISK',
      'Its only copy is partly on “Drive 2”, which cannot be reached.',
    ],
    [
      'of a disconnected account',
      { copies: [lost('DISCONNECTED', 'Drive 2')] },
      'AT_RISK',
      'No copy is left: “Drive 2” was disconnected.',
    ],
    [
      'that was damaged',
      { copies: [missing('Drive 2')] },
      'AT_RISK',
      'No copy is left: what “Drive 2” held of it is gone or damaged.',
    ],
    [
      'with one of two copies away, though the repair runs',
      { wanted: 2, copies: [good, lost('UNREACHABLE', 'Dropbox'), storing], open: 1 },
      'AT_RISK',
      'One of 2 copies is on “Dropbox”, which cannot be reached.',
    ],
    [
      'with one of two copies damaged',
      { wanted: 2, copies: [good, missing('Dropbox')] },
      'AT_RISK',
      'One of 2 copies is gone or damaged on “Dropbox”.',
    ],
    [
      'with both copies lost',
      { wanted: 2, copies: [lost('EXPIRED', 'Drive 2'), lost('UNREACHABLE', 'Dropbox')] },
      'AT_RISK',
      'No copy of it can be read: “Drive 2” needs to be connected again and “Dropbox” cannot be reached.',
    ],
    [
      'with two of three copies lost',
      { wanted: 3, copies: [good, lost('EXPIRED', 'Drive 2'), missing('Dropbox')] },
      'AT_RISK',
      '2 of 3 copies cannot be read: “Drive 2” needs to be connected again and what “Dropbox” held is gone or damaged.',
    ],
    ['without any copy', {}, 'AT_RISK', 'No copy of it is stored.'],
  ])('%s', (_name, facts, state, reason) => expect(assess(file(facts))).toEqual({ state, reason }))
})
