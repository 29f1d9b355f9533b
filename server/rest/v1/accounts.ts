import { z } from 'zod'
import type { Account as DomainAccount, QuotaReading } from '../../domain/accounts/contract.ts'
import { NotFoundError } from '../../domain/errors.ts'
import type { AccountIndex } from '../../domain/inPlace/service.ts'
import type { Services } from '../../domain/services.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { Bytes, DateTime, idParams, listOf, noContent, pageOf, pageQuery, Quota } from '../schemas.ts'

const MAX_READINGS = 100

const Index = z
  .object({
    phase: z
      .enum(['FIRST_PASS', 'LIVE', 'WALK', 'HELD', 'PAUSED'])
      .describe(
        'FIRST_PASS: the account is being listed for the first time. LIVE: changes are read as they happen. WALK: the provider reports no changes, so everything is listed again each night, and a folder when it is opened. HELD: more than half of it seems to be gone and waits for a decision. PAUSED: it cannot be read now.',
      ),
    entries: z.int().describe('Number of entries that are known.'),
    expected: z
      .int()
      .nullable()
      .describe('During FIRST_PASS: how many there may be, as far as earlier listings tell; otherwise null.'),
    startedAt: DateTime.nullable().describe('During FIRST_PASS: when it began; otherwise null.'),
    asOf: DateTime.nullable().describe(
      'When changes were last read; with WALK, when the last complete listing began. null: not yet.',
    ),
    problem: z.string().nullable().describe('Why the account cannot be read, as text; null while it can.'),
    heldDeletions: z.int().describe('Entries that are reported as gone and wait for a decision.'),
  })
  .meta({ id: 'AccountIndex' })

export const Account = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    place: z
      .string()
      .nullable()
      .describe(
        'Where its files are, such as `user@host`, `host/bucket`, a repository or a channel; null where `email` says it, and if it is unknown.',
      ),
    createdAt: DateTime,
    status: z.enum(['CONNECTED', 'EXPIRED']).describe('EXPIRED: it must be reconnected.'),
    statusReason: z.string().nullable().describe('Why it is expired or cannot be reached, as text.'),
    unreachableSince: DateTime.nullable().describe(
      'Since when the provider is unreachable; null while it is reachable.',
    ),
    provider: z.string().describe('`id` of a provider, or `local` for the storage of this server.'),
    hue: z.int().describe('1 to 12; 0 is the storage of this server.'),
    quota: Quota,
    capacityBytes: Bytes.nullable().describe(
      'The total of `quota`, set by the user because the provider reports none; null where it is not.',
    ),
    poolUse: z.enum(['FULL', 'EXTRA_COPIES', 'NONE']).describe('How group clouds may use it; see the provider.'),
    searchContents: z
      .boolean()
      .describe(
        'Whether the text inside files is searched: of what the account has itself, which downloads its documents once, or with the storage of this server of everything that Skypool stores, wherever its copies are.',
      ),
    rootFileId: z.string().nullable().describe('The folder that shows the account; null with `scope` OWN.'),
    scope: z
      .enum(['EVERYTHING', 'OWN'])
      .describe('EVERYTHING: all that the account holds is shown. OWN: only what Skypool stores in it.'),
    sharedWithMe: z
      .boolean()
      .describe('Whether what others share with the account is shown too, in a separate folder.'),
    drives: z.array(z.string()).describe('Ids of the shared drives that are shown too, each in a separate folder.'),
    index: Index.nullable().describe('How complete and current the list of everything is; null with `scope` OWN.'),
  })
  .meta({ id: 'Account' })

const Reading = z.object({
  id: z.string(),
  quota: z.object({
    usedBytes: Bytes,
    totalBytes: Bytes.nullable().describe('null when unlimited or unknown.'),
  }),
  error: z.string().optional().describe('Why the provider could not be reached; the quota is then the last known one.'),
})

const AccountsQuery = pageQuery.extend({
  provider: z
    .string()
    .max(100)
    .regex(/^[a-z0-9-]+$/, 'Unknown provider.')
    .optional()
    .describe('Only accounts of this provider.'),
})

