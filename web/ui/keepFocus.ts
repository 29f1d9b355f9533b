import { useLayoutEffect } from 'react'
import { type FocusPlace, focusFirst, focusNear, isFocusLost, placeOf } from './focusPlace.ts'

/** Where the focus was before the last dialog that was opened, and whether one was just closed. */
let opener: FocusPlace = []
let isLeading = false

const DIALOG = '[role$="dialog"]'

/**
 * Headless UI returns the focus to where it was. Where the element is gone or disabled by then, the focus goes to what is nearest to it,
 * or to where it was before a dialog that has led to this one.
 */
export function useReturnOfFocus(): void {
  useLayoutEffect(() => {
    const active = document.activeElement
    const isLed = active?.closest(DIALOG) != null || (isLeading && active === document.body)
    const place = [...placeOf(active), ...(isLed ? opener : [])]
    opener = place
    return () => {
      isLeading = true
      // After Headless UI's own attempt. What is behind an open dialog takes no focus.
      setTimeout(() => {
        isLeading = false
        if (isFocusLost() || isLeftToUs(place)) focusNear(place)
      })
    }
  }, [])
}

/**
 * Without the element, Headless UI takes what had the focus before it, wherever that is; in a dialog below, what has it at first there.
 * Lists of files see to their rows themselves.
 */
function isLeftToUs([last, ...around]: FocusPlace): boolean {
  if (!last) return false
  return last.isConnected ? last.closest(DIALOG) !== null : !around.some((element) => element.matches('[role="grid"]'))
}

/** What a dialog is about, then its buttons. */
const CONTENT = ':scope > * > :not(header)'

/**
 * For a dialog, a panel or a page, as its ref. Where a control in it that has the focus goes away or is disabled, what is nearest to it
 * gets the focus; a busy one has it again afterwards. A dialog that gets the focus itself gives it to its first field or button. When a
 * form is sent and has errors, the field of the first one gets it.
 */
export function keepFocusInside(box: HTMLElement | null) {
  if (!box) return
  let place: FocusPlace = []
  /** The form was sent, and nothing was entered since. */
  let isSent = false
  let isPressed = false
  const onFocus = ({ target }: FocusEvent) => {
    place = box.contains(target as Element) ? placeOf(target as Element) : []
    // Headless UI knows no control to begin with. It looks once more at what has the focus.
    if (!isPressed && target === box.parentElement?.closest(DIALOG)) queueMicrotask(begin)
  }
  const begin = () =>
    [...box.querySelectorAll<HTMLElement>(CONTENT)].some((part) => !isWaiting(part) && focusFirst(part))
  // A press on an empty place takes the focus from everything.
  const onPress = () => {
    isPressed = true
    place = []
  }
  const onInput = () => {
    isSent = false
  }
  const look = () => {
    if (isSent && focusError(box)) isSent = false
    else if (isFocusLost() && !isBusy(place)) focusNear(place)
  }
  const onSubmit = () => {
    isSent = true
    // Errors that are shown already do not change.
    requestAnimationFrame(look)
  }
  const changes = new MutationObserver(look)
  changes.observe(box, { subtree: true, childList: true, attributeFilter: ['disabled', 'aria-busy'] })
  document.addEventListener('focusin', onFocus)
  box.addEventListener('pointerdown', onPress)
  box.addEventListener('input', onInput)
  box.addEventListener('submit', onSubmit)
  return () => {
    changes.disconnect()
    document.removeEventListener('focusin', onFocus)
    box.removeEventListener('pointerdown', onPress)
    box.removeEventListener('input', onInput)
    box.removeEventListener('submit', onSubmit)
  }
}

/** It has the focus again when it is no longer busy, unless it went away while it was. */
const isBusy = ([control]: FocusPlace) => control?.isConnected === true && control.matches('[aria-busy]')

/** Buttons of a dialog whose content is not there yet: Enter, pressed too early, would cancel it. */
const isWaiting = (part: HTMLElement) => part.matches('footer') && part.querySelector(':disabled') !== null

/** The text of an error is the description of its field, or of its group of fields. @returns whether there is one */
function focusError(box: HTMLElement): boolean {
  const error = box.querySelector('form [role="alert"][id]')
  const field = error && box.querySelector<HTMLElement>(`[aria-describedby~="${CSS.escape(error.id)}"]`)
  if (!field) return false
  if (field.contains(document.activeElement)) return true
  if (field.matches('fieldset')) return focusFirst(field)
  field.focus()
  field.scrollIntoView({ block: 'nearest' })
  return true
}
