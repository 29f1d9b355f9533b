import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Visitor } from '../../domain/shares/contract.ts'
import { linkGone } from '../../domain/shares/visits.ts'
import { parsePublicId } from '../../lib/ids.ts'
import type { ProofCookie } from '../proofCookie.ts'
import { clientOf } from '../request.ts'

/** Who visits the share, by the address and what the cookie of this share proves. */
export function visitorOf(request: FastifyRequest, proofCookie: ProofCookie, id: string): Visitor {
  return { ...clientOf(request), proof: proofCookie.read(request.headers.cookie, id) }
}

/** No search engine keeps what is behind a link. On the raw answer, so that downloads carry it too. */
export function keepFromSearch(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.raw.setHeader('x-robots-tag', 'noindex, nofollow')
  })
}

/** @throws NotFoundError with the words of every link that does not open */
export function shareIdOf(text: string): string {
  const parsed = parsePublicId(text)
  if (parsed?.type !== 'Share') throw linkGone()
  return parsed.id
}
