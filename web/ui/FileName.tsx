import { isRightToLeft, nameText } from '../lib/nameText.ts'
import { splitName } from '../lib/splitName.ts'

/**
 * A name that shortens in its middle; the whole name is in the tooltip and is what screen readers say. Each part keeps
 * its direction to itself, so that no name reorders its own ending or the text next to it.
 */
export function FileName({ name }: { name: string }) {
  const { head, tail } = splitName(name)
  const whole = nameText(name)
  const dir = import.meta.env.VITE_DIRECTION === 'rtl' ? directionOf(name) : undefined
  return (
    <span className="name" title={whole} dir={dir}>
      {tail ? (
        <>
          <span className="sr-only">{whole}</span>
          <bdi className="name-head" aria-hidden>
            {head}
          </bdi>
          <bdi className="name-tail" aria-hidden>
            {tail}
          </bdi>
        </>
      ) : (
        <bdi className="name-head">{head}</bdi>
      )}
    </span>
  )
}

const directionOf = (name: string) => (isRightToLeft(name) ? 'rtl' : 'ltr')
