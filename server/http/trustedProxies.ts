import { BlockList, isIP } from 'node:net'

/** Whether an address is that of a proxy whose forwarded headers count. */
export type TrustsAddress = (address: string) => boolean

/** Names that TRUST_PROXY takes for networks, as Fastify does. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** From TRUST_PROXY, as Fastify takes it: addresses and networks with commas between them, or true for all. */
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
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
  }
}

/** A length, or a mask like 255.255.0.0. */
function prefixOf(bits: string): number {
  if (isIP(bits) !== 4) return Number(bits)
  return bits.split('.').reduce((sum, byte) => sum + Number(byte).toString(2).replaceAll('0', '').length, 0)
}
