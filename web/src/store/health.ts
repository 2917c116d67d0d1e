/** How the server is: each component, each source of its machine, and the answers of the last days. */
import { signal } from "@preact/signals";
import { json, sending, type Health, type HealthHistory, type Job } from "../api/client";
import { follow, loadJobs, note } from "./jobs";

export const health = signal<Health | null>(null);
export const history = signal<HealthHistory | null>(null);
export const healthProblem = signal<unknown>(null);
export const isChecking = signal(false);

/** A source of the machine, as jobs name it; all of them for "". */
export const jobNameOf = (source: string) => `@${source}`;

export async function loadHealth(): Promise<void> {
  isChecking.value = true;
  try {
    [health.value, history.value] = await Promise.all([
      json<Health>("/api/health"),
      json<HealthHistory>("/api/health/history"),
      loadJobs(),
    ]);
    healthProblem.value = null;
  } catch (error) {
    healthProblem.value = error;
  }
  isChecking.value = false;
}

/** Index what has changed in a source of the machine, or in all of them, and look again. */
export async function reindexSource(source: string): Promise<void> {
  try {
    const job = await json<Job>("/api/jobs", sending("POST", { source }));
    note(job);
    await follow(job.id);
    await loadHealth();
  } catch (error) {
    healthProblem.value = error;
  }
}