const UpdateBody = z.strictObject({
  name: z.string().optional().describe('1 to 100 characters.'),
  hue: z.int().optional().describe('1 to 12.'),
  capacityBytes: Bytes.nullable()
    .optional()
    .describe('The size of the account in bytes, where its provider reports none; null removes it.'),
  searchContents: z.boolean().optional().describe('Searches the text inside its files, or deletes the texts.'),
  scope: z
    .enum(['EVERYTHING', 'OWN'])
    .optional()
    .describe('Shows everything that the account holds, or only what Skypool stores. Changes nothing at the provider.'),
  sharedWithMe: z.boolean().optional().describe('Shows what others share with the account. Needs `scope` EVERYTHING.'),
  drives: z
    .array(z.string().max(200))
    .max(1_000)
    .optional()
    .describe('Ids of all shared drives to show; an empty list shows none. Needs `scope` EVERYTHING.'),
})

const Drives = z
  .object({
    sharedWithMe: z
      .boolean()
      .nullable()
      .describe('Whether it is shown; null if the provider does not keep apart what others share.'),
    items: z.array(
      z.object({
        id: z.string().describe('For `drives` of the account.'),
        name: z.string().describe('Its name at the provider.'),
        shown: z.boolean().describe('Whether it is shown.'),
      }),
    ),
  })
  .meta({ id: 'AccountDrives' })

const DeletionsBody = z.strictObject({
  accept: z.boolean().describe('true: they are gone. false: they stay, and the account is listed again.'),
})

