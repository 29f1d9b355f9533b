import { promises as dns, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Networks in CIDR notation that users may name although they are not public; true: all private ones and this machine. */
export type AllowedNetworks = true | readonly string[]

/** The addresses of a host, as `dns.lookup` with `all`. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

type Addresses = readonly [LookupAddress, ...LookupAddress[]]

/** A host that users may not name, or one without an address. Not distinguished from outside: a name's existence would be revealed. */
export class HostRefused extends Error {
  override readonly name = 'HostRefused'
  readonly code = 'HOST_REFUSED'
}

/**
 * Guards connections to hosts that users type in (WebDAV, S3, SFTP): private networks, this machine, metadata services of clouds and
 * every notation of those are refused before a connection is made.
 */
export type HostGuard = {
  /**
   * For TCP: resolves a name or address once and checks every result. Connect to one of these addresses, not to the name, which can
   * resolve to something else by then. Takes IPv6 with or without brackets.
   * @throws HostRefused
   */
  resolve(host: string): Promise<Addresses>
  /** The same as the `lookup` option of agents and sockets. Node does not call it for IP addresses: check those with `resolve`. */
  readonly lookup: LookupFunction
}

// What an administrator can open with ALLOW_PRIVATE_HOSTS=true.
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7']
// Metadata services within private or public networks; others are in 169.254.0.0/16 and 192.0.0.0/24.
const METADATA = ['100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::254/128', 'fd20:ce::254/128']
// Not public (IANA's registries of special-purpose addresses), and IPv6 notations that contain an IPv4 address: compatible, NAT64,
// Teredo, 6to4. Mapped addresses (::ffff:0:0/96) are checked as the IPv4 address that they are.
const SPECIAL = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

/** `allowed`: what is not refused although it is not public. `true` leaves out SPECIAL and METADATA, which a list can contain. */
export function createHostGuard(allowed: AllowedNetworks, resolveAll: Resolve = lookupAll): HostGuard {
  const [isMetadata, isPrivate, isSpecial] = [within(METADATA), within(PRIVATE), within(SPECIAL)]
  const isListed = within(allowed === true ? [] : allowed)

  function isAllowed(address: string): boolean {
    // Only link-local addresses have a zone.
    if (isIP(address) === 0 || address.includes('%')) return false
    if (isListed(address)) return true
    if (isMetadata(address)) return false
    return isPrivate(address) ? allowed === true : !isSpecial(address)
  }

  async function resolve(host: string): Promise<Addresses> {
    const [first, ...others] = await resolveAll(host.replace(/^\[(.*)\]$/, '$1')).catch(noAddress)
    // An answer that mixes public and private addresses is refused as a whole: which one is used would depend on chance.
    if (!first || ![first, ...others].every(({ address }) => isAllowed(address))) {
      throw refusal(host, isPrivate)
    }
    return [first, ...others]
  }

  return {
    resolve,
    lookup(hostname, options, done) {
      resolve(hostname).then(
        ([first, ...others]) => {
          if (options.all) done(null, [first, ...others])
          else done(null, first.address, first.family)
        },
        (error) => done(error, ''),
      )
    },
  }
}

const lookupAll: Resolve = (host) => dns.lookup(host, { all: true })

/** Of a name, it does not say whether it exists. Of an address, what to set, except for metadata services and similar. */
function refusal(host: string, isPrivate: (address: string) => boolean): HostRefused {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  return new HostRefused(
    isIP(address) === 0 || !isPrivate(address)
      ? 'The host was not found, or its address is private. Check the name. A private address has to be allowed by the administrator of this server, such as ALLOW_PRIVATE_HOSTS=192.168.1.20, before it is started.'
      : `The address ${address} is private. The administrator of this server has to add it to ALLOW_PRIVATE_HOSTS, and to restart Skypool.`,
  )
}

/** A failed look-up is an empty one, except when the resolver itself is in trouble: that can be repeated. */
function noAddress(error: NodeJS.ErrnoException): readonly LookupAddress[] {
  if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return []
  throw error
}

function within(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (type === 'ipv6' ? 128 : 32)), type)
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
