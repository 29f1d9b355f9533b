/** A row refers to an object that is not on disk or has fewer bytes than were acknowledged. */
export class ObjectMissingError extends Error {
  override readonly name = 'ObjectMissingError'
  constructor(readonly objectId: string) {
    super(`The stored object ${objectId} is missing or too short.`)
  }
}

/** An attempt to write to an object that was published. */
export class ObjectStoredError extends Error {
  override readonly name = 'ObjectStoredError'
  constructor(readonly objectId: string) {
    super(`The object ${objectId} is published and cannot be written to.`)
  }
}

/** STORAGE_URL leads to no bucket that can be used; the message says what to correct. */
export class WrongStorageError extends Error {
  override readonly name = 'WrongStorageError'
}

/** The disk that holds DATA_DIR is full. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError'
  constructor(
    cause: unknown,
    /** Bytes that uploads may still write. */
    readonly freeBytes = 0,
  ) {
    super('The disk of this server is full.', { cause })
  }
}

/** The system error code ("ENOENT") of a caught value; undefined when it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
