import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { type Access, requireAccess } from '../domain/viewer.ts'
import { requireViewer } from './request.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** What a key needs for a route; null for a route that looks at nobody. */
export function accessOf({ public: isPublic, scope }: FastifyContextConfig, method: string): Access | null {
  if (scope) return scope
  if (isPublic) return null
  return READING.has(method) ? 'READ' : 'WRITE'
}

/** Lets in whom the route is for. @throws UnauthenticatedError, KeyRefusedError */
export function admit(request: FastifyRequest): void {
  const { config } = request.routeOptions
  if (!config.public) requireViewer(request)
  const access = accessOf(config, request.method)
  if (request.viewer && access) requireAccess(request.viewer, access)
}
