// Measures systems in Chromium: node measure.mjs PLAN.json
//
// `python -m benchmarks.web` makes the plan, and reads the JSON lines that this prints.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { inPage, withBrowser, withProfile } from './browser.mjs';
import { bundle } from './bundle.mjs';
import { openSizes } from './compressed.mjs';
import { ASKING, LASTING, serve } from './server.mjs';

const OWN = ['/page.mjs', '/empty.html', '/favicon.ico']; // of the benchmark, not of a user's page

const [file] = parseArgs({ allowPositionals: true }).positionals;
const plan = JSON.parse(readFileSync(file, 'utf8'));
const sizesOf = openSizes(plan.sizes);
const print = (measure, system, figures) =>
  console.log(JSON.stringify({ measure, system: system.name, ...figures }));

/** Least and median of numbers. */
function describe(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const round = (number) => Math.round(100 * number) / 100;
  return { least: round(sorted[0]), median: round(sorted[Math.floor(sorted.length / 2)]) };
}

/** Medians over texts: of the least of each text's rounds, and of all times. */
function describeRounds(rounds) {
  const least = rounds[0].map((_, text) => Math.min(...rounds.map((times) => times[text])));
  return { least: describe(least).median, median: describe(rounds.flat()).median };
}

/** Teaches a system the templates, in a page; what it saves is served from then on. */
async function teach(browser, server, system) {
  if (!system.is_taught) return;
  const { saved, time } = await inPage(browser, `${server.origin}/empty.html`, (page) =>
    page.evaluate(
      async (script, options, templates) => {
        const { teach: teachSystem } = await import(script);
        const start = performance.now();
        const taught = await teachSystem(options, templates);
        const end = performance.now();
        const blob = new Blob([taught.save()]);
        const reader = new FileReader();
        const read = new Promise((resolve) => (reader.onload = resolve));
        reader.readAsDataURL(blob);
        await read;
        return { saved: reader.result, time: end - start };
      },
      system.script,
      system.options,
      plan.templates,
    ),
  );
  system.options.taught = `/taught/${system.name}`;
  server.put(system.options.taught, Buffer.from(saved.split(',')[1], 'base64'));
  print('teach', system, { milliseconds: Math.round(time) });
}

/** The page of a visit, as an app's would be. */
function putPage(server, { name, script, options }) {
  const html = `<!doctype html><meta charset="utf-8"><title>${name}</title><script type="module">
import { open } from '${script}';
import { visit } from '/page.mjs';
globalThis.visited = visit(open, ${JSON.stringify(options)}, ${JSON.stringify(plan.first_text)});
</script>`;
  server.put(`/${name}.html`, html);
  return `${server.origin}/${name}.html`;
}

const visit = (context, address) =>
  inPage(context, address, async (page) => {
    await page.waitForFunction(() => globalThis.visited !== undefined);
    return page.evaluate(() => globalThis.visited);
  });

/** What first visits fetch and how long they take, each with an empty cache and a process of its own. */
async function measureVisits(browser, server, system) {
  const address = putPage(server, system);
  const figures = [];
  for (let round = 0; round < plan.visits; round++) {
    const context = await browser.createBrowserContext();
    server.takeRequests();
    figures.push(await visit(context, address));
    if (round === 0) printSizes(server, system);
    await context.close();
  }
  const of = (name) => describe(figures.map((found) => found[name]));
  print('visit', system, { ready_ms: of('ready'), first_ms: of('first'), load_ms: of('load') });
}

function printSizes(server, system) {
  const asked = server.takeRequests().filter(({ address }) => !OWN.includes(address));
  const files = asked.map(({ address }) => ({ address, ...sizesOf(server.find(address)) }));
  const total = (list, unit) => list.reduce((sum, found) => sum + found[unit], 0);
  const units = ['bytes', 'gzip', 'brotli'];
  const all = Object.fromEntries(units.map((unit) => [unit, total(files, unit)]));
  print('size', system, { ...all, files });
}

/** What later visits fetch, each after Chromium was closed and started with the same profile. */
async function measureSecondVisit(server, system) {
  const address = putPage(server, system);
  for (const caching of [LASTING, ASKING]) {
    const [first, second] = await withProfile(async (profile) => {
      const requests = [];
      for (let number = 0; number < 2; number++) {
        server.takeRequests(caching);
        await withBrowser(plan.chromium, profile, (browser) => visit(browser, address));
        requests.push(server.takeRequests().filter(({ status }) => status !== 404));
      }
      return requests;
    });
    const count = (list) => ({
      requests: list.length,
      bytes: list.reduce((sum, { bytes }) => sum + bytes, 0),
    });
    print('second_visit', system, { caching, first: count(first), second: count(second) });
  }
}

