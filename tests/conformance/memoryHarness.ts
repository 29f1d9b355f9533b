import type { Driver } from '../../server/providers/driver.ts'
import { createMemoryCloud, type MemoryCloud, type MemoryCloudOptions } from '../fakes/memory/cloud.ts'
import type { Fault, FaultHook } from '../fakes/memory/faults.ts'
import { memoryModule } from '../fakes/memory/module.ts'
import type { FaultKind, Harness, ServiceFault } from './harness.ts'

const CHUNK = 64 * 1024

const MAKES: { readonly [Kind in FaultKind]: (fault: Extract<ServiceFault, { kind: Kind }>) => Fault } = {
  rateLimit: ({ retryAfterMs }) => ({ kind: 'refused', code: 'RateLimited', status: 429, retryAfterMs }),
  serverError: () => ({ kind: 'refused', code: 'Transient', status: 503 }),
  reset: () => ({ kind: 'refused', code: 'Transient' }),
  cutUp: ({ afterBytes }) => ({ kind: 'refused', code: 'Transient', afterBytes }),
  cutDown: ({ afterBytes }) => ({ kind: 'refused', code: 'Transient', afterBytes }),
  shortBody: ({ bytes }) => ({ kind: 'shortened', bytes }),
  lostReply: () => ({ kind: 'lostReply' }),
  truncate: ({ bytes }) => ({ kind: 'truncated', bytes, admitted: true }),
  vanish: () => ({ kind: 'vanished' }),
}

const CONCERNS: Readonly<Partial<Record<FaultKind, 'put' | 'get'>>> = {
  cutUp: 'put',
  lostReply: 'put',
  truncate: 'put',
  vanish: 'put',
  cutDown: 'get',
  shortBody: 'get',
}

/** `wrap` puts something around each driver that the harness hands out; `open` makes it, as alice's. */
export function memoryHarness(
  options: MemoryCloudOptions = {},
  wrap = (driver: Driver): Driver => driver,
  open = (cloud: MemoryCloud): Driver => memoryModule(cloud).open(cloud.signIn('alice')),
): Harness {
  const cloud = createMemoryCloud({ chunkBytes: CHUNK, pageSize: 10, ...options })
  const account = cloud.addAccount({ subject: 'alice', quota: 1024 ** 3 })
  let planned: ServiceFault | null = null
  const hook: FaultHook = (operation) => {
    if (!planned || (CONCERNS[planned.kind] ?? operation) !== operation) return null
    const fault = make(planned)
    planned = null
    return fault
  }
  cloud.fault = hook
  return {
    driver: wrap(open(cloud)),
    reopen: () => wrap(open(cloud)),
    chunkBytes: CHUNK,
    manyEntries: 25,
    keepsNames: true,
    keepsHash: true,
    faults: new Set(Object.keys(MAKES) as FaultKind[]),
    plan(fault) {
      planned = fault
    },
    expireAccess: () => cloud.endAccess('alice'),
    fillQuota: () => cloud.setQuota('alice', 0),
    trash: (ref) => cloud.tree('alice').setTrashed(ref, true),
    overwrite: (ref, text) => cloud.overwrite('alice', ref, Buffer.from(text)),
    plantDocument: async () => {
      const document = {
        parent: account.root,
        name: 'Plan',
        kind: 'file',
        bytes: Buffer.alloc(0),
        mimeType: null,
      } as const
      return cloud.tree('alice').add({ ...document, nativeKind: 'DOCUMENT' }).ref
    },
    receivedBytes: () => account.receivedBytes,
    close: () => undefined,
  }
}

function make<Kind extends FaultKind>(fault: Extract<ServiceFault, { kind: Kind }>): Fault {
  const makeOne = MAKES[fault.kind as Kind] as (given: Extract<ServiceFault, { kind: Kind }>) => Fault
  return makeOne(fault)
}
