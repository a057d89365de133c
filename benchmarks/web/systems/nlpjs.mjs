// @nlpjs/basic: its classifier of intents, trained on the templates, and loaded as its own JSON. What
// else it can do with a text (entities, sentiment, answers) is off.
import { containerBootstrap, LangEn, Nlp } from '@nlpjs/basic';

const NONE = 'None'; // its name of no intent

function make() {
  const container = containerBootstrap({}, false);
  container.use(LangEn);
  return new Nlp({ container, languages: ['en'], autoSave: false, calculateSentiment: false });
}

/** What its answers are here: below its threshold of .5, and where it takes a text for none, there is
 * no intent, and the nearest is the first that it lists. */
function asSystem(nlp) {
  return {
    match: async (text) => {
      const { intent, classifications } = await nlp.process('en', text);
      const [nearest] = classifications.filter((found) => found.intent !== NONE);
      const given = intent === NONE ? null : intent;
      return { intent: given, nearest: nearest?.intent ?? null, score: nearest?.score ?? 0 };
    },
    save: () => new TextEncoder().encode(nlp.export()),
  };
}

export async function open({ taught }) {
  const nlp = make();
  nlp.import(await (await fetch(taught)).text());
  return asSystem(nlp);
}

export async function teach(_, templates) {
  const nlp = make();
  for (const [intent, texts] of Object.entries(templates.intents)) {
    texts.templates.forEach((text) => nlp.addDocument('en', text, intent));
  }
  const { log } = console;
  console.log = () => {}; // it tells of each epoch
  await nlp.train();
  console.log = log;
  return asSystem(nlp);
}
