import { beforeAll, expect, test } from 'vitest'
import { learn, serverText, translateFields } from '../../../web/languages/sentences.ts'

beforeAll(() =>
  learn([
    ['Please sign in first.', 'Bitte melden Sie sich zuerst an.'],
    ['You', 'Sie'],
    ['{count} items', '{count} Elemente'],
    ['{actor} moved {subjects} to “{folder}”.', '{actor}: {subjects} nach „{folder}“ verschoben.'],
    ['{actor} moved {subjects}.', '{actor}: {subjects} verschoben.'],
    ['No copy of it can be read: {reasons}.', 'Keine Kopie ist lesbar: {reasons}.'],
    ['{name} was disconnected', '{name} wurde getrennt'],
    ['{name} is full', '{name} ist voll'],
    ['Copy {index}: {why}.', 'Kopie {index}: {why}.'],
    ['{name} (the only other account)', '{name} (das einzige andere Konto)'],
    ['most free space', 'größter freier Platz'],
    ['In {count} pieces over {names}: {reason}', 'In {count} Teilen auf {names}: {reason}'],
    ['no single account has room', 'kein einzelnes Konto hat Platz'],
    ['This server', 'Dieser Server'],
    ['My Cloud', 'Meine Cloud'],
  ]),
)

test('a sentence is translated with its names, and one that is not known stays', () => {
  expect(serverText('Please sign in first.')).toBe('Bitte melden Sie sich zuerst an.')
  expect(serverText('You moved 3 items to “You”.')).toBe('Sie: 3 Elemente nach „You“ verschoben.')
  expect(serverText('You moved “a.txt”.')).toBe('Sie: “a.txt” verschoben.')
  expect(serverText('No copy of it can be read: “A” was disconnected; “B” is full.')).toBe(
    'Keine Kopie ist lesbar: “A” wurde getrennt; “B” ist voll.',
  )
  expect(serverText('Something new.')).toBe('Something new.')
})

test('each of several sentences is translated by its own pattern', () => {
  expect(
    serverText('Copy 1: Box · A (most free space); Box · B is full. Copy 2: Box · C (the only other account).'),
  ).toBe('Kopie 1: Box · A (größter freier Platz); Box · B ist voll. Kopie 2: Box · C (das einzige andere Konto).')
  expect(serverText('Copy 1: Box · Dr. Ada (most free space).')).toBe('Kopie 1: Box · Dr. Ada (größter freier Platz).')
  expect(serverText('Box · A (most free space); Box · B is full.')).toBe(
    'Box · A (größter freier Platz); Box · B ist voll.',
  )
  expect(serverText('Copy 1: Box · A (most free space). Something new.')).toContain('Something new.')
})

test('a file in pieces says so in the language of the page, with the names as they are', () => {
  expect(
    serverText('In 4 pieces over This server, Drive 2 and Rock and Roll: no single account has room; C is full'),
  ).toBe('In 4 Teilen auf Dieser Server, Drive 2 and Rock and Roll: kein einzelnes Konto hat Platz; C ist voll')
})

test('in an answer the fields with sentences are translated, and names are not', () => {
  const answer = { data: { file: { name: 'You', reason: 'You' }, provider: { limits: ['You', 'x'], names: ['You'] } } }
  translateFields(answer)
  expect(answer).toEqual({
    data: { file: { name: 'You', reason: 'Sie' }, provider: { limits: ['Sie', 'x'], names: ['You'] } },
  })
})

test('names that the server gave are translated, those that people gave are not', () => {
  const named = (id: string, name: string) => ({ id, name })
  const answer = [
    named('pool_1', 'My Cloud'),
    named('acct_1', 'This server'),
    named('acct_2', 'Studio'),
    named('file_1', 'My Cloud'),
  ]
  translateFields(answer)
  expect(answer.map(({ name }) => name)).toEqual(['Meine Cloud', 'Dieser Server', 'Studio', 'My Cloud'])
  expect(serverText('You moved “a.txt” to “My Cloud”.')).toBe('Sie: “a.txt” nach „Meine Cloud“ verschoben.')
  expect(serverText('No copy of it can be read: “This server” is full.')).toBe(
    'Keine Kopie ist lesbar: “Dieser Server” ist voll.',
  )
})
