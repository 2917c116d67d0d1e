/** The job that indexes a collection, followed until it ends. */
import { signal } from "@preact/signals";
import { json, Problem, request, type Job } from "../api/client";
import { eventsOf } from "../api/events";
import { loadChanged, pathOf } from "./collections";

const LOOK_MS = 2000;

/** The latest job of each collection. */
export const jobs = signal<Readonly<Record<string, Job>>>({});

const followed = new Set<string>();

/** Fetch the latest jobs, and follow those that have not ended. */
export async function loadJobs(): Promise<void> {
  const { jobs: found } = await json<{ jobs: Job[] }>("/api/jobs").catch(() => ({ jobs: [] }));
  // newest first: the last one that is set is the newest
  for (const job of found.reverse()) note(job);
  for (const job of Object.values(jobs.value)) if (!isOver(job)) void follow(job.id);
}

/** Show the progress of a job, and what it has changed when it ends. Where the connection breaks, it is looked for again. */
export async function follow(id: string): Promise<void> {
  if (followed.has(id)) return;
  followed.add(id);
  for (;;) {
    try {
      for await (const event of eventsOf(await request(`/api/jobs/${id}/events`))) {
        if (event.name !== "job") continue;
        const job = event.data as Job;
        note(job);
        if (!isOver(job)) continue;
        followed.delete(id);
        await loadChanged(job.collection);
        return;
      }
    } catch (error) {
      if (error instanceof Problem && !error.isOffline && error.status < 500 && error.status !== 429) break;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  followed.delete(id);
}

/** Index what has changed in a collection.
 * @throws {Problem} It was refused.
 */
export async function reindex(name: string): Promise<void> {
  const job = await json<Job>(`${pathOf(name)}/reindex`, { method: "POST" });
  note(job);
  void follow(job.id);
}

export async function cancel(job: Job): Promise<void> {
  await request(`/api/jobs/${job.id}/cancel`, { method: "POST" }).catch(() => null);
}

export function isOver(job: Job): boolean {
  return job.state !== "queued" && job.state !== "running";
}

export function note(job: Job): void {
  jobs.value = { ...jobs.value, [job.collection]: job };
}
