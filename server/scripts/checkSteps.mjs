import { bin } from './setup/run.mjs'

/** What `npm run check` is made of; each can also be run alone (`npm run typecheck`, ...). */
export const CHECKS = [
  { name: 'typecheck', command: bin('tsc'), args: ['--noEmit'] },
  { name: 'lint', command: bin('biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'arch', command: bin('tsx'), args: ['tests/arch/checkImports.ts'] },
  { name: 'dead', command: bin('knip'), args: ['--config', 'tests/arch/knip.json', '--no-progress'] },
  { name: 'languages', command: bin('tsx'), args: ['server/scripts/languages.ts', '--check'] },
  { name: 'schema', command: bin('tsx'), args: ['server/scripts/printSchema.ts', '--check'] },
  { name: 'relay', command: bin('relay-compiler'), args: ['--validate'] },
  { name: 'drift', command: bin('tsx'), args: ['server/scripts/migration/migration.ts', '--check'] },
]
