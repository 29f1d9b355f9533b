/** Sizes and numbers of requests; smaller ones in tests. This file has no imports, so that every other one can use it. */
export type SftpLimits = {
  /** Bytes of one request. ssh2 splits those that are longer than the server allows. */
  readonly readBytes: number
  readonly writeBytes: number
  /** Requests of one transfer at a time. */
  readonly depth: number
  /** Entries per page of a list. */
  readonly pageSize: number
  /** Entries of one folder, which are all in memory while it is listed. */
  readonly folderEntries: number
  /** Bytes that the server copies by one request: it answers when it has copied them. */
  readonly copyBytes: number
}

/**
 * 32 requests fill a connection with a delay of 40 ms at 100 MB/s; each transfer needs up to 4 MiB of memory. Smaller requests cost
 * more: three processes wake for each.
 */
export const DEFAULT_LIMITS: SftpLimits = {
  readBytes: 128 * 1024,
  writeBytes: 128 * 1024,
  depth: 32,
  pageSize: 1000,
  folderEntries: 500_000,
  copyBytes: 256 * 1024 ** 2,
}
