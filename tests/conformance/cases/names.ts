import { expect } from 'vitest'
import { type Case, type Harness, needsNames } from '../harness.ts'
import { bytesOf, call, expectSame, listAll, put, read, rejection } from '../kit.ts'

const ODD_NAMES = [
  'Grüße aus Łódź – 文件 🎉.txt',
  ' leading space.txt',
  `quo'te "double" and 'more'.txt`,
  'percent %41 plus + hash # and & equals =.txt',
  'no extension',
  `${'x'.repeat(196)}.txt`,
] as const

/** Names that the driver says the service refuses are BadName. */
async function keepsOddNames({ driver }: Harness): Promise<void> {
  const { refusesName = () => false } = driver.capabilities
  const kept = ODD_NAMES.filter((name) => !refusesName(name))
  for (const name of ODD_NAMES.filter(refusesName)) await rejection(put(driver, name, Buffer.from(name)), 'BadName')
  expect(kept.length).toBeGreaterThan(ODD_NAMES.length / 2)
  for (const name of kept) {
    const entry = await put(driver, name, Buffer.from(name))
    expect(entry.name).toBe(name)
    expect((await driver.stat(call(), entry.ref)).name).toBe(name)
  }
  const names = (await listAll(driver)).map(({ name }) => name)
  expect(names.toSorted()).toEqual(kept.toSorted())
}

async function treatsEqualNames({ driver }: Harness): Promise<void> {
  const [first, second] = [bytesOf(10, 1), bytesOf(20, 2)]
  const { ref } = await put(driver, 'report.txt', first)
  if (driver.capabilities.duplicateNames) {
    const other = await put(driver, 'report.txt', second)
    expect(other.ref).not.toBe(ref)
    expectSame(await read(driver, other.ref), second)
  } else {
    await rejection(put(driver, 'report.txt', second), 'Conflict')
  }
  expectSame(await read(driver, ref), first)
  expect(await listAll(driver)).toHaveLength(driver.capabilities.duplicateNames ? 2 : 1)
}

export const NAMES: readonly Case[] = [
  { name: 'keeps odd names', lacks: needsNames, run: keepsOddNames },
  {
    name: 'refuses a name that is too long',
    lacks: needsNames,
    async run({ driver }) {
      const name = 'n'.repeat(driver.capabilities.maxNameLength + 1)
      await rejection(put(driver, name, bytesOf(3)), 'BadName')
      expect(await listAll(driver)).toEqual([])
    },
  },
  {
    name: 'replaces nothing: an equal name is a Conflict, or a second entry',
    lacks: needsNames,
    run: treatsEqualNames,
  },
  {
    name: 'tells names apart by case, or does not, as it says',
    lacks: (harness) =>
      needsNames(harness) ?? (harness.driver.capabilities.duplicateNames ? 'Names may be equal.' : null),
    async run({ driver }) {
      await put(driver, 'Straße.TXT', bytesOf(4, 1))
      const second = put(driver, 'straße.txt', bytesOf(5, 2))
      if (driver.capabilities.caseSensitive) await second
      else await rejection(second, 'Conflict')
    },
  },
]
