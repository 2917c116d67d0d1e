const format = new Intl.NumberFormat("en");

/** A number as people read it. */
export const number = (n: number) => format.format(n);

/** A number of things. */
export const count = (n: number, singular: string, plural = `${singular}s`) =>
  `${number(n)} ${n === 1 ? singular : plural}`;
