import type { Db } from '../../db/client.ts'
import { InvalidInputError, NotFoundError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import { visibleTo } from './policy.ts'
import { checkedName, checkHue } from './rules.ts'

export type AccountPatch = { readonly name?: string | undefined; readonly hue?: number | undefined }

/** All of the patch or nothing. @throws InvalidInputError, NotFoundError */
export async function updateAccount(
  db: Db,
  viewer: Viewer,
  { id, provider }: { id: string; provider: string },
  { name, hue }: AccountPatch,
): Promise<void> {
  if (hue !== undefined) checkHue(hue)
  if (hue !== undefined && provider === 'local') {
    const message = 'The storage of this server has a colour of its own.'
    throw new InvalidInputError([{ path: 'hue', message }])
  }
  const data = { ...(name !== undefined && { name: checkedName(name) }), ...(hue !== undefined && { hue }) }
  const { count } = await db.account.updateMany({
    where: { id, ...visibleTo(viewer) },
    data: { ...data, updatedAt: new Date() },
  })
  if (count === 0) throw new NotFoundError()
}
