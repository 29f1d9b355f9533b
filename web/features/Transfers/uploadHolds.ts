const PREFIX = 'skypool.upload.'
/** Undefined over plain http from another host, although its type says otherwise. */
const locks = (): LockManager | null | undefined => navigator.locks

/**
 * Marks an upload as being sent by this tab until the returned function is called or the tab goes, so that another tab
 * does not offer to resume it. Does nothing where the browser has no Web Locks.
 */
export function holdUpload(uploadUrl: string): () => void {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  void locks()?.request(PREFIX + uploadUrl, () => held)
  return release
}

/** The uploads that any tab of this browser is sending now. */
export async function heldUploads(): Promise<ReadonlySet<string>> {
  const { held } = (await locks()?.query()) ?? {}
  return new Set((held ?? []).flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [])))
}
