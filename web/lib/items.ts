/** "1 item", "12,431 items". */
export function items(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'item' : 'items'}`
}

/** The same for what a folder contains; null: not known yet. */
export function itemsText(count: number | null | undefined): string {
  return count == null ? 'counting…' : items(count)
}
