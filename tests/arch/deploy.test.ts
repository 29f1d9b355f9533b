import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseAllDocuments, parseDocument } from 'yaml'
import type { ZodType } from 'zod'
import { SETTINGS } from '../../server/env.ts'
import { NODE_FLAGS } from '../setup/nodeFlags.ts'
import { configFor } from '../tools/upgradeTest/proxy.ts'

/** What `deploy` has for several servers agrees with the code, and with the tools that will read it, where they are installed. */
const dir = mkdtempSync(join(tmpdir(), 'skypool-deploy-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const has = (tool: string, ...args: readonly string[]) => spawnSync(tool, args).status === 0
const read = (path: string) => readFileSync(join('deploy', path), 'utf8')
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

/** Read by Node, the C library and the OpenTelemetry convention. */
const NOT_OURS = ['NODE_ENV', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_MMAP_THRESHOLD_']
const isSetting = (name: string) => name in SETTINGS || NOT_OURS.includes(name)
/** What the server would say of a value; null: it is valid. */
function problemOf(name: string, value: string): string | null {
  const setting = (SETTINGS as Readonly<Record<string, { readonly schema: ZodType }>>)[name]
  return setting?.schema.safeParse(value).error?.message ?? null
}
/** How long a server takes to stop at most (s), as server/main.ts has it. */
const STOP_S =
  Number(/SHUTDOWN_LIMIT_MS = ([\d_]+)/.exec(readFileSync('server/main.ts', 'utf8'))?.[1]?.replace('_', '')) / 1000
const PINNED = /^[a-z/]+:[\w.-]+@sha256:[\da-f]{64}$/
/** Routes of server/http/lifecycle.ts. */
const PROBES = all(readFileSync('server/http/lifecycle.ts', 'utf8'), /app\.get\('(\/\w+)'/g)

/** As `openssl rand -hex 32` prints it. */
const RANDOM = randomBytes(32).toString('hex')
// biome-ignore lint/suspicious/noExplicitAny: what is read of it is checked below
type Tree = any

describe('compose.yaml', () => {
  const document = parseDocument(read('compose.yaml'), { merge: true })
  const compose: Tree = document.toJS()
  const servers = ['server1', 'server2', 'server3'].map((name) => compose.services[name])

  it('is YAML', () => {
    expect(document.errors).toEqual([])
  })

  it('has three equal servers with settings that exist and have valid values', () => {
    const [first, ...others] = servers
    for (const other of others) expect(other).toEqual(first)
    const settings = Object.entries<string>(first.environment)
    expect(settings.map(([name]) => name).filter((name) => !isSetting(name))).toEqual([])
    for (const [name, value] of settings) {
      const text = value.replace(/\$\{\w+:-([^}]*)\}/g, '$1').replace(/\$\{\w+:\?[^}]*\}/g, RANDOM)
      expect(text && problemOf(name, text), `${name}=${text}`).toBeFalsy()
    }
  })

  it('names images of others by version and digest, and builds its own', () => {
    for (const [name, { image, build }] of Object.entries<Tree>(compose.services)) {
      if (build) expect(join('deploy', build, 'Dockerfile')).toBe('Dockerfile')
      else expect(image, name).toMatch(PINNED)
    }
  })

  it('gives each container only what it needs', () => {
    for (const service of Object.values<Tree>(compose.services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
      expect(JSON.stringify(service.tmpfs)).toContain('/tmp')
    }
  })

  it('reaches the store and the database that it starts, by the names and secrets that they have', () => {
    const { DATABASE_URL, STORAGE_URL } = servers[0].environment
    expect(new URL(DATABASE_URL.replace(/\$\{[^}]+\}/, 'x'))).toMatchObject({
      hostname: 'database',
      username: 'skypool',
    })
    const storage = new URL(STORAGE_URL.replace(/\$\{[^}]+\}/, 'x'))
    expect(storage).toMatchObject({ hostname: 'store', username: compose.services.store.environment.MINIO_ROOT_USER })
    expect(compose.services.bucket.command[0]).toContain(`store${storage.pathname.split('/', 2).join('/')};`)
  })

  it('waits longer than a server takes to stop', () => {
    for (const server of servers) expect(Number.parseInt(server.stop_grace_period, 10)).toBeGreaterThan(STOP_S)
  })

  it('declares the volumes and the network that it uses, in which nginx is trusted', () => {
    const mounted = Object.values<Tree>(compose.services)
      .flatMap(({ volumes = [] }: Tree) => volumes as string[])
      .map((volume) => volume.split(':')[0] ?? '')
    const [inside] = compose.networks.inside.ipam.config
    expect(mounted.filter((volume) => !volume.startsWith('./')).sort()).toEqual(Object.keys(compose.volumes).sort())
    expect(mounted.filter((volume) => volume.startsWith('./'))).toEqual(['./nginx.conf'])
    expect(servers[0].environment.TRUST_PROXY).toBe(inside.subnet)
  })

  it('publishes only nginx, on loopback', () => {
    const ports = Object.entries<Tree>(compose.services).flatMap(([name, { ports }]) => (ports ? [[name, ports]] : []))
    expect(ports).toEqual([['nginx', ['127.0.0.1:3000:8080']]])
  })
})

describe('nginx.conf', () => {
  const config = read('nginx.conf')

  it('sends requests to the servers of compose.yaml, and buffers nothing', () => {
    const compose: Tree = parseDocument(read('compose.yaml'), { merge: true }).toJS()
    const servers = Object.keys(compose.services).filter((name) => /^server\d$/.test(name))
    expect(all(config, /^ +server (\w+):3000 /gm)).toEqual(servers)
    for (const line of [
      'client_max_body_size 0;',
      'proxy_request_buffering off;',
      'proxy_buffering off;',
      'proxy_http_version 1.1;',
      'proxy_read_timeout 1h;',
      'proxy_set_header X-Request-Id $request_id;',
      'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
      'proxy_set_header X-Forwarded-Proto $scheme;',
    ])
      expect(config).toContain(` ${line}\n`)
    expect(config).not.toContain('non_idempotent')
  })

  it.skipIf(!has('nginx', '-v'))('is accepted by nginx', () => {
    const file = join(dir, 'nginx.conf')
    writeFileSync(file, configFor(dir, 18_080, ['127.0.0.1:1', '127.0.0.1:2', '127.0.0.1:3']))
    const { stderr } = spawnSync('nginx', ['-t', '-c', file], { encoding: 'utf8' })
    expect(stderr).toContain('test is successful')
    expect(stderr).not.toContain('warn')
  })
})

describe('kubernetes', () => {
  const files = readdirSync('deploy/kubernetes').filter((file) => file !== 'kustomization.yaml')
  const documents = new Map(files.map((file) => [file, parseAllDocuments(read(`kubernetes/${file}`), { merge: true })]))
  const objects: Tree[] = [...documents.values()].flatMap((list) => list.map((document) => document.toJS()))
  const of = (kind: string): Tree[] => objects.filter((object) => object.kind === kind)
  const named = (kind: string, name: string): Tree => of(kind).find(({ metadata }) => metadata.name === name)
  const deployments = of('Deployment')

  it('is YAML, and every file is applied, except for the example of the secret', () => {
    for (const list of documents.values()) for (const document of list) expect(document.errors).toEqual([])
    const { resources } = parseDocument(read('kubernetes/kustomization.yaml')).toJS() as Tree
    expect([...resources, 'secret.example.yaml'].sort()).toEqual(files.sort())
    for (const object of objects)
      expect(object).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) })
  })

  it('sets only settings that exist, with valid values, and no secret in the open', () => {
    const { data } = named('ConfigMap', 'skypool')
    const { stringData } = named('Secret', 'skypool')
    for (const [name, value] of Object.entries<string>(data)) {
      expect(isSetting(name), name).toBe(true)
      expect(problemOf(name, value), name).toBeNull()
    }
    expect(Object.keys(stringData).filter((name) => !isSetting(name))).toEqual([])
    for (const value of Object.values(stringData)) expect(value).toContain('change-me')
    // The copy of the example has to be filled in: a server would not start with it.
    expect(problemOf('SECRET_KEY', stringData.SECRET_KEY)).not.toBeNull()
    const secrets = /SECRET|PASSWORD|TOKEN|(?<!PUBLIC)_URL$/
    expect(Object.keys(data).filter((name) => secrets.test(name))).toEqual([])
  })

  it('has servers for requests and for work in the background', () => {
    const roles = deployments.map(({ spec }) => spec.template.spec.containers[0].env)
    expect(roles).toEqual([[{ name: 'ROLES', value: 'web' }], [{ name: 'ROLES', value: 'worker' }]])
  })

  it.each(deployments.map((deployment) => [deployment.metadata.name, deployment]))('%s', (_name, { spec }) => {
    const pod = spec.template.spec
    const [container] = pod.containers
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels)
    const ports = new Map(container.ports.map(({ name, containerPort }: Tree) => [name, containerPort]))
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port } = container[probe].httpGet
      expect(PROBES).toContain(path)
      expect(ports.has(port)).toBe(true)
    }
    // A server without a database is not ready, but starting it again would not help.
    expect(container.livenessProbe.httpGet.path).toBe('/health')
    expect(container.readinessProbe.httpGet.path).toBe('/ready')
    expect(ports.get('http')).toBe(Number(/PORT=(\d+)/.exec(readFileSync('Dockerfile', 'utf8'))?.[1]))
    expect(String(ports.get('metrics'))).toBe(named('ConfigMap', 'skypool').data.METRICS_PORT)
    expect(spec.template.metadata.annotations['prometheus.io/port']).toBe(String(ports.get('metrics')))
    const before = Number(container.lifecycle?.preStop.exec.command[1] ?? 0)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(STOP_S + before)
    expect(container.envFrom).toEqual([{ configMapRef: { name: 'skypool' } }, { secretRef: { name: 'skypool' } }])
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.volumeMounts.map(({ name }: Tree) => name)).toEqual(pod.volumes.map(({ name }: Tree) => name))
  })

  it('its other objects select these pods', () => {
    const labels = deployments.map(({ spec }) => spec.selector.matchLabels)
    const budgets = of('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels)
    expect(budgets).toEqual(labels)
    expect(named('Service', 'skypool-web').spec.selector).toEqual(labels[0])
    const [scaler] = of('HorizontalPodAutoscaler')
    expect(deployments.some(({ metadata }) => metadata.name === scaler.spec.scaleTargetRef.name)).toBe(true)
    const [{ backend }] = of('Ingress')[0].spec.rules[0].http.paths
    expect(named('Service', backend.service.name).spec.ports[0].name).toBe(backend.service.port.name)
  })

  it.skipIf(!has('kubectl', 'version', '--client'))('is accepted by kubectl', () => {
    const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', 'deploy/kubernetes'], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(status).toBe(0)
    expect(all(stdout, /^kind: (\w+)$/gm)).toHaveLength(objects.length - of('Secret').length)
    expect(stdout).toContain('image: registry.example.org/skypool:')
  })
})

describe('systemd', () => {
  const unit = read('systemd/skypool@.service')

  it('sets only settings that exist, and waits longer than a server takes to stop', () => {
    const names = all(unit, /^Environment=(.*)$/gm).flatMap((line) => all(line, /(\w+)=/g))
    expect(names.filter((name) => !isSetting(name))).toEqual([])
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(STOP_S)
    expect(unit).toContain(`\nExecStart=/usr/bin/node ${NODE_FLAGS.join(' ')} /opt/skypool/dist/server/main.cjs\n`)
    // V8 compiles at run time.
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m)
  })

  it.skipIf(!has('systemd-analyze', '--version'))('is accepted by systemd', () => {
    const folder = join(dir, 'units')
    mkdirSync(folder)
    // The files that it names are not installed here.
    const installed = unit.replace('/usr/bin/node', process.execPath).replace('WorkingDirectory=/opt/skypool', '')
    writeFileSync(join(folder, 'skypool@web.service'), installed)
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, 'skypool@web.service')], {
      encoding: 'utf8',
    })
    expect(stderr.split('\n').filter((line) => line.includes('skypool'))).toEqual([])
  })
})
