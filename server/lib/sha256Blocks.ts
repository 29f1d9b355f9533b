import { setFlagsFromString } from 'node:v8'

// The compression function of SHA-256 as a WebAssembly module, which is assembled here: it is more than twice as fast as JavaScript.
// Message schedules are computed four words at a time, rounds are unrolled.

const WORDS = 8
export const BLOCK = 64

/** First bits of the fractional parts of the roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
function rootsOfPrimes(count: number, root: (prime: number) => number): Int32Array {
  const words = new Int32Array(count)
  const primes: number[] = []
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.some((prime) => number % prime === 0)) continue
    words[primes.length] = Math.floor((root(number) % 1) * 2 ** 32)
    primes.push(number)
  }
  return words
}

const K = rootsOfPrimes(64, Math.cbrt)
/** The words of the hash before the first block. */
export const START = rootsOfPrimes(WORDS, Math.sqrt)

/** Instructions in the binary format, nested as they were composed. */
type Code = readonly (number | Code)[]

function bytesOf(code: Code, bytes: number[] = []): number[] {
  for (const part of code) {
    if (typeof part === 'number') bytes.push(part)
    else bytesOf(part, bytes)
  }
  return bytes
}

/** LEB128 of a signed integer of 32 bits. */
function signed(value: number): number[] {
  const bits = value & 0x7f
  const rest = value >> 7
  const isLast = (rest === 0 && bits < 0x40) || (rest === -1 && bits >= 0x40)
  return isLast ? [bits] : [bits | 0x80, ...signed(rest)]
}

/** LEB128 of a natural number. */
function natural(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...natural(value >> 7)]
}

function sized(content: Code): Code {
  const bytes = bytesOf(content)
  return [natural(bytes.length), bytes]
}

const listOf = (...items: readonly Code[]): Code => [natural(items.length), items]
const section = (id: number, content: Code): Code => [id, sized(content)]
const nameOf = (text: string): Code => listOf(...[...Buffer.from(text)].map((byte) => [byte]))

const I32 = 0x7f
const V128 = 0x7b
const get = (local: number): Code => [0x20, natural(local)]
const set = (local: number, value: Code): Code => [value, 0x21, natural(local)]
const tee = (local: number, value: Code): Code => [value, 0x22, natural(local)]
const constant = (value: number): Code => [0x41, signed(value)]
const load = (from: Code, offset: number): Code => [from, 0x28, 2, natural(offset)]
const store = (at: Code, offset: number, value: Code): Code => [at, value, 0x36, 2, natural(offset)]
const binary =
  (...opcode: number[]) =>
  (first: Code, ...others: readonly Code[]): Code => [first, others.map((other) => [other, opcode])]
const add = binary(0x6a)
const and = binary(0x71)
const xor = binary(0x73)
const rotated = (value: Code, bits: number): Code => [value, constant(bits), 0x78]

const loadVector = (from: Code, offset: number): Code => [from, 0xfd, 0x00, 0, natural(offset)]
const storeVector = (at: Code, offset: number, value: Code): Code => [at, value, 0xfd, 0x0b, 0, natural(offset)]
const addVectors = binary(0xfd, 0xae, 0x01)
const xorVectors = binary(0xfd, 0x51)
const shiftedLeft = (value: Code, bits: number): Code => [value, constant(bits), 0xfd, 0xab, 0x01]
const shiftedRight = (value: Code, bits: number): Code => [value, constant(bits), 0xfd, 0xad, 0x01]
const pairsShiftedRight = (value: Code, bits: number): Code => [value, constant(bits), 0xfd, 0xcd, 0x01]
const vector = (words: Int32Array): Code => [0xfd, 0x0c, ...new Uint8Array(words.buffer, words.byteOffset, 16)]
/** Words by number: 0 to 3 of the first vector, 4 to 7 of the second. */
const shuffled = (first: Code, second: Code, words: readonly number[]): Code => [
  ...[first, second, 0xfd, 0x0d],
  words.map((word) => [4 * word, 4 * word + 1, 4 * word + 2, 4 * word + 3]),
]
const bigEndian = (value: Code, copy: Code): Code => [
  ...[value, copy, 0xfd, 0x0d],
  [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12],
]

// Memory: the words of the hash, four words of the schedule with their constants for each group of rounds, the blocks.
const SCHEDULE = 64
const BLOCKS = 1024
const MOST_BYTES = 64 * 1024
const PAGES = 2

// Locals: the parameters, the variables a to h, what rounds share, the vectors.
const AT = 0
const END = 1
const A = 2
const T1 = 10
const A_XOR_B = 11
const B_XOR_C = 12
const W = 13
const NEXT = 17
const TWICE = 18
const ZERO = 19

const variable = (name: number, round: number): number => A + ((name - round) & 7)

/** One round (FIPS 180-4, 6.2.2 step 3): variables are renamed instead of moved. `sum`: the word of the schedule and its constant. */
function round(number: number, sum: Code): Code {
  const [a = 0, b = 0, , d = 0, e = 0, f = 0, g = 0, h = 0] = Array.from({ length: WORDS }, (_, name) =>
    variable(name, number),
  )
  const [own, before] = number % 2 === 0 ? [A_XOR_B, B_XOR_C] : [B_XOR_C, A_XOR_B]
  const s1 = xor(rotated(get(e), 6), rotated(get(e), 11), rotated(get(e), 25))
  const s0 = xor(rotated(get(a), 2), rotated(get(a), 13), rotated(get(a), 22))
  const choice = xor(and(xor(get(f), get(g)), get(e)), get(g))
  // a ^ b is b ^ c of the next round.
  const majority = xor(and(tee(own, xor(get(a), get(b))), get(before)), get(b))
  return [set(T1, add(get(h), sum, choice, s1)), set(d, add(get(d), get(T1))), set(h, add(get(T1), majority, s0))]
}

