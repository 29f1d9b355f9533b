/**
 * Sentences of the server in the language of the page. The server speaks English, as this client does: clients in other
 * languages have web/languages/serverText.ts in place of this file.
 */
export const serverText = (text: string): string => text

/** An answer of the server with its sentences in the language of the page. */
export const inPageLanguage = <Answer>(answer: Answer): Answer | Promise<Answer> => answer
