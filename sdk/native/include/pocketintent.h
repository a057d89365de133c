/* pocketintent: the intent of a text, from a bot file, in C.
 *
 *     pintent_bot *bot;
 *     pintent_scratch *scratch;
 *     pintent_match match;
 *     if (pintent_open("my_bot.safetensors", NULL, &bot, NULL) == PINTENT_OK &&
 *         pintent_scratch_new(bot, PINTENT_DEFAULT_CACHE, &scratch) == PINTENT_OK &&
 *         pintent_match_text(bot, scratch, "lamp off", 8, &match) == PINTENT_OK)
 *       printf("%.*s\n", (int)match.intent.size, match.intent.data);
 *
 * Ownership. A bot and a scratch belong to the caller, who ends them by pintent_close and
 * pintent_scratch_free, in any order: a scratch keeps its bot. Everything that a function returns a
 * pointer to belongs to the bot or the scratch, as is said there; the caller frees none of it.
 *
 * Threads. A bot is never changed after it is open, since an edit makes another one: any number of
 * threads may use one bot at the same time, each with a scratch of its own. One scratch serves one
 * call at a time. A function that takes no scratch may be called from any thread at any time, but for
 * pintent_close and pintent_scratch_free, which must be the last call for their argument.
 *
 * Memory. Only opening, pintent_scratch_new, edits and saves allocate, by the allocator that the bot
 * was opened with.
 *
 * Texts are UTF-8 with a length in bytes and may contain NUL. Each byte that is not part of a valid
 * code point (of a surrogate, too) is a separator between words, and counts as one code point. Texts
 * that are returned have no NUL at their end.
 *
 * A NULL where an argument is needed gives PINTENT_ERROR_ARGUMENT, never a crash.
 */

#ifndef POCKETINTENT_H
#define POCKETINTENT_H

#include <stddef.h>

#if defined(PINTENT_BUILD) && defined(_WIN32) && defined(PINTENT_SHARED)
#define PINTENT_API __declspec(dllexport)
#elif defined(PINTENT_BUILD) && (defined(__GNUC__) || defined(__clang__))
#define PINTENT_API __attribute__((visibility("default")))
#else
#define PINTENT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a call. The numbers stay as they are; later versions may add some. */
typedef enum pintent_status {
  PINTENT_OK = 0,
  PINTENT_ERROR_ARGUMENT = 1,    /* an argument is NULL, or a number is out of its range */
  PINTENT_ERROR_MEMORY = 2,      /* the allocator gave no memory */
  PINTENT_ERROR_FILE = 3,        /* the file is missing, cannot be read, or is not a file */
  PINTENT_ERROR_MODEL = 4,       /* not a bot file, damaged, or of a newer version */
  PINTENT_ERROR_TEMPLATES = 5,   /* its templates break the format */
  PINTENT_ERROR_UNSUPPORTED = 6, /* a valid file, or a call, that this core cannot run */
  PINTENT_ERROR_SIZE = 7         /* the caller's buffer is too small */
} pintent_status;

/* Why a match has no intent. */
typedef enum pintent_reason {
  PINTENT_REASON_NONE = 0,            /* it has one */
  PINTENT_REASON_COUNTER_EXAMPLE = 1, /* the words of a counter-example, or of a text in `none` */
  PINTENT_REASON_BELOW_THRESHOLD = 2, /* the score is below the intent's threshold */
  PINTENT_REASON_AMBIGUOUS = 3,       /* the runner-up is closer than the margin */
  PINTENT_REASON_UNKNOWN_WORDS = 4,   /* the model knows nothing in the text */
  PINTENT_REASON_NO_TEMPLATES = 5     /* the bot has no template that the model knows */
} pintent_reason;

typedef struct pintent_bot pintent_bot;         /* an open bot file */
typedef struct pintent_scratch pintent_scratch; /* the memory of one match at a time */

/* A text in UTF-8; data is NULL where there is none. */
typedef struct pintent_text {
  const char *data;
  size_t size; /* bytes */
} pintent_text;

/* An intent that a text could have. */
typedef struct pintent_candidate {
  pintent_text intent;        /* its name; belongs to the bot */
  pintent_text template_text; /* its template that is nearest to the text; belongs to the bot */
  double score;               /* 0..1, or -1..1 for the decisions `nearest` and `nearest+centroid` */
} pintent_candidate;

