type KeysetPage = {
  readonly items: readonly { readonly cursor: string }[]
  readonly hasNextPage: boolean
  /** Nothing was asked to be left out before it. */
  readonly isFirst: boolean
}

/** The `pageInfo` of a page in keyset order. */
export function pageInfoOf({ items, hasNextPage, isFirst }: KeysetPage) {
  return {
    startCursor: items[0]?.cursor ?? null,
    endCursor: items.at(-1)?.cursor ?? null,
    hasNextPage,
    hasPreviousPage: !isFirst,
  }
}
