import { cleanup } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

// relay-test-utils calls the global of another test runner.
Object.assign(globalThis, { jest: vi })

afterEach(cleanup)