/* The answer for one text. */
typedef struct pintent_match {
  pintent_text intent;         /* the intent; data is NULL if the match is refused */
  pintent_candidate nearest;   /* the intent with the highest score, even if it is refused; data of
                                  its texts is NULL and the score 0 if there is none */
  pintent_candidate runner_up; /* the next intent; data of its texts is NULL if there is none */
  double margin;               /* score less that of the runner-up; 0 without a runner-up */
  pintent_reason reason;       /* why there is no intent */
  int has_runner_up;           /* 1 if there is a runner-up, and so a margin; otherwise 0 */
} pintent_match;

/* Where the memory comes from. The functions may be called from the threads that call this library,
 * and must align to 16 bytes. `release` gets the size that `allocate` was asked for. */
typedef struct pintent_allocator {
  void *(*allocate)(void *context, size_t size);             /* NULL if there is no memory */
  void (*release)(void *context, void *memory, size_t size); /* memory is never NULL */
  void *context;                                             /* handed to both */
} pintent_allocator;

/* A sentence on what is wrong, with a NUL at its end. The caller's own. */
typedef struct pintent_message {
  char text[512];
} pintent_message;

/* Bytes of a scratch's cache of words that suit a phone. */
#define PINTENT_DEFAULT_CACHE ((size_t)4 << 20)

/* ---- Opening ------------------------------------------------------------------------------- */

/* Opens a bot file, made by `pocketintent build`, by memory map where the system has one. The file
 * may be replaced by another while it is open, but must not be shortened. A library that was compiled
 * with PINTENT_NO_FILES refuses paths, here and in pintent_save, with PINTENT_ERROR_UNSUPPORTED.
 *
 * path       UTF-8, with a NUL at its end.
 * allocator  copied; NULL for malloc and free.
 * bot        gets the open bot, which the caller ends by pintent_close; NULL after an error.
 * message    gets what is wrong with the file; empty after PINTENT_OK. May be NULL. */
PINTENT_API pintent_status pintent_open(const char *path, const pintent_allocator *allocator,
                                        pintent_bot **bot, pintent_message *message);

/* The same of the content of a bot file in memory, which is not copied: it belongs to the caller and
 * must stay as it is until the bot is closed. Tensors that are not aligned in it are copied. */
PINTENT_API pintent_status pintent_open_buffer(const void *data, size_t size,
                                               const pintent_allocator *allocator,
                                               pintent_bot **bot, pintent_message *message);

/* Opens a model file, made by `pocketintent train` or shipped, as a bot without intents, with the
 * decision, search and correction that `pocketintent build` chooses; of a bot file, its model alone.
 * Its matches have the reason PINTENT_REASON_NO_TEMPLATES until it is edited. Otherwise as
 * pintent_open. */
PINTENT_API pintent_status pintent_open_model(const char *path, const pintent_allocator *allocator,
                                              pintent_bot **bot, pintent_message *message);

/* The same of the content of a file in memory, as pintent_open_buffer. */
PINTENT_API pintent_status pintent_open_model_buffer(const void *data, size_t size,
                                                     const pintent_allocator *allocator,
                                                     pintent_bot **bot, pintent_message *message);

/* Ends a bot, and all texts that belong to it, once its last scratch is freed: until then matches with
 * such a scratch go on. NULL is allowed. */
PINTENT_API void pintent_close(pintent_bot *bot);

/* Makes the memory that matches of this bot need, for one thread at a time.
 *
 * cache_bytes  at most how much to keep of what words contribute to a text of the kind contextual,
 *              and at most how much the templates may take in the form that is searched fast, a
 *              byte for each number; 0 keeps nothing. The answers do not depend on it, but for the
 *              last digits of scores.
 * scratch      gets the scratch, which the caller ends by pintent_scratch_free. It must be used with
 *              this bot alone. */
PINTENT_API pintent_status pintent_scratch_new(const pintent_bot *bot, size_t cache_bytes,
                                               pintent_scratch **scratch);

/* Ends a scratch, before or after its bot is closed. NULL is allowed. */
PINTENT_API void pintent_scratch_free(pintent_scratch *scratch);

/* ---- Matching ------------------------------------------------------------------------------ */

/* Recognises the intent of a text.
 *
 * text   `size` bytes of UTF-8, the caller's; NULL only if size is 0.
 * match  filled in; its texts belong to the bot. Unchanged after an error. */
