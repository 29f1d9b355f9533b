import type pg from 'pg'
import type { ClientBase } from 'pg'
import type { Db } from '../../db/client.ts'
import type { Account as AccountRow } from '../../db/generated/prisma/client.ts'
import { transaction } from '../../db/pool.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { type Providers, THIS_SERVER } from '../../providers/providers.ts'
import { ConflictError, InvalidInputError, NotFoundError } from '../errors.ts'
import type { Events } from '../events.ts'
import { renameAccountFolder } from '../files/tree/folders.ts'
import { type Enqueue, enqueueReconcile, type LeaveProtection } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import type { Account, AccountPatch, AccountsService } from './contract.ts'
import { type AuthorizationsDeps, createAuthorizations } from './credentials.ts'
import { countAtRisk, disconnectAccount, readLoss } from './disconnection.ts'
import {
  connectGrant,
  createGrants,
  type Grant,
  reconnectGrant,
  redirectUriOf,
  storedValues,
  valueIn,
  withSecrets,
} from './grants.ts'
import type { AccountHealth, AfterChange } from './health.ts'
import { type Quotas, totalRoom } from './quotas.ts'
import {
  checkCapacity,
  checkCode,
  checkedForm,
  checkedName,
  checkHue,
  connectsBy,
  formOf,
  oauthOf,
  providerGlyph,
  providerName,
  providerOfLink,
  sumQuotas,
  toAccount,
  visibleTo,
} from './rows.ts'

export type AccountsDeps = Pick<AuthorizationsDeps, 'onStateOmitted'> & {
  readonly db: Db
  readonly pool: pg.Pool
  readonly providers: Providers
  readonly encryption: Encryption
  readonly events: Pick<Events, 'publish'>
  readonly enqueue: Enqueue
  readonly quotas: Pick<Quotas, 'read'>
  readonly health: Pick<AccountHealth, 'worked'>
  readonly afterChange: AfterChange
  readonly leaveProtection?: LeaveProtection
  /** Called with errors that do not fail the call. */
  readonly onError: (error: unknown) => void
}

