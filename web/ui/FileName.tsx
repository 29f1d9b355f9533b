import { splitName } from '../lib/splitName.ts'

/** A name that shortens in its middle; the whole name is in the tooltip and is what screen readers say. */
export function FileName({ name }: { name: string }) {
  const { head, tail } = splitName(name)
  if (!tail) {
    return (
      <span className="name" title={name}>
        <span className="name-head">{head}</span>
      </span>
    )
  }
  return (
    <span className="name" title={name}>
      <span className="sr-only">{name}</span>
      <span className="name-head" aria-hidden>
        {head}
      </span>
      <span className="name-tail" aria-hidden>
        {tail}
      </span>
    </span>
  )
}
