/** Values of the past and the future around the present one, for undo and redo. */

const MOST_STEPS = 200;

export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** What the last edit changed: further edits of the same are one step; null if none may join. */
  readonly subject: string | null;
}

export function startHistory<T>(present: T): History<T> {
  return { past: [], present, future: [], subject: null };
}

/** The history after an edit; one with a `subject` joins the edit before it of the same subject. */
export function edit<T>(
  history: History<T>,
  present: T,
  subject: string | null = null,
): History<T> {
  if (present === history.present) return history;
  const joins = subject !== null && subject === history.subject;
  const past = joins ? history.past : [...history.past, history.present].slice(-MOST_STEPS);
  return { past, present, future: [], subject };
}

/** The same history, whose next edit is a step of its own. */
export function endStep<T>(history: History<T>): History<T> {
  return history.subject === null ? history : { ...history, subject: null };
}

export function undo<T>({ past, present, future }: History<T>): History<T> {
  if (!past.length) return { past, present, future, subject: null };
  return {
    past: past.slice(0, -1),
    present: past.at(-1)!,
    future: [present, ...future],
    subject: null,
  };
}

export function redo<T>({ past, present, future }: History<T>): History<T> {
  if (!future.length) return { past, present, future, subject: null };
  return {
    past: [...past, present],
    present: future[0]!,
    future: future.slice(1),
    subject: null,
  };
}
