/* The kinds of models, by the name in the manifest. */

import { ModelFileError, UnsupportedError } from '../errors.js';
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
  const languages = manifest.get('languages') ?? [];
  const isLanguage = (tag: Json): boolean => typeof tag === 'string' && LANGUAGE.test(tag);
  if (
    manifest.get('languages') === null ||
    !Array.isArray(languages) ||
    !languages.every(isLanguage)
  ) {
    throw new ModelFileError("the manifest's languages must be a list of tags such as 'en'");
  }
  if (!KINDS.includes(kind)) {
    throw new UnsupportedError(
      `pocketintent/plain does not run models of the kind '${kind}', only ${KINDS.join(', ')}; ` +
        'the package `pocketintent` itself also runs charemb and combined',
    );
  }
  const table = readTable(file);
  if (kind !== 'static' && table.ngrams?.weight === 0) {
    throw new ModelFileError('the n-grams have the weight 0; use a table without n-grams');
  }
  if (kind === 'contextual') return new ContextualEncoder(file, table);
  return kind === 'static' ? new StaticEncoder(table) : new TransformerEncoder(file, table);
}
