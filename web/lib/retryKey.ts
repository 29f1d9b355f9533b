import { createContext, use } from 'react'

// Its own file: the boundary of screens, which every page loads at its start, and that of panels, which it does not, share the key.

let lastKey = 0

/** A key that no attempt had before. */
export const nextRetryKey = (): number => ++lastKey

/** The current attempt of what is inside a boundary for errors. */
export const RetryKey = createContext(0)

/** Give it to the query inside as its `fetchKey`: Relay remembers a failed query, only another key asks again. */
export const useRetryKey = (): number => use(RetryKey)
