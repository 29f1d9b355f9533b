import type { FastifyInstance } from 'fastify'

/** That many requests in a row from one address, each naming another client behind it, are a proxy and no chance. */
export const PROXIED_REQUESTS = 20

/**
 * Warns once when a proxy stands before this server and TRUST_PROXY does not say so: all visitors then share the rate limits of
 * one address. `trustProxy` as Fastify takes it.
 */
export function hintAtProxy(app: FastifyInstance, trustProxy: boolean | string): void {
  if (trustProxy !== false) return
  let address = ''
  let count = 0
  app.addHook('onRequest', async ({ ip, headers }) => {
    if (count >= PROXIED_REQUESTS) return
    if (headers['x-forwarded-for'] === undefined) count = 0
    else count = ip === address ? count + 1 : 1
    address = ip
    if (count < PROXIED_REQUESTS) return
    app.log.warn(
      { address },
      `The last ${PROXIED_REQUESTS} requests came from ${address} and name other clients in X-Forwarded-For: a proxy stands before this server, and all visitors share the limits of its address. If that is your proxy, set TRUST_PROXY=${address}`,
    )
  })
}
