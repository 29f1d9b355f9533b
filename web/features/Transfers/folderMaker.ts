import { nameText } from '../../lib/nameText.ts'

/** The result of creating a folder. `taken`: the name already exists. */
export type FolderAnswer = { readonly id: string } | { readonly taken: true } | { readonly error: string }

export type FolderDoor = {
  readonly create: (name: string, parentId: string | null) => Promise<FolderAnswer>
  /** The folder of that name, by the server's rule (without regard to case); null where a file has the name. */
  readonly find: (name: string, parentId: string | null) => Promise<string | null>
}

/** The message for the row of the file that could not be uploaded there. */
export class FolderError extends Error {}

export type FolderMaker = {
  /** The id of the folder at `path` below `rootId`, created if needed. @throws FolderError */
  readonly ensure: (rootId: string | null, path: readonly string[]) => Promise<string | null>
}

/** One request per folder, however many files wait for it; a failed folder is requested again by the next file. */
export function createFolderMaker(door: FolderDoor): FolderMaker {
  const known = new Map<string, Promise<string>>()

  const ensureOne = (parentId: string | null, name: string): Promise<string> => {
    const key = `${parentId ?? ''}/${name}`
    const asked = known.get(key)
    if (asked) return asked
    const made = makeOrReuse(door, parentId, name)
    known.set(key, made)
    made.catch(() => known.delete(key))
    return made
  }

  return {
    async ensure(rootId, path) {
      let parentId = rootId
      for (const name of path) parentId = await ensureOne(parentId, name)
      return parentId
    },
  }
}

async function makeOrReuse(door: FolderDoor, parentId: string | null, name: string): Promise<string> {
  const answer = await door.create(name, parentId)
  if ('id' in answer) return answer.id
  if ('error' in answer) throw new FolderError(answer.error)
  const existing = await door.find(name, parentId)
  if (!existing) throw new FolderError(`A file named ${nameText(name)} already exists. Rename it, then retry.`)
  return existing
}
