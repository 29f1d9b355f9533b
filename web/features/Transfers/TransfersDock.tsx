import { use } from 'react'
import { TransfersDockContext } from './transfersDock.ts'

/** Place it at the bottom of a side panel: the transfers panel is rendered there instead of floating. */
export function TransfersDock() {
  const { setDock } = use(TransfersDockContext)
  return <div ref={setDock} className="flex-none" />
}
