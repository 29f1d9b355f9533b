import { emailKey, isEmail } from '../../lib/addresses.ts'
import type { FieldError } from '../errors.ts'

/** The most common leaked passwords of eight or more characters, in lower case. */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 0123456789 0987654321 9876543210 987654321 87654321 12341234 11223344 12344321
  112233445566 123123123 123321123 147258369 159753456 789456123 123654789 741852963 1234567891 12345678910
  password password1 password12 password123 password1234 password! password1! password123! password01 passw0rd
  passw0rd! p@ssword p@ssw0rd p@ssw0rd! pa$$word pa55word passwort passwort1 passwort123 motdepasse contraseña
  contrasena senha123 parola123 haslo123 wachtwoord wachtwoord1 qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234
  qwerty12345 qwertz123 qwertzuiop azerty123 azertyuiop asdfghjk asdfghjkl asdfasdf asdf1234 zxcvbnm1 zxcvbnm123
  1qaz2wsx 1q2w3e4r 1q2w3e4r5t q1w2e3r4 q1w2e3r4t5 zaq12wsx qazwsxedc qazwsx123 1qazxsw2 abcd1234 abc12345
  abcdefgh abcdefg1 abc123456 a1b2c3d4 aa123456 aa12345678 a1234567 a12345678 a123456789 iloveyou iloveyou1
  iloveyou2 iloveyou! loveyou1 welcome1 welcome12 welcome123 welcome1! letmein1 letmein123 trustno1 sunshine
  sunshine1 princess princess1 football football1 baseball baseball1 basketball superman superman1 batman123
  starwars starwars1 pokemon1 computer computer1 internet internet1 samsung1 whatever whatever1 michelle jennifer
  jonathan victoria alexander elizabeth charlie1 michael1 jessica1 ashley12 liverpool chelsea1 arsenal1 barcelona
  mustang1 corvette mercedes ferrari1 porsche1 harley12 dragon12 dragon123 master12 master123 shadow12 monkey12
  monkey123 hunter12 killer12 freedom1 blink182 slipknot metallica nirvana1 midnight butterfly chocolate cookie12
  admin123 admin1234 admin12345 administrator root1234 rootroot toor1234 changeme changeme1 changeme123 default1
  secret12 secret123 test1234 testtest test12345 guest123 user1234 login123 demo1234 temp1234 temppass hello123
  hello1234 helloworld access14 minecraft fortnite1 google123 facebook facebook1 linkedin linkedin1 qwe123456
  qweasdzxc qweasd123 zxcvbn123 1111aaaa aaaa1111 00000000 11111111 88888888 66666666 77777777 99999999 12121212
  13131313 10203040 19841984 19871987 19901990 20002000 2020202020 summer2023 summer2024 summer2025 summer2026
  winter2023 winter2024 winter2025 winter2026 spring2025 spring2026 autumn2025 autumn2026`.split(/\s+/),
)

/** Obvious passwords for this product, without digits and punctuation. */
const PRODUCT_WORDS: ReadonlySet<string> = new Set(
  'skypool skypoolcloud cloudskypool myskypool skypoolpassword skypooladmin adminskypool skypooluser'.split(' '),
)

const LONGEST_NAME = 200
const SHORTEST_PASSWORD = 8
const LONGEST_PASSWORD = 1000

export type Registration = { readonly fullName: string; readonly email: string; readonly password: string }

/** Errors of a registration; empty: valid. Lengths are in characters, not bytes. */
export function registrationErrors({ fullName, email, password }: Registration): FieldError[] {
  return [
    ...nameErrors('fullName', fullName),
    ...fieldError('email', isEmail(email.trim()) ? null : 'Please enter a valid email address.'),
    ...passwordErrors('password', password, email),
  ]
}

export function nameErrors(path: string, fullName: string): FieldError[] {
  return fieldError(path, nameProblem(fullName.trim()))
}

/** `email`: the user's address, which must not be the password. */
export function passwordErrors(path: string, password: string, email: string): FieldError[] {
  return fieldError(path, passwordProblem(password, email))
}

function fieldError(path: string, message: string | null): FieldError[] {
  return message === null ? [] : [{ path, message }]
}

function nameProblem(name: string): string | null {
  if (name === '') return 'Please enter your full name.'
  if ([...name].length > LONGEST_NAME) return `A name can have at most ${LONGEST_NAME} characters.`
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'A name cannot contain control characters.' : null
}

function passwordProblem(password: string, email: string): string | null {
  const length = [...password].length
  if (length < SHORTEST_PASSWORD) return `Password must be at least ${SHORTEST_PASSWORD} characters long`
  if (length > LONGEST_PASSWORD) return `A password can have at most ${LONGEST_PASSWORD} characters.`
  return isGuessable(password, email) ? 'This password is too easy to guess. Please choose another one.' : null
}

/** Common passwords, one or two repeated characters, the user's own address, and variations of the product's name. */
function isGuessable(password: string, email: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase()
  const address = emailKey(email)
  return (
    COMMON_PASSWORDS.has(plain) ||
    new Set(plain).size <= 2 ||
    plain === address ||
    plain === address.split('@', 1)[0] ||
    PRODUCT_WORDS.has(plain.replace(/[\d\p{P}\p{S}\s]/gu, ''))
  )
}
