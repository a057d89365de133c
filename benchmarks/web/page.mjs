// What the pages of the benchmark do: open a system, and time its answers.

/** Opens a system as a page does, asks it the first text, and says how long that took. */
export async function visit(open, options, text) {
  const system = await open(options);
  const ready = performance.now();
  await system.match(text);
  const answered = performance.now();
  const files = performance.getEntriesByType('resource');
  const arrived = Math.max(...files.map(({ responseEnd }) => responseEnd));
  return { load: ready, ready: ready - arrived, first: answered - ready };
}

/** Microseconds of each text, one after another. */
async function timeTexts(match, texts) {
  const times = [];
  for (const text of texts) {
    const start = performance.now();
    const answer = match(text);
    if (answer instanceof Promise) await answer;
    times.push(1000 * (performance.now() - start));
  }
  return times;
}

/** Microseconds of texts, in rounds of all of them: of each round a list by text. */
export async function timeRounds(system, texts, rounds) {
  const all = [];
  for (let round = 0; round < rounds; round++) {
    all.push(await timeTexts((text) => system.match(text), texts));
  }
  return all;
}

/**
 * Microseconds of texts whose words are all new to the recogniser: each has a fresh one, of bytes
 * that are there, which has answered a text without words of theirs.
 */
export async function timeUnseen(open, { taught, ...options }, texts, rounds) {
  const bytes = await (await fetch(taught)).arrayBuffer();
  const all = [];
  for (let round = 0; round < rounds; round++) {
    const times = [];
    for (const text of texts) {
      const system = await open({ ...options, taught: bytes });
      system.match('xylophone');
      const start = performance.now();
      system.match(text);
      times.push(1000 * (performance.now() - start));
      system.close();
    }
    all.push(times);
  }
  return all;
}

/** The nearest intent of each text, its score, and whether it is accepted. */
export async function answer(system, texts) {
  const answers = [];
  for (const text of texts) {
    const { intent, nearest, score } = await system.match(text);
    answers.push({ intent, nearest, score });
  }
  return answers;
}
