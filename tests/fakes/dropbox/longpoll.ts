import type { Exchange } from '../core/service.ts'
import { ARGS } from './args.ts'
import { readArgs } from './call.ts'
import { decodeCursor } from './cursor.ts'
import { badInput, refused } from './errors.ts'
import { hasChanges } from './listing.ts'
import type { User } from './model.ts'
import { badCursor } from './routes/listing.ts'
import type { State } from './state.ts'
import { tag } from './tags.ts'

export const LONGPOLL = 'files/list_folder/longpoll'

/** Answers as soon as something changes behind the cursor, or when the time is over. Takes no token: the cursor is it. */
export async function longpoll(state: State, exchange: Exchange): Promise<void> {
  await exchange.begin(LONGPOLL)
  const args = await readArgs(exchange, LONGPOLL, 'rpc', ARGS.longpoll)
  if (exchange.request.headers.authorization) {
    throw badInput(LONGPOLL, 'This API function operates without authentication: please leave out "Authorization".')
  }
  const cursor = decodeCursor(args.cursor)
  const user = [...state.users.values()].find(({ uid }) => uid === cursor?.uid)
  if (!cursor || !user) throw badCursor(LONGPOLL)
  if (cursor.epoch !== state.settings.cursorEpoch) throw refused(tag('reset'))
  const changed = (): boolean => hasChanges(user, cursor)
  await exchange.sendJson(200, { changes: changed() || (await waitFor(user, changed, args.timeout, exchange)) })
}

function waitFor(user: User, changed: () => boolean, seconds: number, { response }: Exchange): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (result: boolean): void => {
      user.waiting.delete(wake)
      clearTimeout(timer)
      resolve(result)
    }
    const wake = (): void => {
      if (changed()) end(true)
    }
    const timer = setTimeout(() => end(false), seconds * 1000)
    timer.unref()
    user.waiting.add(wake)
    response.once('close', () => end(false))
  })
}
