import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** What graphile-worker knows of a queue. The numbers of its tasks depend on this alone. */
type Queue = { readonly escapedWorkerSchema: string }
type Identifiers = { getTaskDetails: (queue: Queue, ...rest: unknown[]) => unknown }

/**
 * graphile-worker keeps the numbers of a queue's tasks in a Map, by all that it knows of the queue: its logger, its events, its jobs. A
 * process of tests starts a hundred servers one after another and would keep each of them, of 20 MB, and each queue that was run by
 * `createRunJobs`: before long it would do little but collect garbage. From now on the Map keeps them by an object with nothing else in it.
 */
function forgetQueues(): void {
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve('graphile-worker'))
  const identifiers: Identifiers = require(join(folder, 'taskIdentifiers.js'))
  const { getTaskDetails } = identifiers
  if (typeof getTaskDetails !== 'function') throw new Error('graphile-worker no longer has getTaskDetails.')
  const keys = new WeakMap<Queue, Queue>()
  identifiers.getTaskDetails = (queue, ...rest) => {
    const key = keys.get(queue) ?? { escapedWorkerSchema: queue.escapedWorkerSchema }
    keys.set(queue, key)
    return getTaskDetails(key, ...rest)
  }
}

forgetQueues()
