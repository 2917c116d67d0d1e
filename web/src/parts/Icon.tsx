/** Line drawings; decoration only, each stands beside a word or in a labelled button. */
const SHAPES = {
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  check: "M5 12.5l4.5 4.5L19 7.5",
  shield: "M12 3l7 2.5v5.5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V5.5zM8.8 12l2.4 2.4L15.5 10",
  warning: "M12 4l9 16H3zM12 10v4M12 17v.5",
  lost: "M7 3h7l4 4v14H7zM10 12l5 5M15 12l-5 5",
  clock: "M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18",
  left: "M14.5 6L8.5 12l6 6",
  right: "M9.5 6l6 6-6 6",
  menu: "M4 7h16M4 12h16M4 17h16",
  pencil: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  again: "M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  theme:
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M5 19l2-2",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.5v.5",
  stop: "M7 7h10v10H7z",
  plus: "M12 5v14M5 12h14",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  upload: "M12 16V5M7.5 9.5L12 5l4.5 4.5M5 16v4h14v-4",
  book: "M12 6.5C10 5 7 4.5 4 5v13c3-.5 6 0 8 1.5 2-1.5 5-2 8-1.5V5c-3-.5-6 0-8 1.5zM12 6.5V19",
  sliders: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3M15 5v4M9 10v4M15 15v4",
  pulse: "M3 12h4l3-7 4 14 3-7h4",
  folder: "M4 6h6l2 2h8v11H4z",
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
