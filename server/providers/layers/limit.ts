import { type Call, type Content, type Download, type Driver, isWrite } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { Clock } from './clock.ts'
import type { Lane } from './lanes.ts'
import { type CallOutcome, createLimiter, type Entered } from './limiter.ts'
import { type Operation, wrapDriver } from './wrapDriver.ts'

/**
 * One account's share of the service: so many calls at once as it allows, none while it asked for a pause, and none for half a
 * minute after it failed five times in a row. A pause asked of a write holds writes alone. A download holds its slot until its
 * body is over.
 */
export function limit(driver: Driver, { clock }: { clock: Clock }): Driver {
  const limiter = createLimiter(driver.capabilities, clock)
  const enter = (operation: Operation, call: Call): Promise<Entered> =>
    limiter.enter({ lane: laneOf(operation), isWrite: isWrite(operation) }, call, { provider: driver.kind, operation })

  return {
    ...wrapDriver(driver, async (operation, call, work) => {
      const entered = await enter(operation, call)
      try {
        const value = await work(driver)
        if (operation === 'get') leaveWithBody(call, value as Download, entered)
        else entered.leave(null)
        return value
      } catch (error) {
        entered.leave(outcomeOf(call, error))
        throw error
      }
    }),
    async put(call, entry, content, progress) {
      const entered = await enter('put', call)
      const source = watch(content)
      try {
        const stored = await driver.put(call, entry, source.content, progress)
        entered.leave(null)
        return stored
      } catch (error) {
        entered.leave(source.isBroken() ? undefined : outcomeOf(call, error))
        throw error
      }
    },
  }
}

function laneOf(operation: Operation): Lane {
  if (operation === 'put') return 'write'
  return operation === 'get' ? 'read' : 'control'
}

/** What was not the service's doing says nothing of it. */
function outcomeOf({ signal }: Call, error: unknown): CallOutcome {
  return error instanceof ProviderError && !signal.aborted ? error : undefined
}

/** A body whose reader leaves it went well as far as it was read; unread, it says nothing. */
function leaveWithBody(call: Call, { body }: Download, entered: Entered): void {
  entered.answered()
  let failure: unknown = body.errored
  const over = (): void => {
    if (failure) entered.leave(outcomeOf(call, failure))
    else entered.leave(body.readableDidRead || body.readableEnded ? null : undefined)
  }
  body.once('error', (error) => {
    failure = error
  })
  if (body.closed) over()
  else body.once('close', over)
}

/** A content that breaks by itself is no failure of the account that it goes to. */
function watch(content: Content): { content: Content; isBroken(): boolean } {
  let broken = false
  const watched: Content = {
    size: content.size,
    open(start) {
      const source = content.open(start)
      source.once('error', () => {
        broken = true
      })
      return source
    },
  }
  return { content: watched, isBroken: () => broken }
}
