/** What concerns the whole bot: threshold, margin, names, and the texts without an intent. */

import type { Finding } from '../bot/checks.js';
import { count } from '../bot/messages.js';
import type { Store } from '../store.js';
import { byId, listen, setText } from './dom.js';
import { readNumber, showNumber } from './fields.js';
import { TextRows } from './rows.js';

const WITHOUT_INTENT = { one: 'Text', add: 'Add a text without an intent' };
const LOG_LINE = { one: 'Line', add: 'Add log lines' };

export class SettingsView {
  readonly #fields = {
    threshold: byId<HTMLInputElement>('bot-threshold'),
    margin: byId<HTMLInputElement>('bot-margin'),
  };
  readonly #learnNames = byId<HTMLInputElement>('learn-names');
  readonly #lists: readonly { list: 'none' | 'background'; rows: TextRows }[];

  constructor(private readonly store: Store) {
    for (const key of ['threshold', 'margin'] as const) {
      listen(this.#fields[key], {
        input: () => {
          const value = readNumber(this.#fields[key]);
          if (typeof value === 'number') store.editBot({ ...store.bot, [key]: value }, key);
        },
        blur: () => {
          store.endStep();
          this.update([]);
        },
      });
    }
    listen(this.#learnNames, {
      change: () => store.editBot({ ...store.bot, learnNames: this.#learnNames.checked }),
    });
    this.#lists = (['none', 'background'] as const).map((list) => {
      const nouns = list === 'none' ? WITHOUT_INTENT : LOG_LINE;
      return { list, rows: new TextRows(store, { intent: null, list }, nouns) };
    });
    for (const { list, rows } of this.#lists) byId(`${list}-texts`).append(rows.element);
  }

  update(findings: readonly Finding[]): void {
    const { bot } = this.store;
    showNumber(this.#fields.threshold, bot.threshold);
    showNumber(this.#fields.margin, bot.margin);
    this.#learnNames.checked = bot.learnNames;
    for (const { list, rows } of this.#lists) {
      const own = findings.filter(({ place }) => place.list === list);
      const owner = list === 'none' ? 'the texts without an intent' : 'the log lines';
      rows.update({ intent: null, list }, owner, own);
      const notes = own.length ? `, ${count(own.length, 'note')}` : '';
      setText(byId(`${list}-count`), `${count(bot[list].length, 'text')}${notes}`);
    }
  }
}
