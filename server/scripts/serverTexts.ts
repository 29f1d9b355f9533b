/** The sentences of the server that appear on screens, with the files they are in. */
export async function textsOfServer(): Promise<Map<string, string[]>> {
  return new Map()
}
