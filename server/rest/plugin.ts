import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FastifyPluginAsyncZod, serializerCompiler } from 'fastify-type-provider-zod'
import type { Services } from '../domain/services.ts'
import type { DeviceCookie, ProofCookie, SessionCookie } from './cookies.ts'
import { docsRoutes } from './docs/routes.ts'
import { createDownloadSlots, type DownloadSlots } from './download/send.ts'
import { inputValidator } from './input.ts'
import { describeRoutes } from './openapi.ts'
import { abortOnRevocation, authorize } from './request.ts'
import { accountsRoutes, quotasRoutes } from './v1/accounts.ts'
import { activityRoutes } from './v1/activity.ts'
import { administrationRoutes } from './v1/administration.ts'
import { authRoutes, meRoutes, recoveryRoutes } from './v1/auth.ts'
import { changesRoutes } from './v1/changes.ts'
import { contentMatchesRoutes } from './v1/contentMatches.ts'
import { duplicatesRoutes } from './v1/duplicates.ts'
import { filesRoutes } from './v1/files.ts'
import { filesCreateRoute } from './v1/filesCreate.ts'
import { filesDownloadRoutes } from './v1/filesDownload.ts'
import { filesCopyRoute, filesManyRoutes } from './v1/filesMany.ts'
import { formAccountsRoutes } from './v1/formAccounts.ts'
import { groupCloudRoutes, groupCloudsRoutes } from './v1/groupClouds.ts'
import { jobsRoutes } from './v1/jobs.ts'
import { keysRoutes } from './v1/keys.ts'
import { protectionRoutes } from './v1/protection.ts'
import { providerAccountsRoutes, providersRoutes } from './v1/providers.ts'
import { publicDownloadsRoutes, publicSharesRoutes, publicThumbnailsRoutes } from './v1/publicShares.ts'
import {
  publicUploadLinkFilesRoute,
  publicUploadLinksRoutes,
  publicUploadLinkTusRoutes,
} from './v1/publicUploadLinks.ts'
import { roomRoutes } from './v1/room.ts'
import { sessionsRoutes } from './v1/sessions.ts'
import { copySharesRoutes, sharesRoutes } from './v1/shares.ts'
import { tagsRoutes } from './v1/tags.ts'
import { telegramAccountsRoutes } from './v1/telegramAccounts.ts'
import { offeredThumbnailRoute, thumbnailsRoutes } from './v1/thumbnails.ts'
import { transfersRoutes } from './v1/transfers.ts'
import { uploadLinksRoutes } from './v1/uploadLinks.ts'
import { uploadsRoutes } from './v1/uploads.ts'
import { fileContentRoute, versionsRoutes } from './v1/versions.ts'

/** Dependencies of the routes; the second argument of each resource. */
export type RestDeps = {
  readonly services: Services
  readonly sessionCookie: SessionCookie
  readonly proofCookie: ProofCookie
  readonly downloads: DownloadSlots
  readonly deviceCookie: DeviceCookie
}

/** One resource: `export const filesRoutes: RestPlugin = async (app, { services }) => { app.get('/files', ...) }`. Paths are below /api/v1. */
export type RestPlugin = FastifyPluginAsyncZod<RestDeps>

/** All resources of /api/v1, each in its own scope, so that a content type parser does not affect the others. */
const RESOURCES: readonly RestPlugin[] = [
  authRoutes,
  administrationRoutes,
  recoveryRoutes,
  meRoutes,
  sessionsRoutes,
  accountsRoutes,
  formAccountsRoutes,
  providersRoutes,
  providerAccountsRoutes,
  quotasRoutes,
  protectionRoutes,
  versionsRoutes,
  fileContentRoute,
  roomRoutes,
  groupCloudsRoutes,
  groupCloudRoutes,
  filesRoutes,
  contentMatchesRoutes,
  filesCreateRoute,
  filesCopyRoute,
  filesManyRoutes,
  filesDownloadRoutes,
  thumbnailsRoutes,
  offeredThumbnailRoute,
  duplicatesRoutes,
  sharesRoutes,
  copySharesRoutes,
  publicSharesRoutes,
  publicDownloadsRoutes,
  tagsRoutes,
  uploadLinksRoutes,
  publicUploadLinksRoutes,
  publicUploadLinkFilesRoute,
  publicUploadLinkTusRoutes,
  publicThumbnailsRoutes,
  telegramAccountsRoutes,
  jobsRoutes,
  transfersRoutes,
  keysRoutes,
  uploadsRoutes,
  activityRoutes,
  changesRoutes,
]

/** Registers the REST API below the instance's prefix. Anonymous callers are refused unless `config.public`, keys without the route's scope too. */
export async function restPlugin(
  app: FastifyInstance,
  { services, sessionCookie, proofCookie, deviceCookie }: Omit<RestDeps, 'downloads'>,
): Promise<void> {
  const downloads = createDownloadSlots()
  app.setValidatorCompiler(inputValidator)
  app.setSerializerCompiler(serializerCompiler)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (request.is404) return
    authorize(request)
    abortOnRevocation(services.users, request, reply)
  })
  app.addHook('preSerialization', async (request, reply, payload) => linkNext(request, reply, payload))
  await describeRoutes(app, services.accounts.providers())
  await app.register(docsRoutes)
  // Without `prefix`: Fastify would prepend it a second time.
  const deps = { services, sessionCookie, proofCookie, deviceCookie, downloads }
  for (const resource of RESOURCES) await app.register(resource, deps)
}

/** Adds `Link: <...>; rel="next"` (RFC 8288) to a page that has a next one, with the same query. */
function linkNext(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const cursor = typeof payload === 'object' && payload !== null && 'nextCursor' in payload ? payload.nextCursor : null
  if (request.method !== 'GET' || typeof cursor !== 'string') return payload
  const next = new URL(request.url, 'http://localhost')
  next.searchParams.set('cursor', cursor)
  reply.header('link', `<${next.pathname}${next.search}>; rel="next"`)
  return payload
}
