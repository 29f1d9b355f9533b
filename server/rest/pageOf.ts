import type { z } from 'zod'
import { InvalidInputError } from '../domain/errors.ts'
import type { pageQuery } from './schemas.ts'

/** A page of a list that is short enough to be read whole. The cursor is the last id of the page before. @throws InvalidInputError */
export function pageOf<Item extends { id: string }>(
  all: readonly Item[],
  { limit, cursor }: z.infer<typeof pageQuery>,
): { items: Item[]; nextCursor: string | null } {
  const start = cursor === undefined ? 0 : all.findIndex((item) => item.id === cursor) + 1
  if (cursor !== undefined && start === 0) {
    throw new InvalidInputError([
      { path: 'cursor', message: 'This cursor is not of this list. Please start again without one.' },
    ])
  }
  const items = all.slice(start, start + limit)
  return { items, nextCursor: start + limit < all.length ? (items.at(-1)?.id ?? null) : null }
}
