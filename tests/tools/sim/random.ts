import { createHash } from 'node:crypto'
import { createRandom } from '../crashTest/random.ts'

export type Chance = ReturnType<typeof createChance>

/** Choices that are the same for the same seed; each string derives independent ones. */
export function createChance(...seed: readonly (string | number)[]) {
  const random = createRandom(createHash('sha256').update(seed.join(' ')).digest().readUInt32BE())
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random.next() * items.length)]
  return {
    next: random.next,
    between: random.between,
    /** True with this probability. */
    happens: (share: number): boolean => random.next() < share,
    pick,
    /** Of at least one. */
    oneOf: <Item>(items: readonly [Item, ...Item[]]): Item => pick(items) ?? items[0],
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const entries = Object.entries<number>(weights) as [Name, number][]
      let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      return entries[0]?.[0] as Name
    },
  }
}
