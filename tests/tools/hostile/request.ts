/** One request, as it goes out. */
export type HostileRequest = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
}

/** Somebody signed in, and what is theirs: a request that is refused for its sender tests nothing else. */
export type World = {
  readonly cookie: string
  readonly key: string | null
  /** Public ids of every kind. */
  readonly ids: readonly string[]
}
