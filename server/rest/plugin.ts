import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FastifyPluginAsyncZod, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { Services } from '../domain/services.ts'
import { admit } from './access.ts'
import { docsRoutes } from './docs/routes.ts'
import { createDownloadSlots, type DownloadSlots } from './download/slots.ts'
import { endWithCaller } from './endWithCaller.ts'
import { describeRoutes } from './openapi.ts'
import type { DeviceCookie, ProofCookie } from './proofCookie.ts'
import type { SessionCookie } from './sessionCookie.ts'
import { accountsRoutes } from './v1/accounts.ts'
import { activityRoutes } from './v1/activity.ts'
import { administrationRoutes } from './v1/administration.ts'
import { authRoutes } from './v1/auth.ts'
import { changesRoutes } from './v1/changes.ts'
import { filesRoutes } from './v1/files.ts'
import { filesCopyRoute } from './v1/filesCopy.ts'
import { filesCreateRoute } from './v1/filesCreate.ts'
import { filesDownloadRoutes } from './v1/filesDownload.ts'
import { filesManyRoutes } from './v1/filesMany.ts'
import { groupCloudRoutes } from './v1/groupCloud.ts'
import { groupCloudsRoutes } from './v1/groupClouds.ts'
import { keysRoutes } from './v1/keys.ts'
import { meRoutes } from './v1/me.ts'
import { providerAccountsRoutes } from './v1/providerAccounts.ts'
import { providersRoutes } from './v1/providers.ts'
import { publicDownloadsRoutes } from './v1/publicDownloads.ts'
import { publicSharesRoutes } from './v1/publicShares.ts'
import { quotasRoutes } from './v1/quotas.ts'
import { recoveryRoutes } from './v1/recovery.ts'
import { sessionsRoutes } from './v1/sessions.ts'
import { copySharesRoutes, sharesRoutes } from './v1/shares.ts'
import { telegramAccountsRoutes } from './v1/telegramAccounts.ts'
import { transfersRoutes } from './v1/transfers.ts'
import { uploadsRoutes } from './v1/uploads.ts'

/** What REST routes may use; handed to each resource as the second argument. */
export type RestDeps = {
  readonly services: Services
  readonly sessionCookie: SessionCookie
  readonly proofCookie: ProofCookie
  readonly downloads: DownloadSlots
  readonly deviceCookie: DeviceCookie
}

/** One resource: `export const filesRoutes: RestPlugin = async (app, { services }) => { app.get('/files', ...) }`. Paths are below /api/v1. */
export type RestPlugin = FastifyPluginAsyncZod<RestDeps>

/** Every resource of /api/v1, each in its own scope, so a content type parser of one does not reach the others. */
const RESOURCES: readonly RestPlugin[] = [
  authRoutes,
  administrationRoutes,
  recoveryRoutes,
  meRoutes,
  sessionsRoutes,
  accountsRoutes,
  providersRoutes,
  providerAccountsRoutes,
  quotasRoutes,
  groupCloudsRoutes,
  groupCloudRoutes,
  filesRoutes,
  filesCreateRoute,
  filesCopyRoute,
  filesManyRoutes,
  filesDownloadRoutes,
  sharesRoutes,
  copySharesRoutes,
  publicSharesRoutes,
  publicDownloadsRoutes,
  telegramAccountsRoutes,
  transfersRoutes,
  keysRoutes,
  uploadsRoutes,
  activityRoutes,
  changesRoutes,
]

/** Registers the REST door below the instance's prefix. Routes are closed to the anonymous unless `config.public`, and to keys without the scope of the route. */
export async function restPlugin(
  app: FastifyInstance,
  { services, sessionCookie, proofCookie, deviceCookie }: Omit<RestDeps, 'downloads'>,
): Promise<void> {
  const downloads = createDownloadSlots()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (request.is404) return
    admit(request)
    endWithCaller(services.users, request, reply)
  })
  app.addHook('preSerialization', async (request, reply, payload) => linkNext(request, reply, payload))
  await describeRoutes(app, services.accounts.providers())
  await app.register(docsRoutes)
  // Not all it was given: Fastify would set the prefix before every path once more.
  const deps = { services, sessionCookie, proofCookie, deviceCookie, downloads }
  for (const resource of RESOURCES) await app.register(resource, deps)
}

/** `Link: <...>; rel="next"` (RFC 8288) on a page of a list that has another one, with the same question. */
function linkNext(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const cursor = typeof payload === 'object' && payload !== null && 'nextCursor' in payload ? payload.nextCursor : null
  if (request.method !== 'GET' || typeof cursor !== 'string') return payload
  const next = new URL(request.url, 'http://localhost')
  next.searchParams.set('cursor', cursor)
  reply.header('link', `<${next.pathname}${next.search}>; rel="next"`)
  return payload
}
