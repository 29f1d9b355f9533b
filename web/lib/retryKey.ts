import { createContext, use } from 'react'

let lastKey = 0

/** A key that no attempt had before. */
export const nextRetryKey = (): number => ++lastKey

/** The current attempt of what is inside a boundary for errors. */
export const RetryKey = createContext(0)

/** Give it to the query inside as its `fetchKey`: Relay remembers a failed query, only another key asks again. */
export const useRetryKey = (): number => use(RetryKey)
