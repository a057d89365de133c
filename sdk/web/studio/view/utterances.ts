/** The author's own utterances: how they are answered, what is confused, and the best limits. */

import type { Engine } from '../engine.js';
import { count } from '../bot/messages.js';
import type { Store } from '../store.js';
import { type Answer, countAnswers, countConfusions, isRight } from '../trial/answers.js';
import { decideAgain } from '../trial/decide.js';
import { type Choice, choose } from '../trial/limits.js';
import { findWarnings, unknownIntent, type UtteranceFile } from '../trial/utterances.js';
import { round } from '../trial/words.js';
import { button, byId, element, fill, listen, setText } from './dom.js';

const MOST_ROWS = 200;
const MOST_CONFUSIONS = 12;

/** What an answer is, in a word and in the style of its row. */
type Verdict = 'right' | 'refused' | 'wrong' | 'accepted';
const VERDICTS: Readonly<Record<Verdict, string>> = {
  right: 'Right',
  refused: 'Refused',
  wrong: 'Wrong intent',
  accepted: 'Should be refused',
};

function verdictOf(answer: Answer): Verdict {
  if (isRight(answer)) return 'right';
  if (answer.match.intent === null) return 'refused';
  return answer.utterance.intent === null ? 'accepted' : 'wrong';
}

export class UtterancesView {
  readonly #report = byId('report');
  readonly #progress = byId('report-progress');
  readonly #onlyMistakes = byId<HTMLInputElement>('only-mistakes');
  #run = 0;
  #shown = MOST_ROWS;
  #answers: readonly Answer[] = [];

  constructor(
    private readonly store: Store,
    private readonly tryText: (text: string) => void,
    private readonly botName: () => string,
  ) {
    listen(this.#onlyMistakes, { change: () => this.#drawTable() });
    listen(byId('close-utterances'), {
      click: () => store.edit({ ...store.document, file: null }),
    });
  }

  /** Asks the bot for all utterances again; an older run ends where it is. */
  async update(engine: Engine | null): Promise<void> {
    const run = ++this.#run;
    const { bot, file } = this.store.document;
    this.#report.hidden = file === null;
    byId('no-utterances').hidden = file !== null;
    setText(byId('utterances-name'), file?.name ?? '');
    if (!file || !engine) return;
    const known = new Set<string | null>([null, ...bot.intents.map(({ name }) => name)]);
    const utterances = file.utterances.filter(({ intent }) => known.has(intent));
    const isWanted = () => run === this.#run;
    const texts = utterances.map(({ text }) => text);
    const timer = setTimeout(() => isWanted() && setText(this.#progress, 'Asking the bot…'), 300);
    const matches = await engine.matchAll(texts, isWanted).catch(() => null);
    clearTimeout(timer);
    if (!matches || !isWanted()) return;
    setText(this.#progress, '');
    this.#answers = utterances.map((utterance, at) => ({
      utterance,
      match: decideAgain(matches[at]!, bot),
    }));
    this.#draw(file);
  }

  #draw(file: UtteranceFile): void {
    const { bot } = this.store;
    const answers = this.#answers;
    const unknown = unknownIntent(file, bot, this.botName());
    const warnings = findWarnings(
      answers.map(({ utterance }) => utterance),
      bot,
    );
    const notes = unknown === null ? warnings : [unknown, ...warnings];
    fill(byId('utterance-notes'), ...notes.map((note) => element('li', { class: 'note' }, note)));
    this.#drawFigures();
    this.#drawChoice(choose(answers, bot));
    this.#drawConfusions();
    this.#drawTable();
  }

  #drawFigures(): void {
    const total = this.#answers.length;
    const counts = { right: 0, refused: 0, wrong: 0, accepted: 0 };
    for (const answer of this.#answers) counts[verdictOf(answer)]++;
    const verdicts = Object.keys(VERDICTS) as Verdict[];
    const tiles = verdicts.map((verdict) =>
      element(
        'li',
        { class: verdict },
        element('b', {}, String(counts[verdict])),
        element('span', {}, `${VERDICTS[verdict]}, ${percent(counts[verdict], total)}`),
      ),
    );
    fill(byId('figures'), ...tiles);
    const parts = verdicts
      .filter((verdict) => counts[verdict])
      .map((verdict) => element('i', { class: verdict, style: `flex-grow: ${counts[verdict]}` }));
    fill(byId('figures-bar'), ...parts);
    const { numInScope, numOutOfScope, accuracy, outOfScopeAccepted } = countAnswers(this.#answers);
    setText(
      byId('figures-note'),
      `${count(numInScope, 'sentence')} with an intent, ${share(accuracy)} got it; ` +
        `${numOutOfScope} without one, ${share(outOfScopeAccepted)} accepted.`,
    );
  }

  #drawChoice(choice: Choice): void {
    const { bot } = this.store;
    const { threshold, margin, before, after } = choice;
    const isSame = threshold === bot.threshold && margin === bot.margin;
    const now = share(before.answeredRightly);
    const text = isSame
      ? `No threshold and margin would do better on these utterances: ${now} are answered rightly.`
      : `These utterances would choose the threshold ${round(threshold)} and the margin ` +
        `${round(margin)}: ${share(after.answeredRightly)} answered rightly, ${now} now.`;
    const use = () => this.store.editBot({ ...this.store.bot, threshold, margin });
    fill(
      byId('choice'),
      element('span', {}, text),
      !isSame && button('Use them', use, { class: 'primary' }),
    );
  }

  #drawConfusions(): void {
    const confusions = countConfusions(this.#answers).slice(0, MOST_CONFUSIONS);
    byId('confusions').hidden = !confusions.length;
    const rows = confusions.map(({ expected, given, count: number }) =>
      element(
        'tr',
        {},
        element('td', {}, expected ?? 'no intent'),
        element('td', {}, given ?? 'refused'),
        element('td', { class: 'number' }, String(number)),
      ),
    );
    fill(byId('confusion-rows'), ...rows);
  }

  #drawTable(): void {
    const only = this.#onlyMistakes.checked;
    const answers = this.#answers.filter((answer) => !only || !isRight(answer));
    const rows = answers.slice(0, this.#shown).map((answer) => this.#row(answer));
    fill(byId('utterance-rows'), ...rows);
    const hidden = answers.length - rows.length;
    const more = () => {
      this.#shown += MOST_ROWS;
      this.#drawTable();
    };
    fill(byId('more-utterances'), hidden > 0 && button(`Show ${hidden} more`, more));
  }

  #row(answer: Answer): HTMLTableRowElement {
    const { utterance, match } = answer;
    const verdict = verdictOf(answer);
    const text = utterance.text.trim() || '(empty)';
    const label = `${text}: try it`;
    const link = button(text, () => this.tryText(utterance.text), {
      class: 'link',
      'aria-label': label,
    });
    const got = match.intent ?? (match.nearest === null ? '–' : `– (${match.nearest})`);
    return element(
      'tr',
      {},
      element('td', {}, link),
      element('td', {}, utterance.intent ?? '–'),
      element('td', {}, got),
      element('td', { class: 'number' }, match.score.toFixed(3)),
      element('td', {}, element('span', { class: `tag ${verdict}` }, VERDICTS[verdict])),
    );
  }
}

function percent(part: number, whole: number): string {
  return share(whole ? part / whole : null);
}

function share(value: number | null): string {
  return value === null ? '–' : `${(100 * value).toFixed(1)}\u00a0%`;
}
