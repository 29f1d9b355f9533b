import { createMessageQueue, type MessageQueue } from '../lib/messageQueue.ts'

/** The subscribers of one topic in this process, by user. */
export type Readers<Event> = {
  add(userId: string, signal: AbortSignal): MessageQueue<Event>
  deliver(userId: string, event: Event): void
  deliverToAll(event: Event): void
}

export function createReaders<Event>(combine: (older: Event, newer: Event) => Event): Readers<Event> {
  const byUser = new Map<string, Set<MessageQueue<Event>>>()

  return {
    add(userId, signal) {
      const queues = byUser.get(userId) ?? new Set()
      const onEnd = () => {
        queues.delete(queue)
        if (queues.size === 0) byUser.delete(userId)
      }
      const queue = createMessageQueue<Event>({ signal, combine, onEnd })
      if (!signal.aborted) byUser.set(userId, queues.add(queue))
      return queue
    },
    deliver(userId, event) {
      for (const queue of byUser.get(userId) ?? []) queue.put(event)
    },
    deliverToAll(event) {
      for (const queues of byUser.values()) for (const queue of queues) queue.put(event)
    },
  }
}
