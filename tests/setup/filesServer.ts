import { createObjectStore } from '../../server/storage/objectStore.ts'
import { createFile, type FileOverrides } from '../factories/files.ts'
import { createUser } from '../factories/user.ts'
import { createBrowser } from './browser.ts'
import { startTestServer } from './server.ts'

/** The whole server with somebody signed in, and entries made past the upload doors. */
export async function startFilesServer() {
  const server = await startTestServer()
  const store = await createObjectStore(server.dataDir)
  return {
    ...server,
    store,
    /** A new user with a browser. */
    async signIn() {
      const user = await createUser(server.services.users)
      const { userId } = user.viewer
      const make = (overrides: Omit<FileOverrides, 'userId'>) =>
        createFile({ pool: server.pool, store }, { userId, ...overrides })
      return { ...user, browser: createBrowser(server.url, user.token), cookie: `sid=${user.token}`, make }
    },
  }
}

export type FilesServer = Awaited<ReturnType<typeof startFilesServer>>
export type SignedIn = Awaited<ReturnType<FilesServer['signIn']>>
