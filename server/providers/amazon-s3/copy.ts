import type { Call, CopyProgress, Entry, EntryRef, NewEntry } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { KIND } from './client.ts'
import { isFolder, keyOf, ROOT } from './entry.ts'
import { checkName, entryOf, md5OfObject, requireFolder, requireFree, type S3Context } from './files.ts'
import { abortMultipart, completeMultipart, copyPart, createMultipart, type Part, partBytesFor } from './multipart.ts'
import { copyObject, deleteObject, find, head, type S3Object, SourceChanged } from './objects.ts'
import { sessionText } from './session.ts'

/** Driver.copy. Identified by its key and its content, like an upload in one request. */
export async function copy(
  context: S3Context,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  { hash, save }: CopyProgress,
): Promise<Entry> {
  const { client, prefix, limits } = context
  const { parent, name, size } = entry
  const key = keyOf(prefix, `${parent}${name}`)
  checkName(name, key, 'copy')
  if (parent !== ROOT) await requireFolder(context, call, 'copy', parent)
  await requireFree(context, call, 'copy', key)
  const session = { uploadId: null, partBytes: limits.partBytes, parent, name, size, md5: hash, named: true }
  await save(sessionText(session))
  const source = await find(client, call, 'copy', keyOf(prefix, ref))
  return entryOf(context, await copyVerified(context, call, 'copy', source, key))
}

/**
 * Has the service copy an object to a free key, and checks the copy. A copy whose response was lost is found by its content.
 * @throws NotFound, Corrupt: then the copy was deleted
 */
export async function copyVerified(
  context: S3Context,
  call: Call,
  operation: string,
  source: S3Object,
  key: string,
): Promise<S3Object> {
  const { client } = context
  const lost = await copyOnce(context, call, operation, source, key).then(
    () => null,
    (error: unknown) => {
      if (isFailure(error, 'Transient')) return error
      throw error
    },
  )
  const made = await head(client, call, operation, key).catch(nothingWhen('NotFound'))
  if (made && isSameContent(context, source, made)) return made
  if (lost) throw lost
  await deleteObject(client, call, operation, key)
  throw new ProviderError('Corrupt', { provider: KIND, operation }, { message: 'The copy differs from its original.' })
}

/** Some services compare the ETag of an object that was sent in parts with another one than they report: then it is compared here. */
async function copyOnce(
  context: S3Context,
  call: Call,
  operation: string,
  source: S3Object,
  key: string,
): Promise<void> {
  const copyAs = (exactly: boolean) => {
    if (source.size > context.limits.copyBytes) return copyInParts(context, call, operation, { source, key, exactly })
    return copyObject(context.client, call, operation, { source, key, exactly })
  }
  try {
    await copyAs(true)
  } catch (error) {
    if (!(error instanceof SourceChanged)) throw error
    if ((await find(context.client, call, operation, source.key)).etag !== source.etag) throw error
    await copyAs(false)
  }
}

/** The service compares the bytes; here size and MD5 are, where both are known. */
export function isSameContent(context: S3Context, source: S3Object, made: S3Object): boolean {
  const [before, after] = [md5OfObject(context, source), md5OfObject(context, made)]
  return source.size === made.size && (before === null || after === null || before === after)
}

/** Parts are copied, so they can be as large as a part may be. */
const COPY_PART_BYTES = 512 * 1024 * 1024

async function copyInParts(
  { client, limits, condition }: S3Context,
  call: Call,
  operation: string,
  { source, key, exactly }: { readonly source: S3Object; readonly key: string; readonly exactly: boolean },
): Promise<void> {
  const uploadId = await createMultipart(client, call, operation, key, source.metadata)
  const upload = { key, uploadId }
  try {
    const partBytes = partBytesFor(source.size, Math.min(COPY_PART_BYTES, limits.copyBytes))
    const parts: Part[] = []
    for (let start = 0; start < source.size; start += partBytes) {
      const end = Math.min(start + partBytes, source.size) - 1
      const number = parts.length + 1
      const etag = await copyPart(client, call, operation, upload, { number, source, start, end, exactly })
      parts.push({ number, size: end - start + 1, etag })
    }
    await completeMultipart(client, call, operation, upload, parts, condition)
  } catch (error) {
    if (!call.signal.aborted) await abortMultipart(client, call, operation, upload).catch(() => undefined)
    throw error
  }
}

/** Whether it names a folder; a file of the same name is another entry. */
export const targetOf = (ref: EntryRef, parent: EntryRef, name: string): EntryRef =>
  `${parent}${name}${isFolder(ref) ? '/' : ''}` as EntryRef
