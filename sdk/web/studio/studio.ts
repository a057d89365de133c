/** Joins the parts of the page: what is edited, the recogniser, the views and what is kept. */

import { type Bot, EMPTY_BOT, toJson, toTemplateSet, withoutLimits } from './bot/bot.js';
import type { Finding } from './bot/checks.js';
import { count } from './bot/messages.js';
import type { Config } from './config.js';
import { Engine } from './engine.js';
import { saveFile } from './files.js';
import type { OpenedModel } from './open_file.js';
import { type Kept, keepModel, keptModel, type Storage } from './storage.js';
import type { Store } from './store.js';
import { byId, element, fill, listen, setText } from './view/dom.js';
import { IntentsView } from './view/intents.js';
import { clearError, showError, showNews } from './view/notices.js';
import { SettingsView } from './view/settings.js';
import { TrialView } from './view/trial.js';
import type { UtterancesView } from './view/utterances.js';

const SAVING_PAUSE = 400;

export class Studio {
  readonly #models = byId<HTMLSelectElement>('model');
  readonly #intents: IntentsView;
  readonly #settings: SettingsView;
  readonly #trial: TrialView;
  #utterances: UtterancesView | null = null;
  #name: string;
  #engine: Engine | null = null;
  #model = '';
  #wanted = '';
  /** Counts the openings of models, of which the last one counts. */
  #opening = 0;
  #opened: { name: string; bytes: Blob } | null = null;
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly config: Config,
    private readonly base: string,
    private readonly store: Store,
    private readonly storage: Storage,
  ) {
    this.#name = config.name;
    this.#intents = new IntentsView(
      store,
      byId('intents'),
      byId<HTMLFormElement>('add-intent'),
      byId<HTMLInputElement>('filter'),
    );
    this.#settings = new SettingsView(store);
    this.#trial = new TrialView(
      store,
      (intent, template) => this.#intents.show(intent, template),
      () => this.#keepSoon(),
    );
    this.#listen();
  }

  /** Shows what was kept of the last visit, or the template file, and opens the model. */
  async start(kept: Kept | null, isCurrent: boolean): Promise<void> {
    if (kept && isCurrent) {
      this.#name = kept.name;
      this.#trial.text = kept.text;
    }
    this.#draw();
    void this.#drawFindings();
    if (kept && !isCurrent) {
      showNews('The template file is newer than your edits. Undo brings these back.');
    }
    const opened = kept && isCurrent ? await keptModel() : null;
    if (opened && kept && !this.config.models.some(({ name }) => name === kept.model)) {
      this.#opened = { name: kept.model, bytes: opened };
    }
    this.#drawModels();
    await this.#open(kept && isCurrent ? kept.model : '');
  }

  #listen(): void {
    const { store } = this;
    store.onChange(() => this.#draw());
    store.onSettled(() => void this.#settle());
    const actions: Record<string, () => void> = {
      undo: () => store.undo(),
      redo: () => store.redo(),
      new: () => this.#begin(),
      'save-json': () => this.#saveJson(),
      'save-bot': () => void this.#saveBot(),
      open: () => byId('file').click(),
      'open-utterances': () => byId('file').click(),
    };
    for (const [id, click] of Object.entries(actions)) listen(byId(id), { click });
    listen(byId<HTMLInputElement>('file'), {
      change: (event) => {
        const input = event.target as HTMLInputElement;
        void this.#openFiles([...(input.files ?? [])]);
        input.value = '';
      },
    });
    listen(this.#models, { change: () => void this.#open(this.#models.value) });
    listen(document, { keydown: (event) => this.#onKey(event as KeyboardEvent) });
    this.#listenToDrops();
    listen(window, { pagehide: () => this.#keep() });
  }

  /**
   * Control-Z in a field undoes the last edit of the bot, too: the fields show the bot. The browser
   * undoes in the fields that do not, but for an empty field for a new text: there it would bring back
   * what was added before, to be added again.
   */
  #onKey(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const isUndo = key === 'z' && !event.shiftKey;
    if (!isUndo && key !== 'y' && key !== 'z') return;
    if ((event.target as Element).matches('#text, #filter, .adder:not(:placeholder-shown)')) return;
    event.preventDefault();
    if (isUndo) this.store.undo();
    else this.store.redo();
  }

  #listenToDrops(): void {
    const isFile = (event: Event) => (event as DragEvent).dataTransfer?.types.includes('Files');
    const mark = (isOver: boolean) => document.body.classList.toggle('dropping', isOver);
    listen(document, {
      dragover: (event) => {
        if (!isFile(event)) return;
        event.preventDefault();
        mark(true);
      },
      dragleave: (event) => {
        if ((event as DragEvent).relatedTarget === null) mark(false);
      },
      drop: (event) => {
        if (!isFile(event)) return;
        event.preventDefault();
        mark(false);
        void this.#openFiles([...((event as DragEvent).dataTransfer?.files ?? [])]);
      },
    });
  }

  // --- What is shown ----------------------------------------------------------------------

  #findings: readonly Finding[] = [];

  /** Draws what was edited, at once; the checks and the recogniser follow when the author pauses. */
  #draw(): void {
    const { past, future } = this.store.history;
    byId<HTMLButtonElement>('undo').disabled = !past.length;
    byId<HTMLButtonElement>('redo').disabled = !future.length;
    const { intents } = this.store.bot;
    const templates = intents.reduce((sum, intent) => sum + intent.templates.length, 0);
    setText(byId('bot-name'), this.#name);
    setText(
      byId('bot-size'),
      `${count(intents.length, 'intent')}, ${count(templates, 'template')}`,
    );
    byId('no-intents').hidden = intents.length > 0;
    this.#intents.update(this.#findings);
    this.#settings.update(this.#findings);
  }

  async #drawFindings(): Promise<void> {
    const { checkTemplates } = await import('./later.js');
    this.#findings = checkTemplates(this.store.bot);
    const number = this.#findings.length;
    setText(byId('bot-notes'), number ? count(number, 'note') : 'no notes');
    this.#intents.update(this.#findings);
    this.#settings.update(this.#findings);
  }

  #drawModels(): void {
    const names = this.config.models.map(({ name }) => name);
    if (this.#opened) names.push(this.#opened.name);
    fill(this.#models, ...names.map((name) => element('option', {}, name)));
    this.#models.value = this.#model || (names[0] ?? '');
  }

  /** Asks for the utterances; what shows them is loaded with the first file. */
  async #drawUtterances(): Promise<void> {
    if (this.store.document.file !== null && !this.#utterances) {
      const { UtterancesView } = await import('./later.js');
      this.#utterances ??= new UtterancesView(
        this.store,
        (text) => {
          this.#trial.text = text;
          this.#trial.focus();
        },
        () => `${this.#name}.json`,
      );
    }
    await this.#utterances?.update(this.#engine);
  }

  // --- The recogniser ---------------------------------------------------------------------

  /** Fits the bot to what was edited, and shows what it makes of the texts now. */
  async #settle(): Promise<void> {
    performance.mark('edit');
    this.#keepSoon();
    const fit = this.#fit();
    void this.#drawFindings();
    await fit;
    performance.measure('edit to fit', 'edit');
    this.#trial.update(this.#engine);
    await this.#drawUtterances();
  }

  async #fit(): Promise<void> {
    try {
      await this.#engine?.fit(templatesOf(this.store.bot));
    } catch (error) {
      showError(`The bot could not be fitted: ${(error as Error).message}`);
    }
  }

  /**
   * Opens a model by its name, or one that was given in a file; the one before stays until this one is
   * ready, and so does the bot. Returns whether it is the one that is open now.
   */
  async #open(wanted: string, given: OpenedModel | null = null): Promise<boolean> {
    const number = ++this.#opening;
    if (!given) this.#wanted = wanted;
    const { models } = this.config;
    const own = given ?? (this.#opened?.name === wanted ? this.#opened : null);
    const model = models.find(({ name }) => name === wanted) ?? models[0];
    const name = own?.name ?? model?.name;
    if (name === undefined) {
      showError('This page has no model: open a model file or a bot file (.safetensors).');
      return false;
    }
    const status = byId('model-status');
    let isOpen = false;
    try {
      const source = own?.bytes ?? new URL(model!.file, document.baseURI);
      const engine = await Engine.open(name, source, templatesOf(given?.bot ?? this.store.bot), {
        onProgress: ({ loaded, total }) => {
          const part =
            total === null
              ? `${(loaded / 1e6).toFixed(1)} MB`
              : `${Math.round((100 * loaded) / total)} %`;
          if (number === this.#opening) setText(status, `loading ${name}: ${part}`);
        },
      });
      if (number !== this.#opening) {
        engine.close();
        return false;
      }
      this.#engine?.close();
      this.#engine = engine;
      this.#model = name;
      setText(status, '');
      isOpen = true;
      if (given) this.#take(given);
    } catch (error) {
      if (number !== this.#opening) return false;
      setText(status, '');
      const message = `The model ${name} could not be opened: ${(error as Error).message}`;
      showError(message, { text: 'Try again', run: () => void this.#open(wanted, given) });
    }
    this.#drawModels();
    await this.#settle();
    return isOpen;
  }

  /** Makes the model of a file, which has been opened, one of the page, and its bot the bot. */
  #take({ name, bot, bytes }: OpenedModel): void {
    this.#opened = { name, bytes };
    void keepModel(bytes);
    if (!bot) return;
    this.#name = name;
    this.store.editBot(bot);
  }

  // --- Files ------------------------------------------------------------------------------

  async #openFiles(files: readonly File[]): Promise<void> {
    clearError();
    for (const file of files) {
      try {
        await this.#openOne(file);
      } catch (error) {
        showError((error as Error).message);
      }
    }
  }

  async #openOne(file: File): Promise<void> {
    const { openFile } = await import('./later.js');
    const opened = await openFile(file);
    if (opened.kind === 'utterances') {
      this.store.edit({ ...this.store.document, file: opened.file });
      byId('utterances').scrollIntoView({ block: 'start' });
      return showNews(`${count(opened.file.utterances.length, 'utterance')} of ${file.name}.`);
    }
    if (opened.kind === 'model') {
      if (!(await this.#open(opened.name, opened))) return;
    } else {
      this.#name = opened.name;
      this.store.editBot(opened.bot);
    }
    showNews(`${file.name} is open. Undo brings back what was here before.`);
  }

  #begin(): void {
    this.#name = 'my_bot';
    this.store.edit({ bot: EMPTY_BOT, file: null });
    byId('add-intent').querySelector('input')!.focus();
  }

  #saveJson(): void {
    saveFile(`${this.#name}.json`, toJson(this.store.bot), 'application/json');
    this.#saySaved(`${this.#name}.json`);
  }

  async #saveBot(): Promise<void> {
    if (!this.#engine) return showError('There is no model yet, which a bot file contains.');
    try {
      const bytes = await this.#engine.save(toJson(this.store.bot));
      saveFile(`${this.#name}.safetensors`, bytes, 'application/octet-stream');
      this.#saySaved(`${this.#name}.safetensors`);
    } catch (error) {
      showError(`The bot file could not be made: ${(error as Error).message}`);
    }
  }

  #saySaved(file: string): void {
    const left = this.store.bot.intents.filter(({ templates }) => !templates.length);
    const names = left.map(({ name }) => name).join(', ');
    showNews(`${file} was saved${names ? ` without ${names}, which has no template` : ''}.`);
  }

  // --- What the browser keeps -------------------------------------------------------------

  #keepSoon(): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#keep(), SAVING_PAUSE);
  }

  #keep(): void {
    clearTimeout(this.#saving);
    const { past, present, future } = this.store.history;
    const isKept = this.storage.write({
      base: this.base,
      name: this.#name,
      document: present,
      past: past.slice(-20),
      future: future.slice(0, 20),
      model: this.#model || this.#wanted,
      text: this.#trial.text,
    });
    byId('kept').hidden = isKept;
  }
}

/** The templates for the recogniser, without the limits, which the page applies. */
function templatesOf(bot: Bot): string {
  return JSON.stringify(toTemplateSet(withoutLimits(bot)));
}
