import type { Driver, FormValues } from '../../../server/providers/driver.ts'
import type { MegaLimits } from '../../../server/providers/mega/files.ts'
import { megaModule } from '../../../server/providers/mega/module.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { startEmulators } from '../../fakes/core/server.ts'
import { createMega } from '../../fakes/mega/mega.ts'
import { call } from './providerHarness.ts'

const USER = 'ann@example.com'
export const PASSWORD = 'correct horse'
export const KIB = 1024

export type MegaStage = Awaited<ReturnType<typeof startMega>>

/** An emulated MEGA with one user, and drivers on it. */
export async function startMega(limits: Partial<MegaLimits> = {}) {
  const mega = createMega()
  const emulators = await startEmulators({ services: [mega] })
  mega.commands.addUser({ email: USER, name: 'Ann Example', password: PASSWORD, quotaBytes: 100_000_000 })
  const module = megaModule({
    http: createHttp({ emulatorUrl: new URL(emulators.url) }),
    limits: { partBytes: 128 * KIB, ...limits },
  })
  const { signIn } = module
  if (signIn.by !== 'FORM') throw new Error('It has no form.')
  return {
    mega: mega.commands,
    url: emulators.url,
    user: USER,
    form: signIn.form,
    plan: emulators.plan,
    clearFaults: emulators.clearFaults,
    log: emulators.log,
    count: (operation: string): number => emulators.log().filter((one) => one.operation === operation).length,
    bugs: () => emulators.log().flatMap(({ bug }) => bug ?? []),
    connect: (values: FormValues) => signIn.form.exchange(call(), values),
    open(more: Partial<Record<'session' | 'masterKey', string>> = {}): Driver {
      return module.open({ expiresAt: null, ...mega.commands.mintSession({ user: USER }), ...more })
    },
    openWith: module.open,
    paths: async () => (await mega.commands.objects({ user: USER })).map(({ path }) => path),
    close: emulators.close,
  }
}
