import type { TransferState } from '../../../server/domain/transfers/contract.ts'
import { parsePublicId, publicId } from '../../../server/lib/ids.ts'
import { createTransfer } from '../../factories/transfers.ts'
import type { Provoke } from './provoke.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const TRANSFERS = '/api/v1/transfers'

/** The address of a transfer in that state. */
async function transferAt(world: World, state: TransferState): Promise<string> {
  const fileId = parsePublicId(await given.uploaded(world))?.id ?? ''
  return `${TRANSFERS}/${publicId('Transfer', await createTransfer(world.server.pool, fileId, state))}`
}

const commanded =
  (command: string, state: TransferState): Attempt =>
  async (world) =>
    world.browser.request('POST', `${await transferAt(world, state)}/${command}`)

/** Good answers of the calls on transfers. */
export const TRANSFER_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`GET ${TRANSFERS}`]: {
    200: ['', '?open=true', '?open=false', '?limit=1'].map((query) => async (world) => {
      await transferAt(world, 'PAUSED')
      return world.browser.request('GET', TRANSFERS + query)
    }),
  },
  [`GET ${TRANSFERS}/{id}`]: {
    200: [async (world) => world.browser.request('GET', await transferAt(world, 'PARKED'))],
  },
  [`POST ${TRANSFERS}/{id}/pause`]: { 200: [commanded('pause', 'PARKED'), commanded('pause', 'PAUSED')] },
  [`POST ${TRANSFERS}/{id}/resume`]: { 200: [commanded('resume', 'PAUSED')] },
  [`POST ${TRANSFERS}/{id}/cancel`]: { 200: [commanded('cancel', 'CANCELLED')] },
  [`POST ${TRANSFERS}/{id}/retry`]: { 200: [commanded('retry', 'FAILED')] },
}

/** Commands that come too late. */
export const TRANSFER_CONFLICTS: readonly Provoke[] = (['pause', 'resume', 'cancel', 'retry'] as const).map(
  (command) => async (world) => ({
    operation: `POST ${TRANSFERS}/{id}/${command}`,
    answer: await commanded(command, 'DONE')(world),
  }),
)
