import { invalid } from '../errors.ts'

/** What a `fields` parameter asks for: names with what is asked of them; `true` = all of it. */
export type Mask = ReadonlyMap<string, Mask | true>

/** Names that a resource has: `true` = a plain value, `any` = whatever is asked inside. */
export type Shape = { readonly [name: string]: true | 'any' | Shape }

/** Throws Drive's error for what cannot be read, and for names that the resource has not. */
export function parseFields(text: string, shape: Shape): Mask {
  let at = 0
  const bad = (selection: string): never => {
    throw invalid('fields', `Invalid field selection ${selection}`, 'invalidParameter')
  }
  const selection = (inside: Shape | 'any', end: string): Mask => {
    const mask = new Map<string, Mask | true>()
    for (;;) {
      item(mask, inside)
      if (text[at] === ',') at += 1
      else if ((text[at] ?? '') === end) return mask
      else bad(text)
    }
  }
  const item = (mask: Map<string, Mask | true>, inside: Shape | 'any'): void => {
    const [name = ''] = /^\s*(\*|[A-Za-z][\w-]*)\s*/.exec(text.slice(at)) ?? bad(text.slice(at) || text)
    at += name.length
    const key = name.trim()
    const known = inside === 'any' || key === '*' ? 'any' : (inside[key] ?? bad(key))
    if (text[at] !== '(' && text[at] !== '/') {
      mask.set(key, true)
      return
    }
    if (known === true) bad(`${key}${text.slice(at)}`)
    const next = known === true ? 'any' : known
    const isGroup = text[at] === '('
    at += 1
    const found = isGroup ? selection(next, ')') : single(next)
    if (isGroup) at += 1
    const before = mask.get(key)
    mask.set(key, before === true ? true : new Map([...(before ?? []), ...found]))
  }
  const single = (inside: Shape | 'any'): Mask => {
    const mask = new Map<string, Mask | true>()
    item(mask, inside)
    return mask
  }
  return selection(shape, '')
}

export function wants(mask: Mask, name: string): boolean {
  return mask.has('*') || mask.has(name)
}

/** The part of a list's mask that is about its entries. */
export function maskOf(mask: Mask, name: string): Mask {
  const inside = mask.get(name)
  return inside && inside !== true ? inside : ALL
}

const ALL: Mask = new Map([['*', true]])

/** Only what is asked for. */
export function project(value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((one) => project(one, mask))
  if (typeof value !== 'object' || value === null) return value
  const rest = mask.get('*')
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) => {
      const asked = mask.get(name) ?? rest
      if (asked === undefined || inside === undefined) return []
      return [[name, asked === true ? inside : project(inside, asked)]]
    }),
  )
}
