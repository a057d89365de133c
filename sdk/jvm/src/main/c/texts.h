/* Texts between Java, which has UTF-16, and the core, which has UTF-8. JNI's own UTF-8 is a modified
 * one, with other bytes for NUL and beyond U+FFFF, and is not used. */

#ifndef POCKETINTENT_JNI_TEXTS_H
#define POCKETINTENT_JNI_TEXTS_H

#include <jni.h>
#include <stdlib.h>
#include <string.h>

/* For half of a surrogate pair: one byte that UTF-8 does not have, so that the core reads one separator,
 * as Python does, and refuses a template with one. */
#define HALF_PAIR 0xFF

/* A Java text in UTF-8, with a NUL at its end; data is NULL if there was no memory, or no text. */
typedef struct utf8 {
  char *data;
  size_t size;
  char room[1024]; /* data points here if the text fits */
} utf8;

static size_t write_point(uint32_t point, char *data) {
  if (point < 0x80) {
    data[0] = (char)point;
    return 1;
  }
  if (point < 0x800) {
    data[0] = (char)(0xC0 | point >> 6);
    data[1] = (char)(0x80 | (point & 0x3F));
    return 2;
  }
  if (point < 0x10000) {
    data[0] = (char)(0xE0 | point >> 12);
    data[1] = (char)(0x80 | (point >> 6 & 0x3F));
    data[2] = (char)(0x80 | (point & 0x3F));
    return 3;
  }
  data[0] = (char)(0xF0 | point >> 18);
  data[1] = (char)(0x80 | (point >> 12 & 0x3F));
  data[2] = (char)(0x80 | (point >> 6 & 0x3F));
  data[3] = (char)(0x80 | (point & 0x3F));
  return 4;
}

/* Writes units of UTF-16 as UTF-8. `high` is the first half of a pair whose second is still to come,
 * or 0: texts arrive in parts. */
static size_t write_units(const jchar *units, size_t count, uint32_t *high, char *data) {
  size_t size = 0;
  for (size_t n = 0; n < count; n++) {
    uint32_t unit = units[n];
    if (*high != 0 && unit >> 10 == 0xDC00 >> 10) {
      size += write_point(0x10000 + ((*high & 0x3FF) << 10 | (unit & 0x3FF)), data + size);
      *high = 0;
      continue;
    }
    if (*high != 0) {
      data[size++] = (char)HALF_PAIR;
      *high = 0;
    }
    if (unit >> 10 == 0xD800 >> 10) {
      *high = unit;
    } else if (unit >> 10 == 0xDC00 >> 10) {
      data[size++] = (char)HALF_PAIR;
    } else {
      size += write_point(unit, data + size);
    }
  }
  return size;
}

/* Throws a NullPointerException, which GetStringLength would not: the process would end. */
static void refuse_null(JNIEnv *env) {
  jclass refusal = (*env)->FindClass(env, "java/lang/NullPointerException");
  if (refusal != NULL) {
    (*env)->ThrowNew(env, refusal, "a text is null");
  }
}

/* Reads a Java text; ended by free_utf8. Of null it throws an exception. */
static void read_utf8(JNIEnv *env, jstring string, utf8 *text) {
  jchar units[256];
  jsize length;
  size_t most;
  uint32_t high = 0;
  text->size = 0;
  text->data = NULL;
  if (string == NULL) {
    refuse_null(env);
    return;
  }
  length = (*env)->GetStringLength(env, string);
  most = 3 * (size_t)length + 1; /* two units make four bytes, one at most three */
  text->data = most <= sizeof text->room ? text->room : malloc(most);
  if (text->data == NULL) {
    return;
  }
  for (jsize start = 0; start < length; start += (jsize)(sizeof units / sizeof *units)) {
    jsize count = length - start;
    if (count > (jsize)(sizeof units / sizeof *units)) {
      count = (jsize)(sizeof units / sizeof *units);
    }
    (*env)->GetStringRegion(env, string, start, count, units);
    text->size += write_units(units, (size_t)count, &high, text->data + text->size);
  }
  if (high != 0) {
    text->data[text->size++] = (char)HALF_PAIR;
  }
  text->data[text->size] = '\0';
}

static void free_utf8(utf8 *text) {
  if (text->data != text->room) {
    free(text->data);
  }
}

#endif
