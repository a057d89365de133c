/* JSON: values as a tree, read as Python's readers do, and written in the canonical form. */

#ifndef PINTENT_JSON_H
#define PINTENT_JSON_H

#include "base.h"

typedef enum pi_json_type {
  PI_JSON_NULL,
  PI_JSON_FALSE,
  PI_JSON_TRUE,
  PI_JSON_INTEGER,
  PI_JSON_FLOAT,
  PI_JSON_STRING,
  PI_JSON_ARRAY,
  PI_JSON_OBJECT
} pi_json_type;

/* One value. Texts are parts of the source where they have no escapes, otherwise of the arena. */
typedef struct pi_json pi_json;
struct pi_json {
  pi_json_type type;
  bool is_negative;      /* of an integer */
  bool is_large;         /* of an integer: it needs more than 64 bits */
  bool has_surrogate;    /* of a string or a key: it has half of a pair, in three bytes */
  pintent_text key;      /* in an object */
  pi_json *next;         /* the value after it in an array or object */
  union {
    uint64_t integer;    /* the magnitude */
    double number;
    pintent_text string;
    struct {
      size_t count;
      pi_json *first, *last;
      union {
        pi_json *outer;   /* while it is read: the array or object around it */
        pi_json **sorted; /* the values of an object, by their keys */
      };
    } members;
  } of;
};

/* Bytes at the beginning of a text that stand for themselves in a JSON string. */
static size_t pi_json_plain(const char *text, size_t size);

/* How much a reader allows. */
typedef struct pi_json_rules {
  int max_depth;       /* levels of brackets */
  bool keeps_last;     /* of two equal keys the last one counts; otherwise they are an error */
  bool is_strict;      /* no half of a surrogate pair, and no number beyond a double */
  bool is_given;       /* by a person who writes templates: errors name line and column */
} pi_json_rules;

/* Reads a value; an error says what is wrong, with the place in bytes. */
static pi_json *pi_json_read(pi_arena *arena, const char *text, size_t size, pi_json_rules rules,
                             pi_error *error);

/* The value of a key of an object; NULL if there is none, or `object` is NULL or no object. */
static const pi_json *pi_json_get(const pi_json *object, const char *key);

/* A sink of bytes, such as a hash. */
typedef void (*pi_sink_bytes)(void *context, const char *data, size_t size);

/* Writes a string with its quotes. */
static void pi_json_write_string(pintent_text text, pi_sink_bytes sink, void *context);

/* Writes a value in the canonical form: keys sorted, no white space. `without` is a key of the object
 * itself that is left out, or NULL. False for what the form cannot express. */
static bool pi_json_write(const pi_json *value, const char *without, pi_sink_bytes sink,
                          void *context);

static inline bool pi_json_is_object(const pi_json *value) {
  return value != NULL && value->type == PI_JSON_OBJECT;
}

static inline bool pi_json_is_string(const pi_json *value, const char *text) {
  return value != NULL && value->type == PI_JSON_STRING && pi_is(value->of.string, text);
}

/* The value of an integer from `least` to `most`; false for anything else. */
static bool pi_json_count(const pi_json *value, uint64_t least, uint64_t most, size_t *count);

/* The value of a number that is not a boolean; false for anything else. */
static bool pi_json_number(const pi_json *value, double *number);

#endif