/** Connected accounts of all providers, including the storage of this server. */
export const accountsRoutes: RestPlugin = async (app, { services }) => {
  const tags = ['accounts']
  const { accounts, inPlace, search } = services

  app.get(
    '/accounts',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List accounts, oldest first',
        querystring: AccountsQuery,
        response: { 200: listOf(Account) },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const all = await accounts.list(viewer, request.query.provider)
      return pageOf(await presentAccounts(inPlace, viewer, all), request.query)
    },
  )

  app.get(
    '/accounts/:id',
    {
      config: { problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Read an account',
        params: idParams,
        response: { 200: Account },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const [account] = await accounts.getMany(viewer, [databaseId('Account', request.params.id)])
      if (!account) throw new NotFoundError()
      return presentAccount(inPlace, viewer, account)
    },
  )

  app.patch(
    '/accounts/:id',
    {
      config: { scope: 'SESSION', problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT', 'PROVIDER_FAILED'] },
      schema: {
        tags,
        summary: 'Rename an account, change its colour, or choose what is shown of it and searched',
        params: idParams,
        body: UpdateBody,
        response: { 200: Account },
      },
    },
    async (request) => {
      const id = databaseId('Account', request.params.id)
      const viewer = requireViewer(request)
      const { scope, sharedWithMe, drives, searchContents, ...patch } = request.body
      const account = await accounts.update(viewer, id, patch)
      const isShownChanged = scope !== undefined || sharedWithMe !== undefined || drives !== undefined
      if (isShownChanged) await inPlace.setShown(viewer, id, { scope, sharedWithMe, drives })
      if (searchContents !== undefined) await search.setAccount(viewer, id, searchContents)
      return presentAccount(inPlace, viewer, { ...account, searchContents: searchContents ?? account.searchContents })
    },
  )

  app.get(
    '/accounts/:id/drives',
    {
      config: { scope: 'READ', problems: ['NOT_FOUND', 'PROVIDER_FAILED'] },
      schema: {
        tags,
        summary: 'List the shared drives that an account can show, as its provider names them now',
        params: idParams,
        response: { 200: Drives },
      },
    },
    async (request) => {
      const id = databaseId('Account', request.params.id)
      const { sharedWithMe, drives } = await inPlace.roots(requireViewer(request), id)
      return { sharedWithMe, items: drives.map(({ id, name, isShown }) => ({ id, name, shown: isShown })) }
    },
  )

  app.post(
    '/accounts/:id/index/refresh',
    {
      config: { scope: 'WRITE', problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'List everything in an account again',
        params: idParams,
        response: { 202: z.object({}).describe('Accepted.') },
      },
    },
    async (request, reply) => {
      await inPlace.refresh(requireViewer(request), databaseId('Account', request.params.id))
      return reply.code(202).send({})
    },
  )

  app.post(
    '/accounts/:id/index/deletions',
    {
      config: { scope: 'SESSION', problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Decide whether held entries of an account are gone',
        params: idParams,
        body: DeletionsBody,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      const id = databaseId('Account', request.params.id)
      await inPlace.decideDeletions(requireViewer(request), id, request.body.accept)
      return reply.code(204).send(null)
    },
  )
}

/** Quotas of accounts, as reported by their providers. */
export const quotasRoutes: RestPlugin = async (app, { services }) => {
  const { accounts } = services
  const connectable = accounts.providers().filter(({ connectsBy }) => connectsBy !== null)
  const providerOf = new Map([...connectable.map(({ quotaType, id }) => [quotaType, id] as const), ['local', 'local']])
  const Body = z
    .array(z.strictObject({ id: z.string().max(200), type: z.enum([...providerOf.keys()]) }))
    .max(MAX_READINGS)

  app.post(
    '/quotas/by-ids-and-types',
    {
      config: { scope: 'READ', problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags: ['accounts'],
        summary: 'Read the quotas of accounts from their providers, at most once a minute per account',
        body: Body,
        response: { 200: z.array(Reading) },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const asked = request.body.map(({ id, type }) => ({
        id: databaseId('Account', id),
        provider: providerOf.get(type),
      }))
      const ids = asked.map(({ id }) => id)
      const known = await accounts.getMany(viewer, ids)
      if (asked.some(({ provider }, index) => known[index]?.provider !== provider)) throw new NotFoundError()
      return (await accounts.readQuotas(viewer, ids)).map(presentReading)
    },
  )
}

type Presented = z.infer<typeof Account>

export async function presentAccount(
  inPlace: Services['inPlace'],
  viewer: Viewer,
  account: DomainAccount,
): Promise<Presented> {
  const [presented] = await presentAccounts(inPlace, viewer, [account])
  if (!presented) throw new NotFoundError()
  return presented
}

export async function presentAccounts(
  inPlace: Services['inPlace'],
  viewer: Viewer,
  accounts: readonly DomainAccount[],
): Promise<Presented[]> {
  const ids = accounts.map(({ id }) => id)
  const [indexes, roots] = await Promise.all([inPlace.indexes(viewer, ids), inPlace.shownRoots(viewer, ids)])
  return accounts.map(({ id, createdAt, unreachableSince, ...rest }) => ({
    ...rest,
    id: publicId('Account', id),
    createdAt: createdAt.toISOString(),
    unreachableSince: unreachableSince?.toISOString() ?? null,
    sharedWithMe: roots.get(id)?.sharedWithMe ?? false,
    drives: [...(roots.get(id)?.drives ?? [])],
    ...presentIndex(indexes.get(id)),
  }))
}

function presentIndex(index: AccountIndex | undefined): Pick<Presented, 'rootFileId' | 'scope' | 'index'> {
  if (!index) return { rootFileId: null, scope: 'OWN', index: null }
  const { phase, entries, expected, startedAt, asOf, problem, heldDeletions } = index
  const listing = { entries, expected, startedAt: startedAt?.toISOString() ?? null }
  return {
    rootFileId: publicId('File', index.rootFileId),
    scope: 'EVERYTHING',
    index: { phase, ...listing, asOf: asOf?.toISOString() ?? null, problem, heldDeletions },
  }
}

function presentReading({ accountId, quota, error }: QuotaReading): z.infer<typeof Reading> {
  const { usedBytes, totalBytes } = quota
  return { id: publicId('Account', accountId), quota: { usedBytes, totalBytes }, ...(error !== null && { error }) }
}
