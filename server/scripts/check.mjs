import { CHECKS } from './checkSteps.mjs'
import { enterProject } from './setup/enterProject.mjs'
import { prepareChecks } from './setup/prepare.mjs'
import { run } from './setup/run.mjs'

const AT_ONCE = 2

/**
 * Runs the fast checks, all of them or `names`, and prints the output of failed ones.
 * @returns {Promise<{ passed: number, failed: number, problems: string[] }>} `problems`: what each failed check printed
 */
export async function check(names = CHECKS.map(({ name }) => name)) {
  const waiting = CHECKS.filter(({ name }) => names.includes(name))
  const count = { passed: 0, failed: 0, problems: [] }
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const started = performance.now()
      const { code, output } = await run(next.command, next.args)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${code === 0 ? '✓' : '✗'} ${next.name} (${seconds} s)`)
      if (code !== 0) {
        console.log(output)
        count.problems.push(`✗ ${next.name}\n${output.trimEnd()}`)
      }
      count[code === 0 ? 'passed' : 'failed'] += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return count
}

if (process.argv[1]?.endsWith('check.mjs')) {
  enterProject()
  try {
    await prepareChecks()
    const names = process.argv.slice(2)
    const { failed } = await check(names.length > 0 ? names : undefined)
    process.exitCode = failed > 0 ? 1 : 0
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
