/* The kinds of models, by the name in the manifest. */

import { UnsupportedError } from '../errors.js';
import { check } from './checks.js';
import { ContextualEncoder } from './contextual.js';
import type { Json } from './json.js';
import type { ModelFile } from './model_file.js';
import { readTable, StaticEncoder, type Encoder } from './table.js';
import { TransformerEncoder } from './transformer.js';

const KINDS = ['static', 'contextual', 'transformer'];
/** Language tags, such as en or pt-BR, which tools compare with those of templates. */
const LANGUAGE = /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{1,8})*$/;

export function readEncoder(file: ModelFile): Encoder {
  const { manifest } = file;
  const kind = String(manifest.get('kind'));
  const languages = manifest.has('languages') ? manifest.get('languages') : [];
  const isLanguage = (tag: Json): boolean => typeof tag === 'string' && LANGUAGE.test(tag);
  check(
    Array.isArray(languages) && languages.every(isLanguage),
    "the manifest's languages must be a list of tags such as 'en'",
  );
  if (!KINDS.includes(kind)) {
    throw new UnsupportedError(
      `pocketintent/plain does not run models of the kind '${kind}', only ${KINDS.join(', ')}`,
    );
  }
  const table = readTable(file);
  check(kind === 'static' || table.ngrams?.weight !== 0, 'the n-grams have the weight 0');
  if (kind === 'contextual') return new ContextualEncoder(file, table);
  return kind === 'static' ? new StaticEncoder(table) : new TransformerEncoder(file, table);
}
