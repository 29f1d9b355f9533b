import { createMemoryCloud, type MemoryCloudOptions } from '../fakes/memory/cloud.ts'
import type { Fault, Operation } from '../fakes/memory/faults.ts'
import { memoryModule } from '../fakes/memory/module.ts'
import { virtualClock } from '../server/providers/virtualClock.ts'

/** A cloud with two accounts, on a virtual clock and with ids that are the same each time; `next` plans one fault. */
export function setUp(options: MemoryCloudOptions = {}) {
  const clock = virtualClock()
  let count = 0
  const newId = (): string => {
    count += 1
    return `id-${count}`
  }
  const cloud = createMemoryCloud({ clock, newId, chunkBytes: 100, pageSize: 3, ...options })
  cloud.addAccount({ subject: 'alice', quota: 10_000 })
  cloud.addAccount({ subject: 'bob' })
  const module = memoryModule(cloud)
  const next = (operation: Operation, fault: Fault): void => {
    cloud.fault = (asked) => {
      if (asked !== operation) return null
      cloud.fault = null
      return fault
    }
  }
  return { clock, cloud, module, next, driver: module.open(cloud.signIn('alice')) }
}
