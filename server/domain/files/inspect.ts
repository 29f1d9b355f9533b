import type { Call, Driver, EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import { isSame, type StoredObject } from './seenObjects.ts'

/** What its account says of an object, by size and hash: it is the one that was stored, another one, or not there. */
export type Inspection = 'SAME' | 'OTHER' | 'NOTHING'

/** Asks the account without reading the object. @throws ProviderError when the account does not say, and the call's reason */
export async function inspectObject(
  driver: Driver,
  call: Call,
  { ref, size, hash }: Pick<StoredObject, 'ref' | 'size' | 'hash'>,
): Promise<Inspection> {
  try {
    // Only refs that this driver has issued are stored.
    const seen = await driver.stat(call, ref as EntryRef)
    return isSame({ size, hash }, seen, driver.capabilities.hash) ? 'SAME' : 'OTHER'
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'NotFound') return 'NOTHING'
    throw error
  }
}