PINTENT_API pintent_status pintent_match_text(const pintent_bot *bot, pintent_scratch *scratch,
                                              const char *text, size_t size, pintent_match *match);

/* Ranks the intents of a text by score, without regard to thresholds.
 *
 * limit       at least 1: the room in `candidates`, and the most that are wanted.
 * candidates  filled in from the best on; the texts belong to the bot.
 * count       gets how many there are: 0 if the model knows nothing in the text. */
PINTENT_API pintent_status pintent_rank(const pintent_bot *bot, pintent_scratch *scratch,
                                        const char *text, size_t size, size_t limit,
                                        pintent_candidate *candidates, size_t *count);

/* Recognises the intent of a text, and writes the match as one JSON object in UTF-8: the keys
 * intent, score, template, nearest, runner_up, margin and reason, as `pocketintent match` prints.
 *
 * json      gets `*length` bytes and a NUL, if `capacity` is larger than the length; otherwise
 *           nothing, and the status is PINTENT_ERROR_SIZE. May be NULL if capacity is 0.
 * length    gets the length of the object in bytes, without the NUL, in both cases. */
PINTENT_API pintent_status pintent_match_json(const pintent_bot *bot, pintent_scratch *scratch,
                                              const char *text, size_t size, char *json,
                                              size_t capacity, size_t *length);

/* The same of the ranking: an array of objects with the keys intent, score and template.
 *
 * limit  at least 1; of a larger number than there are intents, all are written. */
PINTENT_API pintent_status pintent_rank_json(const pintent_bot *bot, pintent_scratch *scratch,
                                             const char *text, size_t size, size_t limit, char *json,
                                             size_t capacity, size_t *length);

/* The text as it is matched: itself, or its tokens with their typing errors corrected.
 *
 * read  the caller's own text if nothing is corrected; otherwise a text that belongs to the scratch
 *       and lasts until the next call with it. */
PINTENT_API pintent_status pintent_read(const pintent_bot *bot, pintent_scratch *scratch,
                                        const char *text, size_t size, pintent_text *read);

/* The sentence vector of a text, not corrected: unit length, or zeros if the model knows nothing in it.
 *
 * vector  gets pintent_dim(bot) numbers.
 * dim     room in `vector`; PINTENT_ERROR_SIZE if it is smaller than pintent_dim(bot). */
PINTENT_API pintent_status pintent_encode(const pintent_bot *bot, pintent_scratch *scratch,
                                          const char *text, size_t size, float *vector, size_t dim);

/* ---- Edits --------------------------------------------------------------------------------- */

/* A library that was compiled with PINTENT_NO_EDITS refuses all of these with the status
 * PINTENT_ERROR_UNSUPPORTED, and is a fifth to a quarter smaller. */

/* What an intent gets. Fields that are zero add nothing. */
typedef struct pintent_addition {
  pintent_text name;             /* the intent, of the bot or a new one */
  const pintent_text *templates; /* texts that express it; at least one for a new intent */
  size_t num_templates;
  const pintent_text *counter_examples; /* texts that resemble the intent and do not express it */
  size_t num_counter_examples;
  double threshold;  /* from which score on it is accepted, -1..1 */
  int has_threshold; /* 1 to set the threshold; 0 keeps that of the intent, or of the set */
} pintent_addition;

/* How a bot is replaced while other threads match with it:
 *
 *     pintent_add_intent(current, &addition, &next, NULL)
 *     under a lock: old = current, current = next
 *     pintent_close(old)
 *
 * and a thread that finds another `current`, under the lock, takes a scratch of it and frees its own. */

/* Adds an intent, or gives an intent more templates, counter-examples or a threshold, as Python's
 * `add_intent` does. An edit makes another bot, which is fitted from the old weights and shares
 * the model with the old one: the old bot stays as it is, and open. Any thread may edit while others
 * match with the same bot; that they use the next one from then on is up to the caller.
 *
 * addition  all its texts are copied.
 * edited    gets the new bot, which the caller ends by pintent_close, in any order with the old one;
 *           NULL after an error. Its memory comes from the allocator of the old one.
 * message   gets what is wrong; empty after PINTENT_OK. May be NULL.
 *
 * PINTENT_ERROR_TEMPLATES if a name, text or threshold breaks the format. */
