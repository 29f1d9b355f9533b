import type { Call, Driver, PutProgress } from '../driver.ts'

type MethodsOf<Type> = {
  [Key in keyof Type]-?: NonNullable<Type[Key]> extends (...args: never) => unknown ? Key : never
}
export type Operation = MethodsOf<Driver>[keyof Driver]

/** Whether the operation resolves with a Download. */
export function hasBody(operation: Operation): boolean {
  return operation === 'get' || operation === 'export'
}

/** Runs one call of a driver: `work` may be called several times, with the same driver or another one of the account. */
export type Run = <Value>(operation: Operation, call: Call, work: (driver: Driver) => Promise<Value>) => Promise<Value>

/** A driver with the properties and methods of `driver`, each call of which goes through `run`. */
export function wrapDriver(driver: Driver, run: Run): Driver {
  return {
    kind: driver.kind,
    capabilities: driver.capabilities,
    root: driver.root,
    identity: (call) => run('identity', call, (inner) => inner.identity(call)),
    quota: (call) => run('quota', call, (inner) => inner.quota(call)),
    stat: (call, ref) => run('stat', call, (inner) => inner.stat(call, ref)),
    list: (call, folder, cursor) => run('list', call, (inner) => inner.list(call, folder, cursor)),
    get: (call, ref, range) => run('get', call, (inner) => inner.get(call, ref, range)),
    put: (call, entry, content, progress) => run('put', call, (inner) => inner.put(call, entry, content, progress)),
    abandon: (call, session, isNeeded) => run('abandon', call, (inner) => inner.abandon(call, session, isNeeded)),
    delete: (call, ref) => run('delete', call, (inner) => inner.delete(call, ref)),
    ensureFolder: (call, parent, name) => run('ensureFolder', call, (inner) => inner.ensureFolder(call, parent, name)),
    ...wrapOptional(driver, run),
  }
}

type Optional = Pick<
  Driver,
  'listAll' | 'roots' | 'export' | 'thumbnail' | 'move' | 'trash' | 'restore' | 'copy' | 'changes' | 'share' | 'unshare'
>

/** Methods that `driver` lacks stay absent. */
function wrapOptional(driver: Driver, run: Run): Optional {
  const { listAll, roots, export: exportAs, thumbnail, move, trash, restore, copy, changes, share, unshare } = driver
  return {
    ...(listAll && {
      listAll: (call, cursor, extraRoots) =>
        run('listAll', call, (inner) => present(inner.listAll).call(inner, call, cursor, extraRoots)),
    }),
    ...(roots && { roots: (call) => run('roots', call, (inner) => present(inner.roots).call(inner, call)) }),
    ...(exportAs && {
      export: (call, ref, type) => run('export', call, (inner) => present(inner.export).call(inner, call, ref, type)),
    }),
    ...(thumbnail && {
      thumbnail: (call, ref, side) =>
        run('thumbnail', call, (inner) => present(inner.thumbnail).call(inner, call, ref, side)),
    }),
    ...(move && {
      move: (call, ref, to) => run('move', call, (inner) => present(inner.move).call(inner, call, ref, to)),
    }),
    ...(trash && {
      trash: (call, ref) => run('trash', call, (inner) => present(inner.trash).call(inner, call, ref)),
    }),
    ...(restore && {
      restore: (call, ref, parent) =>
        run('restore', call, (inner) => present(inner.restore).call(inner, call, ref, parent)),
    }),
    ...(copy && {
      copy: (call, ref, entry, progress) =>
        run('copy', call, (inner) => present(inner.copy).call(inner, call, ref, entry, progress)),
    }),
    ...(changes && {
      changes: (call, cursor, extraRoots) =>
        run('changes', call, (inner) => present(inner.changes).call(inner, call, cursor, extraRoots)),
    }),
    ...(share && {
      share: (call, ref, expiresAt) =>
        run('share', call, (inner) => present(inner.share).call(inner, call, ref, expiresAt)),
    }),
    ...(unshare && {
      unshare: (call, ref) => run('unshare', call, (inner) => present(inner.unshare).call(inner, call, ref)),
    }),
  }
}

function present<Method>(method: Method | undefined): Method {
  if (method === undefined) throw new Error('Two drivers of one account have different methods.')
  return method
}

/** Returns the progress for each attempt of a put: it continues the session that earlier attempts have saved. */
export function trackSession(progress: PutProgress): () => PutProgress {
  let { session } = progress
  return () => ({
    ...progress,
    session,
    async save(saved) {
      await progress.save(saved)
      session = saved
    },
  })
}
