import { learn, serverText, translateFields } from './sentences.ts'

export { serverText }

const loading = import('virtual:server-sentences').then(({ default: sentences }) => learn(sentences))

/** Waits for the sentences, once. Never rejects: without them the answer stays as it is. */
export async function inPageLanguage<Answer>(answer: Answer): Promise<Answer> {
  await loading.catch(() => undefined)
  translateFields(answer)
  return answer
}
