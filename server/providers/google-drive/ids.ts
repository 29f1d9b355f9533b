import type { Call } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { DriveClient } from './client.ts'
import { KIND } from './wire.ts'

/** Ids that Drive gives ahead: a file that was made under one is found again when the answer was lost. */
export type Ids = { next(call: Call): Promise<string> }

const AT_ONCE = 50

export function createIds(client: DriveClient): Ids {
  let ready: string[] = []
  return {
    async next(call) {
      const known = ready.pop()
      if (known !== undefined) return known
      const { ids } = await client.ask(call, 'generateIds', (api, options) =>
        api.files.generateIds({ count: AT_ONCE, space: 'drive', fields: 'ids' }, options),
      )
      ready = [...ready, ...(ids ?? [])]
      const id = ready.pop()
      if (id !== undefined) return id
      throw new ProviderError('Transient', { provider: KIND, operation: 'generateIds' }, { message: 'No id came.' })
    },
  }
}
