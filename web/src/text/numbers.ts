const format = new Intl.NumberFormat("en");

/** A number as people read it. */
export const number = (n: number) => format.format(n);

/** A number of things. */
export const count = (n: number, singular: string, plural = `${singular}s`) =>
  `${number(n)} ${n === 1 ? singular : plural}`;

const MB = 1_000_000;

/** A number of bytes, rounded. */
export const size = (bytes: number) =>
  bytes < MB ? `${number(Math.ceil(bytes / 1000))} kB` : `${number(Math.round(bytes / MB))} MB`;

/** A duration, from one millisecond up. */
export const duration = (ms: number) =>
  ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
