import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UsersService } from '../domain/users/contract.ts'
import { watchLife } from '../lib/watchLife.ts'
import { accessOf } from './access.ts'

/**
 * Breaks a request off within five seconds of the end of the session or key that it came with, however long its bytes take.
 * What a session does about itself is answered nevertheless: it may be what ends it. Public routes have nothing to do with who calls.
 */
export function endWithCaller(users: UsersService, request: FastifyRequest, { raw }: FastifyReply): void {
  const { viewer, method, routeOptions } = request
  const access = accessOf(routeOptions.config, method)
  if (!viewer || access === null || access === 'SESSION') return
  const stop = watchLife(
    () => users.isLive(viewer),
    () => raw.destroy(),
  )
  raw.once('close', stop)
}
