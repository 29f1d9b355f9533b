/** One request, as it is sent. */
export type HostileRequest = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
}

/** A signed-in user and their data: a request that is refused because of its sender tests nothing else. */
export type World = {
  readonly cookie: string
  readonly key: string | null
  /** Public ids of every kind. */
  readonly ids: readonly string[]
}
