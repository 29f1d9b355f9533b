import { setTimeout as wait } from 'node:timers/promises'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, vi } from 'vitest'

// relay-test-utils calls the global of another test runner.
Object.assign(globalThis, { jest: vi })

// Parts of the page are loaded when they are first needed, which takes a while on a busy machine.
configure({ asyncUtilTimeout: 30_000 })

/** A toast that leaves is taken out this much later (200 ms in sonner), also when nobody draws toasts any more. */
const TOAST_LEAVES_MS = 250

let toasted = false

afterEach(() => {
  toasted ||= document.querySelector('[data-sonner-toast]') !== null
  cleanup()
})

// It would look for a window that is gone by then.
afterAll(async () => {
  if (!toasted) return
  vi.useRealTimers()
  await wait(TOAST_LEAVES_MS)
})
