import { type RefObject, useEffect } from 'react'
import type { TextView } from './textView.ts'

/** Scrolls the text and its preview together, each by its own share of the way. */
export function useScrollTogether(
  field: RefObject<TextView | null>,
  paper: RefObject<HTMLElement | null>,
  isOn: boolean,
): void {
  useEffect(() => {
    const text = field.current?.view.scrollDOM
    const page = paper.current
    if (!isOn || !text || !page) return
    // A position that was set here is not a scroll of the person.
    const expected = new WeakMap<Element, number>()
    const follow = (from: Element, to: Element) => () => {
      if (Math.abs((expected.get(from) ?? -9) - from.scrollTop) < 2) return
      expected.delete(from)
      const way = from.scrollHeight - from.clientHeight
      to.scrollTop = way > 0 ? Math.round((from.scrollTop / way) * (to.scrollHeight - to.clientHeight)) : 0
      expected.set(to, to.scrollTop)
    }
    const [down, up] = [follow(text, page), follow(page, text)]
    text.addEventListener('scroll', down, { passive: true })
    page.addEventListener('scroll', up, { passive: true })
    return () => {
      text.removeEventListener('scroll', down)
      page.removeEventListener('scroll', up)
    }
  }, [field, paper, isOn])
}
