/** An element that has the focus, and what is around it, from the inside: for when it is gone. */
export type FocusPlace = readonly HTMLElement[]

export function placeOf(element: Element | null): FocusPlace {
  const place: HTMLElement[] = []
  for (let at = element; at instanceof HTMLElement && at !== document.body; at = at.parentElement) place.push(at)
  return place
}

/** Whether nothing has the focus, or something that is about to lose it because it is disabled. */
export function isFocusLost(): boolean {
  const active = document.activeElement
  return active === null || active === document.body || active.matches(':disabled')
}

/**
 * Gives the focus to the element of a place. If that is gone or disabled: to the innermost of what was around it that is still there and
 * can have the focus, or that has a control, the first of which gets it.
 */
export function focusNear(place: FocusPlace): void {
  for (const element of place) if (element.isConnected && (tryFocus(element) || focusFirst(element))) return
}

/** Gives the focus to the first control inside. @returns whether there is one */
export function focusFirst(element: HTMLElement): boolean {
  const controls = element.querySelectorAll<HTMLElement>('a, button, input, select, textarea, summary, [tabindex]')
  const isOurs = ({ tabIndex, dataset }: HTMLElement) => tabIndex >= 0 && dataset.headlessuiFocusGuard === undefined
  return [...controls].some((control) => isOurs(control) && tryFocus(control))
}

/** What is hidden or disabled does not take it. Of radio buttons, the chosen one does. */
function tryFocus(element: HTMLElement): boolean {
  const chosen =
    element.matches('[type="radio"]') && element.closest('fieldset')?.querySelector<HTMLElement>(':checked')
  const target = chosen || element
  if (target.matches(':disabled') || (target.tabIndex < 0 && !target.hasAttribute('tabindex'))) return false
  target.focus()
  return document.activeElement === target
}
