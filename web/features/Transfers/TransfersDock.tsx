import { use } from 'react'
import { TransfersDockContext } from './transfersDock.ts'

/** Put it at the bottom of a rail: the transfers panel moves in instead of floating. */
export function TransfersDock() {
  const { setDock } = use(TransfersDockContext)
  return <div ref={setDock} className="flex-none" />
}
