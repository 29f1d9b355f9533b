import { InvalidInputError } from '../domain/errors.ts'

export const MAX_PAGE = 200
export const DEFAULT_PAGE = 50

/** The requested page size. @throws InvalidInputError */
export function checkedPage(first: number | null | undefined): number {
  const limit = first ?? DEFAULT_PAGE
  if (limit >= 1 && limit <= MAX_PAGE) return limit
  throw new InvalidInputError([{ path: 'first', message: `A page has 1 to ${MAX_PAGE} entries.` }])
}

type KeysetPage = {
  readonly items: readonly { readonly cursor: string }[]
  readonly hasNextPage: boolean
  /** No `after` was given. */
  readonly isFirst: boolean
}

/** Relay's `pageInfo` for a page in keyset order. */
export function pageInfoOf({ items, hasNextPage, isFirst }: KeysetPage) {
  return {
    startCursor: items[0]?.cursor ?? null,
    endCursor: items.at(-1)?.cursor ?? null,
    hasNextPage,
    hasPreviousPage: !isFirst,
  }
}
