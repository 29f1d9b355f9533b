const count = (number: number, one: string, many: string) => `${number.toLocaleString()} ${number === 1 ? one : many}`

/** Texts of the photos view. */
export const messages = {
  /** "5 photos, 1 video" */
  dayCount: (photos: number, videos: number) => {
    if (videos === 0) return `${count(photos, 'photo', 'photos')}`
    if (photos === 0) return `${count(videos, 'video', 'videos')}`
    return `${count(photos, 'photo', 'photos')}, ${count(videos, 'video', 'videos')}`
  },
  today: 'Today',
  yesterday: 'Yesterday',
  scale: 'Go to month',
  month: (name: string, number: number) => `${name}, ${count(number, 'item', 'items')}`,
  emptyTitle: 'No photos here',
  emptyText: 'Photos and videos of this place appear here, by the date they were taken.',
  backToList: 'Show as list',
} as const
