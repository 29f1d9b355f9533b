import { enterProject } from './setup/enterProject.mjs'
import { prepareBuild } from './setup/prepare.mjs'

/** `npm run build`: the same preparation as `npm start`, without serving; `node dist/server/main.cjs` then serves. */
enterProject()
try {
  await prepareBuild()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
