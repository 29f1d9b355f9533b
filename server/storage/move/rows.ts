/** What the database says about an object. */
export type KnownObject = {
  /** Hex; null: not known. */
  readonly sha256: string | null
  readonly size: number
  readonly fileId: string
  /** The file is not being deleted permanently. */
  readonly isLive: boolean
}

/**
 * Objects whose copies were begun. A row exists from before the first byte is written at the target until the object is deleted at the
 * source, so that the next run can finish what a killed one was doing.
 */
export interface MoveRows {
  begun(): Promise<readonly { readonly id: string; readonly copied: boolean }[]>
  begin(id: string): Promise<void>
  /** The copy is good, and the object was not deleted before it was complete. */
  setCopied(id: string): Promise<void>
  end(id: string): Promise<void>
  /** What files have at these ids; those that no file has are absent. */
  known(ids: readonly string[]): Promise<Map<string, KnownObject>>
  /** As `known`, for one object; many at once take one statement. */
  find(id: string): Promise<KnownObject | null>
}
