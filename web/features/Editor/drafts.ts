/** Text that was not saved, kept on this device. */
export type Draft = {
  readonly text: string
  /** ETag of the content that it changes. */
  readonly base: string
  /** Unix ms. */
  readonly at: number
}

/** `forgetTransfers` removes these keys. */
const PREFIX = 'skypool.draft.'
/** Browsers keep about 5 million characters for all of a site. */
const MOST_CHARACTERS = 2_500_000

/** Unsaved text of one user in this browser, by file. Removed on logout. */
export function createDrafts(userId: string, storage: Storage = localStorage) {
  const keyOf = (fileId: string) => `${PREFIX}${userId}.${fileId}`
  const forget = (fileId: string) => {
    try {
      storage.removeItem(keyOf(fileId))
    } catch {
      // Without storage nothing was kept.
    }
  }
  return {
    read(fileId: string): Draft | null {
      try {
        return parse(storage.getItem(keyOf(fileId)))
      } catch {
        return null
      }
    },
    /** @returns false when the browser has no room for it: older text stays */
    keep(fileId: string, draft: Draft): boolean {
      if (draft.text.length <= MOST_CHARACTERS) {
        try {
          storage.setItem(keyOf(fileId), JSON.stringify(draft))
          return true
        } catch {
          // Full, or refused in a private window.
        }
      }
      return false
    },
    forget,
  }
}

export type Drafts = ReturnType<typeof createDrafts>

function parse(json: string | null): Draft | null {
  if (json === null) return null
  const value = JSON.parse(json) as Partial<Draft> | null
  const isDraft =
    typeof value?.text === 'string' && typeof value.base === 'string' && typeof value.at === 'number' && value.at > 0
  return isDraft ? (value as Draft) : null
}
