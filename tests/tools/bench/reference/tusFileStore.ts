// @tus/server as it comes, with its own file store: no fsync, no hash, no rows.
import { createServer } from 'node:http'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

const tus = new Server({ path: '/', datastore: new FileStore({ directory: process.env.ROOT ?? '.' }) })

createServer((request, response) => {
  void tus.handle(request, response)
}).listen(Number(process.env.PORT), '127.0.0.1')
