import type { FastifyInstance } from 'fastify'
import { type FastifyPluginAsyncZod, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { Services } from '../domain/services.ts'
import { docsRoutes } from './docs/routes.ts'
import { describeRoutes } from './openapi.ts'
import { requireViewer } from './request.ts'
import type { SessionCookie } from './sessionCookie.ts'
import { accountsRoutes } from './v1/accounts.ts'
import { authRoutes } from './v1/auth.ts'
import { filesRoutes } from './v1/files.ts'
import { filesCreateRoute } from './v1/filesCreate.ts'
import { filesDownloadRoutes } from './v1/filesDownload.ts'
import { groupCloudRoutes } from './v1/groupCloud.ts'
import { groupCloudsRoutes } from './v1/groupClouds.ts'
import { dropboxAccountsRoutes, googleAccountsRoutes } from './v1/providerAccounts.ts'
import { quotasRoutes } from './v1/quotas.ts'
import { transfersRoutes } from './v1/transfers.ts'
import { uploadsRoutes } from './v1/uploads.ts'

/** What REST routes may use; handed to each resource as the second argument. */
export type RestDeps = { readonly services: Services; readonly sessionCookie: SessionCookie }

/** One resource: `export const filesRoutes: RestPlugin = async (app, { services }) => { app.get('/files', ...) }`. Paths are below /api/v1. */
export type RestPlugin = FastifyPluginAsyncZod<RestDeps>

/** Every resource of /api/v1, each in its own scope, so a content type parser of one does not reach the others. */
const RESOURCES: readonly RestPlugin[] = [
  authRoutes,
  accountsRoutes,
  googleAccountsRoutes,
  dropboxAccountsRoutes,
  quotasRoutes,
  groupCloudsRoutes,
  groupCloudRoutes,
  filesRoutes,
  filesCreateRoute,
  filesDownloadRoutes,
  transfersRoutes,
  uploadsRoutes,
]

/** Registers the REST door below the instance's prefix. Routes are closed to the anonymous unless `config.public`. */
export async function restPlugin(app: FastifyInstance, { services, sessionCookie }: RestDeps): Promise<void> {
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!request.is404 && !request.routeOptions.config.public) requireViewer(request)
  })
  await describeRoutes(app)
  await app.register(docsRoutes)
  for (const resource of RESOURCES) await app.register(resource, { services, sessionCookie })
}
