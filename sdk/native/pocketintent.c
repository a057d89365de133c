/* The whole library in one file of source: compile this one, with include/ beside it. */

#define PINTENT_BUILD 1

/* Memory maps are POSIX, which a compiler for strict C hides. */
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "include/pocketintent.h"

#include "src/memory.c"
#include "src/errors.c"
#include "src/big.c"
#include "src/decimal.c"
#include "src/json_scalars.c"
#include "src/json.c"
#include "src/json_values.c"
#include "src/processor.c"
#include "src/sha256.c"
#include "src/mapping.c"
#include "src/unicode.c"
#include "src/tokenizer.c"
#include "src/tensors.c"
#include "src/model_file.c"
#include "src/kernels.c"
#include "src/matrix_file.c"
#include "src/matrix.c"
#include "src/vocabulary.c"
#include "src/word_pieces.c"
#include "src/ngrams.c"
#include "src/table.c"
#include "src/context_network.c"
#include "src/contextual.c"
#include "src/transformer.c"
#include "src/encoder.c"
#include "src/templates.c"
#include "src/index.c"
#include "src/correction.c"
#include "src/decision.c"
#include "src/bot.c"
#include "src/match.c"
#include "src/output.c"
