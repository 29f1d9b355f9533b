/** "1 item", "12,431 items". */
export function items(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'item' : 'items'}`
}
