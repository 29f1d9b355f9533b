import { test } from 'vitest'
import sharp from 'sharp'
import { readFileSync, readdirSync } from 'node:fs'
import { startServer } from './support/server.ts'
test('rss', async () => {
const server = await startServer()
const url = server.url
const reg = await fetch(url + '/api/v1/auth/register', { method: 'POST', headers: { 'content-type': 'application/json', origin: url }, body: JSON.stringify({ fullName: 'A B', email: 'a@example.org', password: 'correct horse battery' }) })
const cookie = reg.headers.getSetCookie().map((c) => c.split(';')[0]).join('; ')
const mine = process.pid
const children = (pid: number): number[] => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
const all = (pid: number): number[] => { try { return [pid, ...children(pid).flatMap(all)] } catch { return [] } }
const cmd = (p: number) => { try { return readFileSync(`/proc/${p}/cmdline`, 'latin1') } catch { return '' } }
const rss = (p: number) => { try { return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${p}/status`, 'latin1'))?.[1]) / 1024) } catch { return 0 } }
const main = () => all(mine).find((p) => /main\.cjs/.test(cmd(p)))!
const workers = () => all(mine).filter((p) => /worker\.mjs/.test(cmd(p)))
const kinds = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const
const ids: string[] = []
for (let i = 0; i < 200; i++) {
  const w = 800 + (i % 5) * 400
  const kind = kinds[i % 20 < 15 ? 0 : (i % 5) + 1]
  const noisy = { create: { width: w, height: 900, channels: 3 as const, background: '#888', noise: { type: 'gaussian' as const, mean: 128, sigma: i % 60 + 1 } } }
  let b = await sharp(noisy).withMetadata({ orientation: (i % 8) + 1 }).toFormat(kind).toBuffer()
  if (i % 10 === 9) b = b.subarray(0, b.length / 2)
  const form = new FormData(); form.set('file', new File([b], `p${i}.${kind}`))
  const r = await fetch(url + '/api/v1/files', { method: 'POST', headers: { cookie, origin: url }, body: form })
  ids.push((await r.json()).id)
}
await new Promise((r) => setTimeout(r, 3000))
const p = main(); const before = rss(p)
const lat: number[] = []; let on = true; let peakW = 0
const probe = (async () => { while (on) { const t = performance.now(); await (await fetch(url + '/health')).text(); lat.push(performance.now() - t); peakW = Math.max(peakW, ...workers().map(rss)); await new Promise((r) => setTimeout(r, 20)) } })()
const t = performance.now(); const st: Record<number, number> = {}
let peak = 0
const queue = [...ids]
await Promise.all(Array.from({ length: 6 }, async () => { for (let id = queue.shift(); id; id = queue.shift()) { const r = await fetch(`${url}/api/v1/files/${id}/thumbnail?size=medium`, { headers: { cookie } }); await r.arrayBuffer(); st[r.status] = (st[r.status] ?? 0) + 1; peak = Math.max(peak, rss(p)) } }))
const ms = performance.now() - t
const t2 = performance.now()
for (const id of ids) await (await fetch(`${url}/api/v1/files/${id}/thumbnail?size=small`, { headers: { cookie } })).arrayBuffer()
const cached = performance.now() - t2
on = false; await probe
lat.sort((a, b) => a - b)
console.log({ before, peak, after: rss(p), peakWorker: peakW, workers: workers().length, st, perSecond: (200000 / ms).toFixed(1), cachedMs: (cached / 200).toFixed(2), health: { p50: lat[lat.length >> 1], p99: lat[Math.floor(lat.length * 0.99)], n: lat.length } })
await server.close()
}, 600_000)
