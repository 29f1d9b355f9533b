const OBJECT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether text can name an object at all: refs and sessions come from rows. */
export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text)
}
