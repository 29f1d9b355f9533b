import type { TransfersService } from '../../services.ts'
import type { Changes, Say } from './say.ts'

/** Pausing, resuming and trying again change no file and no place of one. */
type Reads = 'list' | 'page' | 'getMany' | 'pause' | 'resume' | 'retry'

/** The changes of the transfers service, written down. */
export function recordTransfers(transfers: TransfersService, say: Say): Changes<TransfersService, Reads> {
  return {
    async cancel(viewer, id) {
      const [before] = await transfers.getMany(viewer, [id])
      const transfer = await transfers.cancel(viewer, id)
      if (before?.state !== 'CANCELLED') {
        const subject = { type: 'File', id: transfer.fileId, name: transfer.fileName } as const
        say(viewer, { action: 'TRANSFER_CANCELLED', subject })
      }
      return transfer
    },
  }
}
