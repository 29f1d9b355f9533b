/** A member of a union as Dropbox writes it: `{".tag":"x"}` and what belongs to it. */
export type Tagged = { readonly '.tag': string; readonly [field: string]: unknown }

/**
 * A union value by the path of its tags: `tag('path', 'conflict', 'file')` is
 * `{".tag":"path","path":{".tag":"conflict","conflict":{".tag":"file"}}}`.
 */
export function tag(name: string, ...inner: readonly string[]): Tagged {
  const [next, ...rest] = inner
  return next === undefined ? { '.tag': name } : { '.tag': name, [name]: tag(next, ...rest) }
}

/** A union member that holds another union, or a struct with subtypes. */
export function holding(name: string, value: object): Tagged {
  return { '.tag': name, [name]: value }
}

/** A union member that holds a struct: its fields stand beside the tag. */
export function flattened(name: string, fields: object): Tagged {
  return { '.tag': name, ...fields }
}

/** The tags on the way down, as in the service's `error_summary`: `path/conflict/file`. */
export function summaryOf(value: Tagged): string {
  const name = value['.tag']
  const inner = value[name] ?? value.reason
  return isTagged(inner) ? `${name}/${summaryOf(inner)}` : name
}

function isTagged(value: unknown): value is Tagged {
  return typeof value === 'object' && value !== null && '.tag' in value
}