/** The next four words in place of the oldest four (6.2.2 step 1). */
function schedule(group: number): Code {
  const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = [0, 1, 2, 3].map((index) => W + ((group + index) % 4))
  const across = (first: number, second: number) => shuffled(get(first), get(second), [1, 2, 3, 4])
  const x = get(TWICE)
  const s0 = xorVectors(
    shiftedRight(tee(TWICE, across(w0, w1)), 7),
    ...[shiftedLeft(x, 25), shiftedRight(x, 18), shiftedLeft(x, 14), shiftedRight(x, 3)],
  )
  // A pair of equal words shifted right has the rotated word below. The second two words need the first two.
  const s1 = (pairs: Code, places: readonly number[]): Code => {
    const sum = xorVectors(pairsShiftedRight(tee(TWICE, pairs), 17), ...[pairsShiftedRight(x, 19), shiftedRight(x, 10)])
    return shuffled(sum, get(ZERO), places)
  }
  return [
    set(NEXT, addVectors(get(w0), across(w2, w3), s0)),
    set(NEXT, addVectors(get(NEXT), s1(shuffled(get(w3), get(w3), [2, 2, 3, 3]), [0, 2, 4, 4]))),
    set(w0, addVectors(get(NEXT), s1(shuffled(get(NEXT), get(NEXT), [0, 0, 1, 1]), [4, 4, 0, 2]))),
  ]
}

function rounds(): Code {
  return Array.from({ length: 16 }, (_, group) => {
    const sums = addVectors(get(W + (group % 4)), vector(K.subarray(4 * group, 4 * group + 4)))
    const offset = SCHEDULE + 16 * group
    return [
      storeVector(constant(0), offset, sums),
      group < 12 ? schedule(group) : [],
      [0, 1, 2, 3].map((index) => round(4 * group + index, load(constant(0), offset + 4 * index))),
    ]
  })
}

/** Of the blocks from AT to END; there is at least one. */
function compression(): Code {
  const names = Array.from({ length: WORDS }, (_, name) => name)
  return [
    [0x03, 0x40],
    names.map((name) => set(A + name, load(constant(0), 4 * name))),
    [0, 1, 2, 3].map((index) => set(W + index, bigEndian(tee(NEXT, loadVector(get(AT), 16 * index)), get(NEXT)))),
    set(B_XOR_C, xor(get(variable(1, 0)), get(variable(2, 0)))),
    rounds(),
    names.map((name) => store(constant(0), 4 * name, add(load(constant(0), 4 * name), get(A + name)))),
    tee(AT, add(get(AT), constant(BLOCK))),
    [get(END), 0x49, 0x0d, 0],
    0x0b,
  ]
}

function assembled(): Uint8Array<ArrayBuffer> {
  const locals = listOf([natural(W - A), I32], [natural(ZERO - W + 1), V128])
  return new Uint8Array(
    bytesOf([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, listOf([0x60, listOf([I32], [I32]), listOf()])),
      section(3, listOf([0])),
      section(5, listOf([0, PAGES])),
      section(7, listOf([nameOf('memory'), 2, 0], [nameOf('compress'), 0, 0])),
      section(10, listOf(sized([locals, compression(), 0x0b]))),
    ]),
  )
}

type Compressor = {
  /** Of the hash that is being updated. */
  readonly words: Int32Array
  /** Blocks that are being added to it. */
  readonly blocks: Uint8Array
  compress(at: number, end: number): void
}

let shared: Compressor | null = null

function compiled(): Compressor {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(assembled()))
  const { memory, compress } = exports as { memory: WebAssembly.Memory } & Pick<Compressor, 'compress'>
  // V8 compiles a function when it is called first.
  compress(BLOCKS, BLOCKS + BLOCK)
  const words = new Int32Array(memory.buffer, 0, WORDS)
  return { words, blocks: new Uint8Array(memory.buffer, BLOCKS, MOST_BYTES), compress }
}

/**
 * One for the process, from the first use: no update is interrupted by another one. It is optimized at once, in a few milliseconds and
 * MiB: what V8's other compiler makes of it is a tenth as fast, and main.ts turns off that it is replaced later.
 */
function compressor(): Compressor {
  if (shared) return shared
  setFlagsFromString('--no-liftoff')
  try {
    shared = compiled()
  } finally {
    setFlagsFromString('--liftoff')
  }
  return shared
}

/** Updates the words of a hash with blocks: `bytes` is a multiple of BLOCK long. */
export function compressBlocks(words: Int32Array, bytes: Uint8Array): void {
  if (bytes.length === 0) return
  const { words: updated, blocks, compress } = compressor()
  updated.set(words)
  for (let at = 0; at < bytes.length; at += MOST_BYTES) {
    const part = bytes.subarray(at, at + MOST_BYTES)
    blocks.set(part)
    compress(BLOCKS, BLOCKS + part.length)
  }
  words.set(updated)
}
