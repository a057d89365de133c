/* The whole library in one file of source: compile this one, with include/ beside it. */

#define PINTENT_BUILD 1

/* Memory maps are POSIX, which a compiler for strict C hides. */
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE) && !defined(_GNU_SOURCE)
#define _XOPEN_SOURCE 700
#endif

#include "include/pocketintent.h"

/* What no match runs is compiled for size, where a compiler can tell parts of a file apart. */
#ifdef __clang__
#define PI_FOR_SIZE \
  _Pragma("clang attribute push(__attribute__((minsize)), apply_to = function)")
#define PI_FOR_SPEED _Pragma("clang attribute pop")
#else
#define PI_FOR_SIZE
#define PI_FOR_SPEED
#endif

/* Where the compiler is told to care for size, for a page or for Windows, all but the kernels is. */
#ifdef __OPTIMIZE_SIZE__
#define PI_FOR_BOTH PI_FOR_SIZE
#define PI_END_BOTH PI_FOR_SPEED
#else
#define PI_FOR_BOTH
#define PI_END_BOTH
#endif

#include "src/memory.c"
PI_FOR_SIZE
#include "src/format.c"
#include "src/errors.c"
#include "src/big.c"
#include "src/decimal.c"
#include "src/json_scalars.c"
#include "src/json.c"
#include "src/json_values.c"
#include "src/processor.c"
#ifdef PINTENT_NO_FILES
#include "src/no_files.c"
#else
#include "src/mapping.c"
#endif
PI_FOR_SPEED
#include "src/sha256.c"
PI_FOR_BOTH
#include "src/unicode.c"
#include "src/normal_form.c"
#include "src/tokenizer.c"
PI_END_BOTH
PI_FOR_SIZE
#include "src/tensors.c"
#include "src/model_file.c"
PI_FOR_SPEED
#include "src/kernels.c"
#include "src/kernels_scan.c"
PI_FOR_SIZE
#include "src/matrix_file.c"
PI_FOR_SPEED
#include "src/matrix.c"
PI_FOR_BOTH
#include "src/vocabulary.c"
#include "src/word_pieces.c"
#include "src/ngrams.c"
#include "src/table.c"
#include "src/word_cache.c"
#include "src/contextual.c"
#include "src/transformer.c"
PI_END_BOTH
PI_FOR_SIZE
#include "src/context_network.c"
#include "src/transformer_file.c"
#ifdef PINTENT_NO_CHARACTERS
#include "src/no_characters.c"
#else
/* Networks over characters: their time is that of the kernels. */
#include "src/characters.c"
#include "src/charemb_network.c"
#include "src/recurrent.c"
#include "src/char_transformer.c"
#include "src/combined.c"
#include "src/charemb.c"
#endif
#include "src/encoder.c"
#include "src/template_forms.c"
#include "src/templates.c"
PI_FOR_SPEED
PI_FOR_BOTH
#include "src/index.c"
#include "src/scan.c"
PI_END_BOTH
PI_FOR_SIZE
#include "src/own_words.c"
PI_FOR_SPEED
PI_FOR_BOTH
#include "src/correction.c"
#include "src/decision.c"
PI_END_BOTH
PI_FOR_SIZE
#include "src/bot.c"
#include "src/match.c" /* whose time is that of what it calls */
#include "src/output.c"
PI_FOR_SPEED
#ifdef PINTENT_NO_EDITS
#include "src/no_edits.c"
#else
/* Edits and saves: their arithmetic is that of the kernels. */
PI_FOR_SIZE
#include "src/names.c"
#include "src/template_edits.c"
#include "src/kept_vectors.c"
#include "src/quantiser.c"
#include "src/new_set.c"
#include "src/lbg.c"
#include "src/sampling.c"
#include "src/text_lists.c"
#include "src/codebook.c"
#include "src/index_edits.c"
#include "src/examples.c"
#include "src/example_rows.c"
#include "src/solver.c"
#include "src/leave_out.c"
#include "src/calibration.c"
#include "src/fitting.c"
#include "src/edit.c"
#include "src/set_writer.c"
#include "src/saving.c"
#ifndef PINTENT_NO_FILES
#include "src/new_file.c"
#endif
#include "src/save.c"
PI_FOR_SPEED
#endif
