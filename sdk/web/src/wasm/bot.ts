/** An open bot in an instance of the core, with the memory of its calls. */

import { needString } from '../arguments.js';
import type { Candidate, Match, TemplateSet } from '../types.js';
import type { Core } from './core.js';
import { BotTexts, CANDIDATE_SIZE, MATCH_SIZE, readCandidate, readMatch } from './results.js';
import { check, OK, SIZE } from './statuses.js';
import { encodeQuery, QUERY_BYTES } from './utf8.js';

/** `PINTENT_DEFAULT_CACHE`: the words of latest texts, and the templates as they are searched. */
const CACHE = 4 << 20;
const MESSAGE_SIZE = 512;

// What every call uses: the result, a number or text that the core returns, a message, the text.
const OUT = MATCH_SIZE;
const MESSAGE = OUT + 8;
const QUERY = MESSAGE + MESSAGE_SIZE;

/** Matched once when a bot file is opened: engines compile a function well when it has run for some
 * time, so that the first text takes long, in Chromium 15 ms with the model `default`, and 5 ms after
 * another one. */
const WARM_UP = 'please tell me whether it works';

type Opening = 'pintent_open_buffer' | 'pintent_open_model_buffer';

/** The bot, its scratch, and what was read of it. */
export class OpenBot {
  private bot = 0;
  private scratch = 0;
  private texts: BotTexts;
  private readonly room: number;
  private readonly data: number;
  /** Where texts to be matched are written; empty once the memory has grown. */
  private query: Uint8Array = new Uint8Array(0);

  /**
   * Opens the bytes of a file. They stay in the memory of the core until the end, since the bots that
   * edits make read them, too.
   *
   * @param name - What messages call the file.
   */
  constructor(
    private readonly core: Core,
    opening: Opening,
    content: Uint8Array,
    name: string | null,
  ) {
    this.texts = new BotTexts(core);
    this.room = core.allocate(QUERY + QUERY_BYTES);
    this.data = core.put(content);
    const message = this.room + MESSAGE;
    const { data, room } = this;
    const status = core.call[opening](data, content.length, 0, room + OUT, message);
    try {
      check(core, status, message, name);
      this.take(core.number(room + OUT));
      if (opening === 'pintent_open_buffer') {
        this.match(WARM_UP);
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  match(text: string): Match {
    const { core, room } = this;
    const size = this.write(text);
    check(core, core.call.pintent_match_text(this.bot, this.scratch, room + QUERY, size, room));
    return readMatch(core, this.texts, room);
  }

  rank(text: string, limit: number): Candidate[] {
    const { core, room } = this;
    const most = Math.min(limit, Math.max(core.call.pintent_num_intents(this.bot), 1));
    const size = this.write(text);
    const list = core.allocate(CANDIDATE_SIZE * most);
    try {
      const place = room + QUERY;
      const { bot, scratch } = this;
      check(core, core.call.pintent_rank(bot, scratch, place, size, most, list, room + OUT));
      return Array.from({ length: core.number(room + OUT) }, (_, number) =>
        readCandidate(core, this.texts, list + CANDIDATE_SIZE * number),
      );
    } finally {
      core.call.free(list);
    }
  }

  read(text: string): string {
    const { core, room } = this;
    const place = room + QUERY;
    const size = this.write(text);
    check(core, core.call.pintent_read(this.bot, this.scratch, place, size, room + OUT));
    const data = core.number(room + OUT);
    return data === place || data === 0 ? text : core.text(data, core.number(room + OUT + 4));
  }

  encode(text: string): Float32Array {
    const { core, room } = this;
    const dim = core.call.pintent_dim(this.bot);
    const size = this.write(text);
    const list = core.allocate(4 * dim);
    try {
      const place = room + QUERY;
      check(core, core.call.pintent_encode(this.bot, this.scratch, place, size, list, dim));
      return new Float32Array(core.bytes.slice(list, list + 4 * dim).buffer);
    } finally {
      core.call.free(list);
    }
  }

  names(): string[] {
    const { core, room } = this;
    return Array.from({ length: core.call.pintent_num_intents(this.bot) }, (_, number) => {
      core.call.pintent_intent(room + OUT, this.bot, number);
      return this.texts.read(room + OUT) ?? '';
    });
  }

  templates(): TemplateSet {
    const json = this.output('pintent_templates_json', 1);
    return JSON.parse(new TextDecoder().decode(json)) as TemplateSet;
  }

  save(): Uint8Array<ArrayBuffer> {
    return this.output('pintent_save_buffer', 0);
  }

  get kind(): string {
    return this.core.cText(this.core.call.pintent_kind(this.bot));
  }

  get instructions(): string {
    return this.core.cText(this.core.call.pintent_instructions(this.bot));
  }

  /** Replaces the bot by the one that an edit makes of it; after an error it stays as it is. */
  edit(make: (core: Core, bot: number, edited: number, message: number) => number): void {
    const { core, room } = this;
    check(core, make(core, this.bot, room + OUT, room + MESSAGE), room + MESSAGE);
    const edited = core.number(room + OUT);
    const { bot, scratch } = this;
    this.take(edited);
    core.call.pintent_scratch_free(scratch);
    core.call.pintent_close(bot);
  }

  /** Frees all memory. */
  close(): void {
    const { core } = this;
    core.call.pintent_scratch_free(this.scratch);
    core.call.pintent_close(this.bot);
    core.call.free(this.data);
    core.call.free(this.room);
    core.release();
  }

  private take(bot: number): void {
    const { core, room } = this;
    const status = core.call.pintent_scratch_new(bot, CACHE, room + OUT);
    if (status !== OK) {
      core.call.pintent_close(bot);
      check(core, status);
    }
    this.bot = bot;
    this.scratch = core.number(room + OUT);
    this.texts = new BotTexts(core);
  }

  /** Writes a text to be matched to the room of the calls, and returns its size. */
  private write(text: string): number {
    needString(text, 'a text');
    if (this.query.length === 0) {
      const start = this.room + QUERY;
      this.query = this.core.bytes.subarray(start, start + QUERY_BYTES);
    }
    return encodeQuery(text, this.query);
  }

  /** The bytes of a call that tells their number first; `extra` are not part of them. */
  private output(
    call: 'pintent_templates_json' | 'pintent_save_buffer',
    extra: number,
  ): Uint8Array<ArrayBuffer> {
    const { core, room } = this;
    const status = core.call[call](this.bot, 0, 0, room + OUT);
    if (status !== SIZE) {
      check(core, status);
    }
    const capacity = core.number(room + OUT) + extra;
    const place = core.allocate(capacity);
    try {
      check(core, core.call[call](this.bot, place, capacity, room + OUT));
      return core.bytes.slice(place, place + capacity - extra);
    } finally {
      core.call.free(place);
    }
  }
}
