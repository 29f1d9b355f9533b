import { BlockList, isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Whether an address belongs to a proxy whose forwarded headers are trusted. */
export type TrustsAddress = (address: string) => boolean

/** Network names that TRUST_PROXY accepts, as Fastify does. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}
/** After this many consecutive forwarded requests, an address is considered a proxy. */
export const PROXIED_REQUESTS = 20

/** Parses TRUST_PROXY as Fastify does: comma-separated addresses and networks, or true for all. */
export function createTrust(trustProxy: boolean | string): TrustsAddress {
  if (typeof trustProxy === 'boolean') return () => trustProxy
  const list = new BlockList()
  const networks = trustProxy.split(',').flatMap((name) => NAMED[name.trim()] ?? [name.trim()])
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (isIP(address) === 0) continue
    if (bits === undefined) list.addAddress(address, type)
    else list.addSubnet(address, prefixOf(bits), type)
  }
  return (address) => {
    const bare = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
    return isIP(bare) !== 0 && list.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4')
  }
}

/** The prefix length of a number, or of a mask such as 255.255.0.0. */
function prefixOf(bits: string): number {
  if (isIP(bits) !== 4) return Number(bits)
  return bits.split('.').reduce((sum, byte) => sum + Number(byte).toString(2).replaceAll('0', '').length, 0)
}

/**
 * Warns once when requests come through a proxy and TRUST_PROXY is not set: all visitors then share the rate limits of one
 * address. `trustProxy` as in Fastify's options.
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
      `The last ${PROXIED_REQUESTS} requests came from ${address} with X-Forwarded-For headers: this server seems to be behind a proxy, and all visitors share the rate limits of its address. If that is your proxy, set TRUST_PROXY=${address}`,
    )
  })
}
