import { afterAll, beforeAll } from 'vitest'
import { startS3Emulator } from '../fakes/s3/emulator.ts'
import type { S3Server } from '../fakes/s3/swift.ts'
import { describeS3Service } from './amazonS3Service.ts'

let server: S3Server

beforeAll(async () => {
  server = await startS3Emulator()
})
afterAll(() => server?.close())

describeS3Service('The emulated S3', () => server)
