import { nameText } from '../../../lib/nameText.ts'
import { toast } from '../../../ui/toast.ts'

/** Who types a name may look up this late. */
const PAUSE_MS = 5_000

/** Keys that a name has no use for: the person works with the list again. */
const MOVES = /^(ArrowUp|ArrowDown|PageUp|PageDown|Tab)$/

/** The file whose name was being typed was taken away elsewhere. */
export function tellLostName(name: string): void {
  toast.error(`“${nameText(name)}” is no longer here`, {
    description: 'It was moved or deleted elsewhere, so its new name was not saved.',
  })
  ignoreTyping()
}

/**
 * Keeps what is typed on from the shortcuts: letters that would open something, Backspace, which would leave the folder. Until the name
 * is at its end, the person does something else, or pauses.
 */
function ignoreTyping(): void {
  let timer = setTimeout(end, PAUSE_MS)
  window.addEventListener('keydown', onKeyDown, true)
  window.addEventListener('pointerdown', end, true)
  function end() {
    clearTimeout(timer)
    window.removeEventListener('keydown', onKeyDown, true)
    window.removeEventListener('pointerdown', end, true)
  }
  function onKeyDown(event: KeyboardEvent) {
    clearTimeout(timer)
    if (MOVES.test(event.key)) return end()
    event.stopPropagation()
    // With Ctrl or Command, many keys are the browser's.
    if (!event.ctrlKey && !event.metaKey) event.preventDefault()
    // These end what is typed into a name.
    if (event.key === 'Enter' || event.key === 'Escape') end()
    else timer = setTimeout(end, PAUSE_MS)
  }
}
