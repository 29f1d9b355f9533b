import { toast } from './toast.ts'

/** Puts a text on the clipboard and says so (spec 8). Never throws; resolves with whether it is there. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Over plain http from another host there is no clipboard at all.
    if (!navigator.clipboard) throw new Error('the browser allows it only over https')
    await navigator.clipboard.writeText(text)
    toast.success('Copied to clipboard')
    return true
  } catch (error) {
    toast.error(`Failed to copy ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}
