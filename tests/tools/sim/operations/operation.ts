import type { Chance } from '../random.ts'
import type { World } from '../world.ts'

/** One step of a schedule. @returns what came of it, in a few words; what it throws is an answer too */
export type Operation = (world: World, chance: Chance) => Promise<string>

/** There is nothing that it could be done to. */
export const NOTHING = 'nothing to do'

export const SIGNAL = new AbortController().signal
export const ORIGIN = 'http://sim.invalid'
