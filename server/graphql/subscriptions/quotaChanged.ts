import type { Account as AccountRow, GroupCloud as GroupCloudRow } from '../../db/generated/prisma/client.ts'
import type { AccountsChanged } from '../../domain/events.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { Account } from '../types/Account.ts'
import { GroupCloud } from '../types/GroupCloud.ts'
import { coalesce, liveEvents } from './live.ts'

const WINDOW_MS = 250

type Change = {
  readonly accounts: readonly AccountRow[]
  readonly removedIds: readonly string[]
  readonly groupClouds: readonly GroupCloudRow[]
}

const QuotaChangedEvent = builder.objectRef<Change>('QuotaChangedEvent').implement({
  description:
    "Accounts whose quota, status or name changed or that were removed, and the viewer's group clouds, whose totals depend on them.",
  fields: (t) => ({
    accounts: t.field({
      type: [Account],
      description: 'In their current state.',
      resolve: ({ accounts }) => [...accounts],
    }),
    removedIds: t.idList({
      description: 'Disconnected accounts.',
      resolve: ({ removedIds }) => removedIds.map((id) => globalIdOf('Account', id)),
    }),
    groupClouds: t.field({ type: [GroupCloud], resolve: ({ groupClouds }) => [...groupClouds] }),
  }),
})

builder.subscriptionField('quotaChanged', (t) =>
  t.field({
    type: QuotaChangedEvent,
    subscribe: async (_root, _args, context) =>
      coalesce(await liveEvents(context, 'accountsChanged'), WINDOW_MS, merge),
    resolve: (event, _args, context) => readAgain(event, context),
  }),
)

function merge(older: AccountsChanged, newer: AccountsChanged): AccountsChanged {
  if (older.accountIds === null || newer.accountIds === null) return { accountIds: null }
  return { accountIds: [...new Set([...older.accountIds, ...newer.accountIds])] }
}

/** Rereads the accounts with access checks: those no longer visible to the viewer count as removed. */
async function readAgain({ accountIds }: AccountsChanged, context: Context): Promise<Change> {
  const viewer = requireViewer(context)
  const { accounts, groupClouds } = context.services
  const [ids, pools] = await Promise.all([
    accountIds ?? accounts.list(viewer).then((all) => all.map(({ id }) => id)),
    groupClouds.list(viewer),
  ])
  const load = context.load()
  const [rows, poolRows] = await Promise.all([
    Promise.all(ids.map(load.account)),
    Promise.all(pools.map(({ id }) => load.groupCloud(id))),
  ])
  return {
    accounts: rows.filter((row) => row !== null),
    removedIds: ids.filter((_id, index) => rows[index] === null),
    groupClouds: poolRows.filter((row) => row !== null),
  }
}