export function createAccountsService(deps: AccountsDeps): AccountsService {
  const { db, pool, providers, events } = deps
  const authorizations = createAuthorizations(deps)
  const grants = createGrants(deps)

  async function rowsOf(viewer: Viewer, ids: readonly string[]): Promise<(AccountRow | null)[]> {
    const rows = await db.account.findMany({ where: { id: { in: [...ids] }, ...visibleTo(viewer) } })
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => byId.get(id) ?? null)
  }
  async function rowOf(viewer: Viewer, id: string): Promise<AccountRow> {
    const [row] = await rowsOf(viewer, [id])
    if (!row) throw new NotFoundError()
    return row
  }
  /** Revokes a new grant when it cannot be used. */
  const revokeOnError = <Result>({ provider, identity, credentials }: Grant, use: Promise<Result>): Promise<Result> =>
    use.catch(async (error: unknown) => {
      await grants.revoke(provider, identity, credentials)
      throw error
    })
  const get = async (viewer: Viewer, id: string): Promise<Account> => toAccount(await rowOf(viewer, id))
  const changed = ({ userId }: Viewer, id: string) => events.publish('accountsChanged', userId, { accountIds: [id] })

  /** The folder that shows the account is named after it. */
  async function nameFolder(viewer: Viewer, id: string): Promise<void> {
    const folderId = await renameAccountFolder(pool, id, (await rowOf(viewer, id)).name)
    if (folderId === null) return
    const event = { fileIds: [folderId], removedIds: [], parentIds: [null], truncated: false }
    events.publish('filesChanged', viewer.userId, event)
  }

  async function connectWith(viewer: Viewer, name: string, grant: Grant): Promise<Account> {
    const { id, isNew } = await revokeOnError(grant, connectGrant(deps, viewer, name, grant))
    if (isNew) changed(viewer, id)
    else await deps.afterChange(id)
    return get(viewer, id)
  }
  async function reconnectWith(viewer: Viewer, id: string, grant: Grant): Promise<Account> {
    await revokeOnError(grant, reconnectGrant(deps, viewer, id, grant))
    deps.health.worked(id)
    await deps.afterChange(id)
    return get(viewer, id)
  }

  return {
    providers: () => providers.catalogue(),
    providerName: (provider) => providerName(providers, provider),
    providerGlyph: (provider) => providerGlyph(providers, provider),
    connectsBy: (provider) => connectsBy(providers, provider),
    providerOfLink: (url) => providerOfLink(providers, url),
    async list(viewer, provider) {
      const rows = await db.account.findMany({
        where: { ...visibleTo(viewer), ...(provider !== undefined && { provider }) },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      })
      return rows.map(toAccount)
    },
    async getMany(viewer, ids) {
      return (await rowsOf(viewer, ids)).map((row) => row && toAccount(row))
    },
    async quota(viewer) {
      const pools = await db.groupCloud.findMany({
        where: { userId: viewer.userId },
        select: {
          copies: true,
          members: { where: { account: { disconnectedAt: null } }, include: { account: true } },
        },
      })
      const used = new Map(pools.flatMap(({ members }) => members.map(({ account }) => [account.id, account] as const)))
      return { ...sumQuotas([...used.values()]), freeBytes: totalRoom(pools) }
    },
    async readQuotas(viewer, ids) {
      const rows = (await rowsOf(viewer, ids)).filter((row) => row !== null)
      if (rows.length < ids.length) throw new NotFoundError()
      return Promise.all(rows.map(deps.quotas.read))
    },
    clientId: (provider) => oauthOf(providers, provider).clientId,
    async authorize(viewer, provider, origin, accountId) {
      const account = accountId === undefined ? null : await rowOf(viewer, accountId)
      if (account && account.provider !== provider) throw new NotFoundError()
      const oauth = oauthOf(providers, provider)
      const { state, codeChallenge } = await authorizations.begin(viewer, { provider, accountId: account?.id ?? null })
      const redirectUri = redirectUriOf(origin, oauth)
      const request = { state, challenge: codeChallenge, redirectUri, loginHint: account?.email ?? null }
      return { state, clientId: oauth.clientId, codeChallenge, url: oauth.authorizationUrl(request).href }
    },
    async connect(viewer, provider, { code, name, state }, origin) {
      const checked = checkedName(name)
      checkCode(code)
      oauthOf(providers, provider)
      const verifier = await authorizations.claim(viewer, { provider, accountId: null }, state)
      const grant = await grants.exchangeCode(provider, { code, verifier, origin })
      return connectWith(viewer, checked, grant)
    },
    async connectByForm(viewer, provider, input) {
      const { name, values } = checkedForm(formOf(providers, provider), input)
      return connectWith(viewer, name, await grants.exchangeForm(provider, values))
    },
    async reconnect(viewer, id, { code, state }, origin) {
      checkCode(code)
      const { provider } = await rowOf(viewer, id)
      refuseLocal(provider)
      oauthOf(providers, provider)
      const verifier = await authorizations.claim(viewer, { provider, accountId: id }, state)
      const grant = await grants.exchangeCode(provider, { code, verifier, origin })
      return reconnectWith(viewer, id, grant)
    },
    async testForm(viewer, provider, fields, accountId) {
      const account = accountId === undefined ? null : await rowOf(viewer, accountId)
      if (account && account.provider !== provider) throw new NotFoundError()
      const form = formOf(providers, provider)
      const known = account && (await storedValues(deps, form, account.id))
      return grants.testForm(provider, checkedForm(form, { fields: withSecrets(form, fields, known) }).values)
    },
    async formValues(viewer, id) {
      const { provider, email } = await rowOf(viewer, id)
      const signIn = providers.signIn(provider)
      if (signIn?.by !== 'FORM') return {}
      const { form } = signIn
      const known = (await storedValues(deps, form, id)) ?? {}
      const shown = form.fields.flatMap(({ name, secret, isEmail }) => {
        if (secret) return []
        const values = valueIn(known, name)
        return values.length === 0 && isEmail ? valueIn({ [name]: email }, name) : values
      })
      return Object.fromEntries(shown)
    },
    async reconnectByForm(viewer, id, fields) {
      const { provider } = await rowOf(viewer, id)
      refuseLocal(provider)
      const form = formOf(providers, provider)
      const known = await storedValues(deps, form, id)
      const { values } = checkedForm(form, { fields: withSecrets(form, fields, known) })
      return reconnectWith(viewer, id, await grants.exchangeForm(provider, values))
    },
    async update(viewer, id, patch) {
      const row = await rowOf(viewer, id)
      await updateAccount(deps, viewer, row, patch)
      if (patch.name !== undefined) await nameFolder(viewer, id)
      changed(viewer, id)
      return get(viewer, id)
    },
    atRiskFiles: (viewer, ids) => countAtRisk(pool, viewer, ids),
    async previewLoss(viewer, id) {
      return readLoss(pool, (await rowOf(viewer, id)).id)
    },
    async disconnect(viewer, id, force, keepProtected = true) {
      const folderId = await disconnectAccount({ ...deps, grants }, viewer, id, force, keepProtected)
      if (folderId !== null) {
        const event = { fileIds: [], removedIds: [folderId], parentIds: [null], truncated: false }
        events.publish('filesChanged', viewer.userId, event)
      }
      await deps.afterChange(id)
    },
  }
}