PINTENT_API pintent_status pintent_add_intent(const pintent_bot *bot,
                                              const pintent_addition *addition,
                                              pintent_bot **edited, pintent_message *message);

/* Removes an intent of this name with its texts, in the same way; PINTENT_ERROR_TEMPLATES if there is
 * none. */
PINTENT_API pintent_status pintent_remove_intent(const pintent_bot *bot, const char *name,
                                                 size_t size, pintent_bot **edited,
                                                 pintent_message *message);

/* Gives the bot another template set, in the same way: the model, the decision, the search and the
 * correction stay. It is fitted as `pocketintent build` fits, whatever the old bot was, so that a
 * set always gives the same bot. The vectors of texts that the old bot has are not computed again;
 * the new one keeps those of all its texts for the next edit, 4 bytes for each dimension.
 *
 * json  `size` bytes of UTF-8, the caller's, in any form of docs/templates.md.
 *
 * PINTENT_ERROR_TEMPLATES if it cannot be read, or breaks the format; the message names the line and
 * the column, or the intent and the position of the text. */
PINTENT_API pintent_status pintent_set_templates(const pintent_bot *bot, const char *json,
                                                 size_t size, pintent_bot **edited,
                                                 pintent_message *message);

/* The template set as JSON in the long form, which pintent_save writes, too.
 *
 * json    gets `*length` bytes and a NUL, as in pintent_match_json. */
PINTENT_API pintent_status pintent_templates_json(const pintent_bot *bot, char *json,
                                                  size_t capacity, size_t *length);

/* Saves a bot as a bot file, which Python and this library open. The file appears whole: an old one
 * stays as it is until then, and after an error. It may be the file that the bot was opened from, but
 * on Windows, where a file that is open is not replaced. A save that is killed leaves a file
 * `.NAME.NUMBER.tmp` beside it.
 *
 * path     UTF-8, with a NUL at its end; a symbolic link is followed.
 * message  gets what is wrong; empty after PINTENT_OK. May be NULL. */
PINTENT_API pintent_status pintent_save(const pintent_bot *bot, const char *path,
                                        pintent_message *message);

/* The same to a buffer of the caller.
 *
 * data  gets the bytes of the file, if they fit `capacity`; otherwise nothing, and the status is
 *       PINTENT_ERROR_SIZE. May be NULL if capacity is 0.
 * size  gets the number of bytes in both cases. */
PINTENT_API pintent_status pintent_save_buffer(const pintent_bot *bot, void *data, size_t capacity,
                                               size_t *size);

/* ---- What is in a bot ---------------------------------------------------------------------- */

/* Number of intents, in the order of the template set; 0 for NULL. */
PINTENT_API size_t pintent_num_intents(const pintent_bot *bot);

/* Name of an intent by its position from 0; belongs to the bot. data is NULL beyond the last. */
PINTENT_API pintent_text pintent_intent(const pintent_bot *bot, size_t position);

/* Score from which on an intent is accepted: its own, or that of the set. 0 beyond the last. */
PINTENT_API double pintent_threshold(const pintent_bot *bot, size_t position);

/* Number of templates, those in which the model knows no word too; 0 for NULL. */
PINTENT_API size_t pintent_num_templates(const pintent_bot *bot);

/* Dimensions of a sentence vector; 0 for NULL. */
PINTENT_API size_t pintent_dim(const pintent_bot *bot);

/* The model's kind, such as "transformer", and the decision, such as "logistic"; static texts with a
 * NUL at their end, "" for NULL. */
PINTENT_API const char *pintent_kind(const pintent_bot *bot);
PINTENT_API const char *pintent_decision(const pintent_bot *bot);

/* The instructions that a bot is computed with: "plain", or the name of a SIMD set; static. */
PINTENT_API const char *pintent_instructions(const pintent_bot *bot);

/* ---- The library --------------------------------------------------------------------------- */

/* Version of the library, such as "0.1.0", and of the Unicode tables in it; static texts. */
PINTENT_API const char *pintent_version(void);
PINTENT_API const char *pintent_unicode_version(void);

/* A word on a status or a reason, such as "damaged file" or "below_threshold"; static texts. The
 * reason PINTENT_REASON_NONE gives "". */
PINTENT_API const char *pintent_status_text(pintent_status status);
PINTENT_API const char *pintent_reason_text(pintent_reason reason);

#ifdef __cplusplus
}
#endif

#endif