/** Processor time of a page's main thread so far, in milliseconds. Other programs do not add to it. */
async function processorTime(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * metrics.find(({ name }) => name === 'ThreadTime').value;
}

/** Processor time to open a bot file that is there, and of the first text, each time in a new page. */
async function measureOpenings(browser, server, system) {
  const figures = [];
  for (let round = 0; round < plan.visits && system.unseen > 0; round++) {
    const context = await browser.createBrowserContext();
    const steps = await inPage(context, `${server.origin}/empty.html`, async (page) => {
      const session = await page.createCDPSession();
      await session.send('Performance.enable');
      await page.evaluate(
        async (script, options) => {
          globalThis.script = await import(script);
          const taught = await (await fetch(options.taught)).arrayBuffer();
          globalThis.options = { ...options, taught };
        },
        system.script,
        system.options,
      );
      const times = [await processorTime(session)];
      await page.evaluate(async () => {
        globalThis.system = await globalThis.script.open(globalThis.options);
      });
      times.push(await processorTime(session));
      await page.evaluate((text) => void globalThis.system.match(text), plan.first_text);
      times.push(await processorTime(session));
      return { open: times[1] - times[0], first: times[2] - times[1] };
    });
    figures.push(steps);
    await context.close();
  }
  if (figures.length > 0) {
    const of = (name) => describe(figures.map((found) => found[name]));
    print('processor_ms', system, { open: of('open'), first: of('first') });
  }
}

/** Microseconds of queries. */
async function measureQueries(browser, server, system) {
  const { texts, rounds } = plan;
  await inPage(browser, `${server.origin}/empty.html`, async (page) => {
    const session = await page.createCDPSession();
    await session.send('Performance.enable');
    const time = (count) =>
      page.evaluate(
        (given, number) => globalThis.page.timeRounds(globalThis.system, given, number),
        texts,
        count,
      );
    await page.evaluate(
      async (script, options) => {
        globalThis.page = await import('/page.mjs');
        globalThis.open = (await import(script)).open;
        globalThis.system = await globalThis.open(options);
      },
      system.script,
      system.options,
    );
    const first = await time(1);
    await time(2); // the engine has compiled it then
    const before = await processorTime(session);
    const seen = await time(rounds);
    const used = (await processorTime(session)) - before;
    const unseen =
      system.unseen > 0 &&
      (await page.evaluate(
        (options, given, number) =>
          globalThis.page.timeUnseen(globalThis.open, options, given, number),
        system.options,
        texts.slice(0, system.unseen),
        rounds,
      ));
    print('query_us', system, {
      texts: texts.length,
      first: describeRounds(first),
      seen: describeRounds(seen),
      processor_us: Math.round((1000 * used) / texts.length / rounds),
      unseen: unseen ? describeRounds(unseen) : null,
    });
  });
}

/** The answers of bots, each taught its own templates. */
async function measureAnswers(browser, server, system) {
  for (const bot of plan.bots) {
    const options = { ...system.options, ...(system.bots?.[bot.name] ?? {}) };
    const answers = await inPage(browser, `${server.origin}/empty.html`, (page) =>
      page.evaluate(
        async (script, given, templates, texts) => {
          const [{ open, teach: teachSystem }, { answer }] = await Promise.all([
            import(script),
            import('/page.mjs'),
          ]);
          const taught = await (teachSystem?.(given, templates) ?? open(given));
          return answer(taught, texts);
        },
        system.script,
        options,
        bot.templates,
        bot.texts,
      ),
    );
    print('answers', system, { bot: bot.name, answers });
  }
}

const MEASURES = {
  visits: measureVisits,
  openings: measureOpenings,
  second_visit: (_, server, system) => measureSecondVisit(server, system),
  queries: measureQueries,
  answers: measureAnswers,
};

await bundle(plan.bundled, plan.folders['/bundled/']);
const server = await serve(plan.folders);
server.put('/page.mjs', readFileSync(path.join(import.meta.dirname, 'page.mjs')));
server.put('/empty.html', '<!doctype html><meta charset="utf-8"><title>empty</title>');
try {
  await withProfile((profile) =>
    withBrowser(plan.chromium, profile, async (browser) => {
      print('browser', { name: await browser.version() }, {});
      for (const system of plan.systems) {
        await teach(browser, server, system);
        for (const name of plan.measures) await MEASURES[name](browser, server, system);
      }
    }),
  );
} finally {
  await server.close();
}
