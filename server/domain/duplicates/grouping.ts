import { HASH_ALGORITHMS, type HashAlgorithm } from '../../lib/contentHash.ts'
import type { Hashes } from '../files/content/hashes.ts'
import type { DuplicateMatch } from './contract.ts'

/** A file, as far as it matters for finding equal ones. All candidates of a call have the same size. */
export type Candidate = {
  readonly id: string
  readonly nameKey: string
  /** Seconds since 1970: services store times with different precision. */
  readonly time: number
  readonly hashes: Hashes
}

export type Group = {
  readonly certain: boolean
  readonly match: DuplicateMatch
  readonly hash: string | null
  /** In the order of the candidates. */
  readonly fileIds: readonly string[]
}

/** Files that are known to have the same content, with everything that is known of it. */
type Content = { readonly files: Candidate[]; readonly hashes: { [Algorithm in HashAlgorithm]?: string } }

/** Items by a key, in their order. */
export function byKey<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The groups of files with equal content among files of one size. */
export function groupEqual(candidates: readonly Candidate[]): { groups: Group[]; undecided: string[] } {
  const contents = contentsOf(candidates)
  const certain = contents.filter(({ files }) => files.length > 1).map((content) => certainGroup(content, candidates))
  const open = undecidedAmong(contents)
  return {
    groups: [...certain, ...likelyGroups(open, new Map(candidates.map(({ id }, place) => [id, place])))],
    undecided: open.flatMap(({ files }) => files.map(({ id }) => id)),
  }
}

/**
 * Joins files with a common hash. The most reliable algorithm comes first, and contents that differ in one are never joined by another:
 * files with the same MD5 and different SHA-256 sums can be made on purpose.
 */
function contentsOf(candidates: readonly Candidate[]): Content[] {
  let contents: Content[] = candidates.map((file) => ({ files: [file], hashes: { ...file.hashes } }))
  for (const algorithm of HASH_ALGORITHMS) {
    const byDigest = new Map<string, Content[]>()
    const joined: Content[] = []
    for (const content of contents) {
      const digest = content.hashes[algorithm]
      const same = digest === undefined ? [] : (byDigest.get(digest) ?? [])
      const target = same.find((one) => !differ(one, content))
      if (target) {
        // Not a spread: a content can have more files than a call can have arguments.
        for (const file of content.files) target.files.push(file)
        Object.assign(target.hashes, content.hashes)
        continue
      }
      joined.push(content)
      if (digest !== undefined) byDigest.set(digest, [...same, content])
    }
    contents = joined
  }
  return contents
}

function differ(one: Content, other: Content): boolean {
  return HASH_ALGORITHMS.some((algorithm) => {
    const [a, b] = [one.hashes[algorithm], other.hashes[algorithm]]
    return a !== undefined && b !== undefined && a !== b
  })
}

function certainGroup({ files, hashes }: Content, candidates: readonly Candidate[]): Group {
  const common = HASH_ALGORITHMS.find((one) => files.every((file) => file.hashes[one] !== undefined))
  const best = common ?? HASH_ALGORITHMS.find((one) => hashes[one] !== undefined)
  const ids = new Set(files.map(({ id }) => id))
  return {
    certain: true,
    match: common ? (common.toUpperCase() as DuplicateMatch) : 'SEVERAL_HASHES',
    hash: best ? `${best}:${hashes[best]}` : null,
    fileIds: ids.size === candidates.length ? candidates.map(({ id }) => id) : inOrder(candidates, ids),
  }
}

function inOrder(candidates: readonly Candidate[], ids: ReadonlySet<string>): string[] {
  return candidates.flatMap(({ id }) => (ids.has(id) ? [id] : []))
}

/** The contents of which hashes cannot tell whether they equal another one: there is no algorithm that both have. */
function undecidedAmong<Some extends Content>(contents: readonly Some[]): Some[] {
  const count = new Map<string, number>()
  for (const content of contents) count.set(kindOf(content), (count.get(kindOf(content)) ?? 0) + 1)
  const open = new Set(
    [...count.keys()].filter((kind) =>
      [...count].some(([other, number]) => (other !== kind || number > 1) && areDisjoint(kind, other)),
    ),
  )
  return contents.filter((content) => open.has(kindOf(content)))
}

/** The algorithms of which a content has a hash. */
function kindOf({ hashes }: Content): string {
  return HASH_ALGORITHMS.filter((algorithm) => hashes[algorithm] !== undefined).join(' ')
}

function areDisjoint(kind: string, other: string): boolean {
  const algorithms = new Set(other.split(' '))
  return kind === '' || !kind.split(' ').some((algorithm) => algorithms.has(algorithm))
}

/**
 * Contents with a file of the same name, then those with the same time; the first file of each. A group by time is left out when the group
 * by name that their first files are in has all of its contents.
 */
function likelyGroups(contents: readonly Content[], places: ReadonlyMap<string, number>): Group[] {
  const placeOf = ({ id }: Candidate) => places.get(id) ?? 0
  const byName = groupBy(contents, 'NAME', ({ nameKey }) => nameKey, placeOf)
  const named = new Map<Content, { readonly index: number; readonly place: number }>()
  for (const [index, { members }] of byName.entries()) {
    for (const [content, file] of members) {
      const place = placeOf(file)
      if (place < (named.get(content)?.place ?? Number.POSITIVE_INFINITY)) named.set(content, { index, place })
    }
  }
  const byTime = groupBy(contents, 'TIME', ({ time }) => String(time), placeOf).filter(({ members }) => {
    const groups = new Set([...members.keys()].map((content) => named.get(content)?.index))
    return groups.size > 1 || groups.has(undefined)
  })
  return [...byName, ...byTime].map(({ group }) => group)
}

function groupBy(
  contents: readonly Content[],
  match: 'NAME' | 'TIME',
  keyOf: (file: Candidate) => string,
  placeOf: (file: Candidate) => number,
) {
  const groups = new Map<string, Map<Content, Candidate>>()
  for (const content of contents) {
    for (const file of content.files) {
      const members = groups.get(keyOf(file)) ?? new Map<Content, Candidate>()
      const first = members.get(content)
      if (!first || placeOf(file) < placeOf(first)) members.set(content, file)
      groups.set(keyOf(file), members)
    }
  }
  return [...groups.values()].flatMap((all) => {
    const open = all.size > 1 ? undecidedAmong([...all.keys()]) : []
    if (open.length === 0) return []
    const isOpen = new Set(open)
    const members = new Map([...all].filter(([content]) => isOpen.has(content)))
    const fileIds = [...members.values()].map(({ id }) => id)
    return [{ members, group: { certain: false, match, hash: null, fileIds } }]
  })
}
