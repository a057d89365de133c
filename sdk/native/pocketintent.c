/* The whole library in one file of source: compile this one, with include/ beside it. */

#define PINTENT_BUILD 1

/* Memory maps are POSIX, which a compiler for strict C hides. */
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE) && !defined(_GNU_SOURCE)
#define _XOPEN_SOURCE 700
#endif

#include "include/pocketintent.h"

#include "src/memory.c"
/* What is on the way of no match is compiled for size, where a compiler can tell parts apart. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif
#include "src/errors.c"
#include "src/big.c"
#include "src/decimal.c"
#include "src/json_scalars.c"
#include "src/json.c"
#include "src/json_values.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#include "src/processor.c"
#include "src/sha256.c"
#include "src/mapping.c"
#include "src/unicode.c"
#include "src/tokenizer.c"
#include "src/tensors.c"
#ifdef __clang__
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif
#include "src/model_file.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
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
#ifdef __clang__
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif
#include "src/templates.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#include "src/index.c"
#include "src/correction.c"
#include "src/decision.c"
#include "src/bot.c"
#include "src/match.c"
#include "src/output.c"
/* Edits and saves: their arithmetic is that of the kernels. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif
#include "src/names.c"
#include "src/template_edits.c"
#include "src/quantiser.c"
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
#include "src/new_file.c"
#include "src/save.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
