import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A built version: a folder with `dist/server/main.cjs` and the migrations that it knows. */
export type Build = { readonly name: string; readonly folder: string }

/** This version, as `npm run build` has built it. */
export const CURRENT: Build = { name: 'this version', folder: resolve('.') }

/** Builds another commit, once, in a folder for temporary files: tools for the sources must not find it. @throws Error when it cannot be built */
export function buildOf(ref: string): Build {
  const commit = execFileSync('git', ['rev-parse', '--verify', `${ref}^{commit}`], { encoding: 'utf8' }).trim()
  const folder = join(tmpdir(), 'skypool-builds', commit)
  const build = { name: commit.slice(0, 7), folder }
  if (existsSync(join(folder, 'built'))) return build
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 1024 ** 3 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const options = { cwd: folder, stdio: 'inherit' } as const
  if (!existsSync(join(folder, 'node_modules'))) {
    const lock = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8')
    if (lock(folder) === lock('.')) symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    else execFileSync('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'], options)
  }
  console.log(`Building ${build.name}`)
  execFileSync(process.execPath, ['server/scripts/build.mjs'], options)
  writeFileSync(join(folder, 'built'), '')
  return build
}

/** What the next version may do to the database while this one works on it. */
const EXPANSIONS = {
  '99990101000000_columns_and_tables': `alter table files add column planted text not null default '';
    create table planted (file_id uuid primary key references files (id) on delete cascade);
    create function note_planted() returns trigger language plpgsql as $$
    begin
      insert into planted values (new.id) on conflict do nothing;
      return new;
    end $$;
    create trigger note_planted after insert on files for each row execute function note_planted();`,
  '99990101000001_index': 'create index concurrently files_planted on files (planted, id);',
}

/** This version with more migrations, as the next one could have. The caller deletes the folder. */
export function buildOfNext(): Build {
  const folder = mkdtempSync(join(tmpdir(), 'skypool-next-'))
  for (const path of ['dist', 'prisma/migrations', 'package.json', 'web/__generated__/persisted.json'])
    cpSync(path, join(folder, path), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  for (const [name, sql] of Object.entries(EXPANSIONS)) {
    mkdirSync(join(folder, 'prisma/migrations', name))
    writeFileSync(join(folder, 'prisma/migrations', name, 'migration.sql'), sql)
  }
  return { name: 'the next version', folder }
}