/** @throws ConflictError */
function refuseLocal(provider: string): void {
  if (provider === THIS_SERVER.id) throw new ConflictError('The storage of this server needs no connection.')
}

type Named = { readonly id: string; readonly name: string; readonly provider: string }
type UpdateDeps = Pick<AccountsDeps, 'pool' | 'enqueue'>

const UPDATE = `update accounts set name = coalesce($3, name), hue = coalesce($4, hue), updated_at = now()
  where id = $1 and user_id = $2 and disconnected_at is null`

/** Applies the whole patch or nothing. @throws InvalidInputError, NotFoundError, ConflictError as setCapacity */
async function updateAccount(
  { pool, enqueue }: UpdateDeps,
  viewer: Viewer,
  account: Named,
  { name, hue, capacityBytes }: AccountPatch,
): Promise<void> {
  if (hue !== undefined) checkHue(hue)
  if (hue !== undefined && account.provider === 'local') {
    const message = 'The colour of the storage of this server cannot be changed.'
    throw new InvalidInputError([{ path: 'hue', message }])
  }
  if (capacityBytes != null) checkCapacity(capacityBytes)
  const values = [account.id, viewer.userId, name === undefined ? null : checkedName(name), hue ?? null]
  await transaction(pool, async (tx) => {
    const { rowCount } = await tx.query(UPDATE, values)
    if (rowCount === 0) throw new NotFoundError()
    if (capacityBytes !== undefined) await setCapacity(tx, enqueue, viewer, account, capacityBytes)
  })
}

/** Only for accounts whose total is not known, or is the user's own already. */
const SET_CAPACITY = `update accounts set capacity_bytes = $3, quota_bytes = $3,
    quota_state = case when $3::bigint is null then 'UNKNOWN' else 'KNOWN' end::"QuotaState", updated_at = now(),
    quota_checked_at = case when $3::bigint is null then null else quota_checked_at end
  where id = $1 and user_id = $2 and disconnected_at is null and provider <> 'local'
    and (quota_state <> 'KNOWN' or capacity_bytes is not null)`

/** Files that waited for room continue. @throws ConflictError where the provider reports a total */
async function setCapacity(
  tx: ClientBase,
  enqueue: Enqueue,
  { userId }: Viewer,
  { id, name }: Named,
  bytes: number | null,
): Promise<void> {
  const { rowCount } = await tx.query(SET_CAPACITY, [id, userId, bytes])
  if (rowCount === 0) throw new ConflictError(`The provider of “${name}” reports its capacity itself.`)
  await enqueueReconcile(tx, enqueue, { userId, room: true })
}
