import { spawn } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/**
 * Runs a real sftp-server between the SSH server and itself, and makes it fail as the file `plan.json` in a folder says: once, with the
 * next request that it concerns. Run by the SSH server as the user who signs in, so it imports nothing of this project.
 * Arguments: the folder, the sftp-server, and its arguments.
 */
const [, , folder, program, ...args] = process.argv
const [PLAN, SENT] = [join(folder, 'plan.json'), join(folder, 'sent')]
const [INIT, CLOSE, READ, WRITE, REMOVE, RENAME, EXTENDED, STATUS] = [1, 4, 5, 6, 13, 18, 200, 101]
const [EOF, FAILURE] = [1, 4]

const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
/** What happens to the answers of requests, by their id. */
const onAnswer = new Map()
/** Of the download that ends early: its handle and where it ends. */
let short = null

/** Calls `each` with the packets of a stream: their length, a byte for the type, the id of the request, and more. */
function packets(stream, each) {
  let rest = Buffer.alloc(0)
  stream.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const end = 4 + rest.readUInt32BE(0)
      each(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  })
}

/** The plan, if it is of one of these kinds: it is carried out once. */
function take(...kinds) {
  if (!existsSync(PLAN)) return null
  const plan = JSON.parse(readFileSync(PLAN, 'utf8'))
  if (!kinds.includes(plan.kind)) return null
  rmSync(PLAN)
  return plan
}

/** The string that begins at a place of a packet. */
function stringAt(packet, at) {
  return packet.subarray(at + 4, at + 4 + packet.readUInt32BE(at))
}

function answer(id, code) {
  const packet = Buffer.alloc(4 + 1 + 4 + 4 + 4 + 4)
  packet.writeUInt32BE(packet.length - 4, 0)
  packet[4] = STATUS
  packet.writeUInt32BE(id, 5)
  packet.writeUInt32BE(code, 9)
  process.stdout.write(packet)
}

packets(process.stdin, (packet) => {
  const [type, id] = [packet[4], packet.readUInt32BE(5)]
  const isOfSession = type === EXTENDED && stringAt(packet, 9).toString() === 'limits@openssh.com'
  if (type !== INIT && type !== CLOSE && !isOfSession && take('serverError')) return answer(id, FAILURE)
  if (type === REMOVE && take('failedDeletion')) return answer(id, FAILURE)
  if (type === WRITE) countSent(packet)
  if (type === READ && !isLeft(packet)) return answer(id, EOF)
  if (type === RENAME) spoil(packet, id)
  // Handles are used again.
  if (type === CLOSE && short?.handle.equals(stringAt(packet, 9))) short = null
  server.stdin.write(packet)
})

function countSent(packet) {
  const handle = stringAt(packet, 9)
  appendFileSync(SENT, `${packet.readUInt32BE(9 + 4 + handle.length + 8)}\n`)
}

/** Downloads begin there. Reads from further on can be those of an earlier download that was given up, which are still on their way. */
const BEGINNING_BYTES = 1_000

/** Shortens a read that goes beyond where the download ends. False where nothing is left. */
function isLeft(packet) {
  const handle = stringAt(packet, 9)
  const at = 9 + 4 + handle.length
  const offset = Number(packet.readBigUInt64BE(at))
  const plan = offset < BEGINNING_BYTES ? take('shortBody') : null
  if (plan) short = { handle: Buffer.from(handle), end: offset + plan.bytes }
  if (!short?.handle.equals(handle)) return true
  const length = Math.min(packet.readUInt32BE(at + 8), short.end - offset)
  if (length > 0) packet.writeUInt32BE(length, at + 8)
  return length > 0
}

/** Uploads end with a rename of what was sent. */
function spoil(packet, id) {
  const from = stringAt(packet, 9)
  const to = stringAt(packet, 9 + 4 + from.length).toString()
  const plan = take('lostReply', 'truncate', 'vanish', 'keepPart')
  if (plan?.kind === 'truncate') truncateSync(from.toString(), plan.bytes)
  if (plan?.kind === 'keepPart') truncateSync(from.toString(), statSync(from.toString()).size - plan.missing)
  if (plan?.then === 'FAILED_DELETION') writeFileSync(PLAN, JSON.stringify({ kind: 'failedDeletion' }))
  if (plan?.kind === 'vanish') onAnswer.set(id, () => unlinkSync(to))
  if (plan?.kind === 'lostReply' || plan?.then === 'LOST_ANSWER') onAnswer.set(id, () => process.exit(1))
}

packets(server.stdout, (packet) => {
  const id = packet.readUInt32BE(5)
  onAnswer.get(id)?.()
  onAnswer.delete(id)
  process.stdout.write(packet)
})

process.stdin.on('end', () => server.stdin.end())
server.on('exit', () => process.exit(0))
