import { act, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { jobsChanges } from '../../web/features/Live/liveEvents.ts'
import { toast } from '../../web/ui/toast.ts'
import { renderPage } from './support/renderPage.tsx'

const PATIENCE = { timeout: 120_000 }

type Environment = ReturnType<typeof renderPage>['environment']

/** An event of the live subscription. */
const tell = (id: string, state: string, name: string) =>
  act(async () =>
    jobsChanges.say([{ id, kind: 'COPY', state, name }] as unknown as Parameters<typeof jobsChanges.say>[0]),
  )

/** Answers what is asked for next with one job. */
async function answer({ mock }: Environment, id: string, state: string, name: string): Promise<void> {
  await waitFor(() => expect(mock.getAllOperations().length).toBeGreaterThan(0), PATIENCE)
  const counts = { done: 1, total: 1, failed: 0, doneBytes: 1, totalBytes: 1, bytesPerSecond: null, error: null }
  const job = { __typename: 'Job', id, kind: 'COPY', state, name, ...counts }
  await act(async () =>
    mock.resolveMostRecentOperation({ data: { viewer: { __typename: 'User', id: 'user_1', jobs: [job] } } }),
  )
}

const success = vi.spyOn(toast, 'success')
const toasts = () => success.mock.calls.map(([title]) => title)
const announced = (...titles: string[]) => waitFor(() => expect(toasts()).toEqual(titles), PATIENCE)
beforeEach(() => success.mockClear())

test('a job that ends while the code for jobs is loading is announced', async () => {
  renderPage(<p>Files</p>)
  await tell('job_1', 'RUNNING', 'Ticket.txt')
  await tell('job_1', 'DONE', 'Ticket.txt')
  await announced('Copied “Ticket.txt”')
})

test('a job is announced once, whether a response or an event tells of its end first', async () => {
  const { environment } = renderPage(<p>Files</p>)
  await tell('job_2', 'RUNNING', 'Plan.txt')
  await answer(environment, 'job_2', 'DONE', 'Plan.txt')
  await announced('Copied “Plan.txt”')
  await tell('job_2', 'DONE', 'Plan.txt')
  await answer(environment, 'job_3', 'DONE', 'Map.txt')
  await announced('Copied “Plan.txt”', 'Copied “Map.txt”')
})
