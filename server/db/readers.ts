import { createMailbox, type Mailbox } from '../lib/mailbox.ts'

/** The subscribers of one topic in this process, by user. */
export type Readers<Event> = {
  add(userId: string, signal: AbortSignal): Mailbox<Event>
  deliver(userId: string, event: Event): void
  deliverToAll(event: Event): void
}

export function createReaders<Event>(combine: (older: Event, newer: Event) => Event): Readers<Event> {
  const byUser = new Map<string, Set<Mailbox<Event>>>()

  return {
    add(userId, signal) {
      const mailboxes = byUser.get(userId) ?? new Set()
      const onEnd = () => {
        mailboxes.delete(mailbox)
        if (mailboxes.size === 0) byUser.delete(userId)
      }
      const mailbox = createMailbox<Event>({ signal, combine, onEnd })
      if (!signal.aborted) byUser.set(userId, mailboxes.add(mailbox))
      return mailbox
    },
    deliver(userId, event) {
      for (const mailbox of byUser.get(userId) ?? []) mailbox.put(event)
    },
    deliverToAll(event) {
      for (const mailboxes of byUser.values()) for (const mailbox of mailboxes) mailbox.put(event)
    },
  }
}
