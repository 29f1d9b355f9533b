/** What is drawn of a photo or a video, wherever it comes from. */
export type Photo = {
  readonly id: string
  readonly name: string
  readonly category?: string | null | undefined
  readonly updatedAt?: unknown
  readonly durationMs?: number | null | undefined
  readonly picture?: { readonly width: number; readonly height: number; readonly takenAt?: unknown } | null | undefined
  readonly mediumUrl?: string | null | undefined
  readonly largeUrl?: string | null | undefined
}

/** `first`: how many photos are before this month, which are newer. */
export type Month = { readonly month: string; readonly count: number; readonly first: number }

/** Months, newest first, each with how many photos are before it. */
export function withFirst(months: readonly { readonly month: string; readonly count: number }[]): Month[] {
  let first = 0
  return months.map(({ month, count }) => {
    const at = { month, count, first }
    first += count
    return at
  })
}

/** For what has no picture yet. */
const USUAL_RATIO = { IMAGE: 3 / 2, VIDEO: 16 / 9 } as const

/** Width by height. */
export function ratioOf({ picture, category }: Pick<Photo, 'picture' | 'category'>): number {
  return picture ? picture.width / picture.height : USUAL_RATIO[category === 'VIDEO' ? 'VIDEO' : 'IMAGE']
}
