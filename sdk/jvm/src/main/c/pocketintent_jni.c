/* The functions that Native.kt declares. Each does one thing of the core, and crosses to Java a few
 * times: a match reads the text (2 calls) and returns a packet (2 calls).
 *
 * A bot, a scratch and a copy of a file are addresses in a jlong. That nobody uses one after its end,
 * and a scratch at two places at once, is up to Bot.kt. */

#include "pocketintent.c" /* first, since it asks the system's headers for more than C */

#include "packets.h"
#include "texts.h"

#define NATIVE(result, name) JNIEXPORT result JNICALL Java_io_pocketintent_Native_##name
#define UNUSED(argument) ((void)(argument))

static void *pointer(jlong address) {
  return (void *)(intptr_t)address;
}

static jlong address(const void *memory) {
  return (jlong)(intptr_t)memory;
}

/* ---- Errors --------------------------------------------------------------------------------- */

static jbyteArray new_bytes(JNIEnv *env, const void *data, size_t size) {
  jbyteArray bytes = size <= INT32_MAX ? (*env)->NewByteArray(env, (jsize)size) : NULL;
  if (bytes != NULL) {
    (*env)->SetByteArrayRegion(env, bytes, 0, (jsize)size, data);
  }
  return bytes;
}

/* Throws what Native.failure makes of a status and a message, which is NULL where the status says all.
 * The message goes as bytes, since ThrowNew would read it as modified UTF-8. An exception that was
 * thrown before says more, and stays. */
static void fail(JNIEnv *env, jclass native, pintent_status status, const char *message) {
  if ((*env)->ExceptionCheck(env)) {
    return;
  }
  const char *text = message != NULL && *message != '\0' ? message : pintent_status_text(status);
  jmethodID failure =
      (*env)->GetStaticMethodID(env, native, "failure", "(I[B)Ljava/lang/Throwable;");
  jbyteArray bytes = failure != NULL ? new_bytes(env, text, strlen(text)) : NULL;
  if (bytes != NULL) {
    jobject error = (*env)->CallStaticObjectMethod(env, native, failure, (jint)status, bytes);
    if (!(*env)->ExceptionCheck(env) && error != NULL) {
      (*env)->Throw(env, error);
    }
  }
}

static void fail_memory(JNIEnv *env, jclass native) {
  fail(env, native, PINTENT_ERROR_MEMORY, NULL);
}

/* The packet as an array of bytes; NULL and an exception where there is no memory. Ends the packet. */
static jbyteArray to_bytes(JNIEnv *env, jclass native, packet *packet) {
  jbyteArray bytes = NULL;
  if (packet->has_failed) {
    fail_memory(env, native);
  } else {
    bytes = new_bytes(env, packet->data, packet->size);
  }
  end_packet(packet);
  return bytes;
}

/* A bot that was made; 0 and an exception after an error. */
static jlong made(JNIEnv *env, jclass native, pintent_status status, pintent_bot *bot,
                  const pintent_message *message) {
  if (status != PINTENT_OK) {
    fail(env, native, status, message->text);
  }
  return address(bot);
}

/* ---- Opening -------------------------------------------------------------------------------- */

NATIVE(jlong, openFile)(JNIEnv *env, jclass native, jstring path, jboolean is_model) {
  utf8 text;
  pintent_bot *bot = NULL;
  pintent_message message = {""};
  pintent_status status = PINTENT_ERROR_MEMORY;
  read_utf8(env, path, &text);
  if (text.data != NULL) {
    status = is_model ? pintent_open_model(text.data, NULL, &bot, &message)
                      : pintent_open(text.data, NULL, &bot, &message);
  }
  free_utf8(&text);
  return made(env, native, status, bot, &message);
}

NATIVE(jlong, openMemory)(JNIEnv *env, jclass native, jlong memory, jlong size, jboolean is_model) {
  pintent_bot *bot = NULL;
  pintent_message message = {""};
  pintent_status status =
      is_model ? pintent_open_model_buffer(pointer(memory), (size_t)size, NULL, &bot, &message)
               : pintent_open_buffer(pointer(memory), (size_t)size, NULL, &bot, &message);
  return made(env, native, status, bot, &message);
}

/* The content of an array, in memory that does not move; ended by `release`. */
NATIVE(jlong, copy)(JNIEnv *env, jclass native, jbyteArray data) {
  jsize size = (*env)->GetArrayLength(env, data);
  jbyte *memory = malloc(size > 0 ? (size_t)size : 1);
  if (memory == NULL) {
    fail_memory(env, native);
    return 0;
  }
  (*env)->GetByteArrayRegion(env, data, 0, size, memory);
  return address(memory);
}

NATIVE(void, release)(JNIEnv *env, jclass native, jlong memory) {
  UNUSED(env), UNUSED(native);
  free(pointer(memory));
}

/* Where a direct buffer begins; 0 if the machine does not tell. */
NATIVE(jlong, addressOf)(JNIEnv *env, jclass native, jobject buffer) {
  UNUSED(native);
  return address((*env)->GetDirectBufferAddress(env, buffer));
}

NATIVE(void, close)(JNIEnv *env, jclass native, jlong bot) {
  UNUSED(env), UNUSED(native);
  pintent_close(pointer(bot));
}

NATIVE(jlong, newScratch)(JNIEnv *env, jclass native, jlong bot) {
  pintent_scratch *scratch = NULL;
  pintent_status status = pintent_scratch_new(pointer(bot), PINTENT_DEFAULT_CACHE, &scratch);
  if (status != PINTENT_OK) {
    fail(env, native, status, NULL);
  }
  return address(scratch);
}

NATIVE(void, freeScratch)(JNIEnv *env, jclass native, jlong scratch) {
  UNUSED(env), UNUSED(native);
  pintent_scratch_free(pointer(scratch));
}

/* ---- Matching ------------------------------------------------------------------------------- */

NATIVE(jbyteArray, match)(JNIEnv *env, jclass native, jlong bot, jlong scratch, jstring text) {
  utf8 asked;
  packet answer;
  pintent_match match;
  pintent_status status = PINTENT_ERROR_MEMORY;
  read_utf8(env, text, &asked);
  if (asked.data != NULL) {
    status =
        pintent_match_text(pointer(bot), pointer(scratch), asked.data, asked.size, &match);
  }
  free_utf8(&asked);
  if (status != PINTENT_OK) {
    fail(env, native, status, NULL);
    return NULL;
  }
  begin_packet(&answer);
  put_int(&answer, (int32_t)match.reason);
  put_int(&answer, match.has_runner_up);
  put_double(&answer, match.margin);
  put_candidate(&answer, &match.nearest);
  if (match.has_runner_up) {
    put_candidate(&answer, &match.runner_up);
  }
  return to_bytes(env, native, &answer);
}

NATIVE(jbyteArray, rank)
(JNIEnv *env, jclass native, jlong bot, jlong scratch, jstring text, jint limit) {
  utf8 asked;
  packet answer;
  size_t count = 0, most = pintent_num_intents(pointer(bot));
  size_t wanted = (size_t)limit < most || most == 0 ? (size_t)limit : most;
  size_t room = most == 0 ? 1 : wanted;
  pintent_candidate *candidates = malloc(room * sizeof *candidates);
  pintent_status status = PINTENT_ERROR_MEMORY;
  read_utf8(env, text, &asked);
  if (asked.data != NULL && candidates != NULL) {
    status = pintent_rank(pointer(bot), pointer(scratch), asked.data, asked.size, room, candidates,
                          &count);
  }
  free_utf8(&asked);
  if (status == PINTENT_OK) {
    begin_packet(&answer);
    put_int(&answer, (int32_t)count);
    for (size_t n = 0; n < count; n++) {
      put_candidate(&answer, &candidates[n]);
    }
  }
  free(candidates);
  if (status != PINTENT_OK) {
    fail(env, native, status, NULL);
    return NULL;
  }
  return to_bytes(env, native, &answer);
}

/* NULL if the text is read as it is. */
NATIVE(jbyteArray, read)(JNIEnv *env, jclass native, jlong bot, jlong scratch, jstring text) {
  utf8 asked;
  pintent_text read = {NULL, 0};
  pintent_status status = PINTENT_ERROR_MEMORY;
  jbyteArray bytes = NULL;
  read_utf8(env, text, &asked);
  if (asked.data != NULL) {
    status = pintent_read(pointer(bot), pointer(scratch), asked.data, asked.size, &read);
  }
  if (status != PINTENT_OK) {
    fail(env, native, status, NULL);
  } else if (read.data != asked.data) {
    bytes = new_bytes(env, read.data, read.size);
  }
  free_utf8(&asked);
  return bytes;
}

NATIVE(jfloatArray, encode)(JNIEnv *env, jclass native, jlong bot, jlong scratch, jstring text) {
  utf8 asked;
  size_t dim = pintent_dim(pointer(bot));
  jfloatArray numbers = NULL;
  float *vector = malloc(dim * sizeof *vector);
  pintent_status status = PINTENT_ERROR_MEMORY;
  read_utf8(env, text, &asked);
  if (asked.data != NULL && vector != NULL) {
    status = pintent_encode(pointer(bot), pointer(scratch), asked.data, asked.size, vector, dim);
  }
  free_utf8(&asked);
  if (status != PINTENT_OK) {
    fail(env, native, status, NULL);
  } else if ((numbers = (*env)->NewFloatArray(env, (jsize)dim)) != NULL) {
    (*env)->SetFloatArrayRegion(env, numbers, 0, (jsize)dim, vector);
  }
  free(vector);
  return numbers;
}

/* ---- Edits ---------------------------------------------------------------------------------- */

/* Reads texts one after another into a packet, each with a NUL at its end; the sizes with it. */
static bool read_texts(JNIEnv *env, jobjectArray strings, packet *texts, size_t *sizes) {
  jsize count = (*env)->GetArrayLength(env, strings);
  for (jsize n = 0; n < count && !texts->has_failed; n++) {
    utf8 text;
    jstring string = (*env)->GetObjectArrayElement(env, strings, n);
    read_utf8(env, string, &text);
    (*env)->DeleteLocalRef(env, string); /* old machines have room for 512 */
    if (text.data == NULL) {
      texts->has_failed = true;
    } else {
      put(texts, text.data, text.size + 1);
      sizes[n] = text.size;
    }
    free_utf8(&text);
  }
  return !texts->has_failed;
}

/* A name, templates and counter-examples, in one array in this order. */
static pintent_status add(JNIEnv *env, pintent_bot *bot, jobjectArray strings, size_t num_templates,
                          pintent_addition *addition, pintent_bot **edited,
                          pintent_message *message) {
  size_t count = (size_t)(*env)->GetArrayLength(env, strings), start = 0;
  size_t *sizes = malloc(count * sizeof *sizes);
  pintent_text *texts = malloc(count * sizeof *texts);
  pintent_status status = PINTENT_ERROR_MEMORY;
  packet content;
  begin_packet(&content);
  if (sizes != NULL && texts != NULL && read_texts(env, strings, &content, sizes)) {
    for (size_t n = 0; n < count; n++) {
      texts[n].data = content.data + start;
      texts[n].size = sizes[n];
      start += sizes[n] + 1;
    }
    addition->name = texts[0];
    addition->templates = texts + 1;
    addition->num_templates = num_templates;
    addition->counter_examples = texts + 1 + num_templates;
    addition->num_counter_examples = count - 1 - num_templates;
    status = pintent_add_intent(bot, addition, edited, message);
  }
  end_packet(&content);
  free(texts);
  free(sizes);
  return status;
}

NATIVE(jlong, addIntent)
(JNIEnv *env, jclass native, jlong bot, jobjectArray texts, jint num_templates, jdouble threshold,
 jboolean has_threshold) {
  pintent_addition addition = {.threshold = threshold, .has_threshold = has_threshold != 0};
  pintent_bot *edited = NULL;
  pintent_message message = {""};
  pintent_status status =
      add(env, pointer(bot), texts, (size_t)num_templates, &addition, &edited, &message);
  return made(env, native, status, edited, &message);
}

/* An edit by one text. */
typedef pintent_status edit_by_text(const pintent_bot *bot, const char *text, size_t size,
                                    pintent_bot **edited, pintent_message *message);

static jlong edit(JNIEnv *env, jclass native, jlong bot, jstring string, edit_by_text *by_text) {
  utf8 text;
  pintent_bot *edited = NULL;
  pintent_message message = {""};
  pintent_status status = PINTENT_ERROR_MEMORY;
  read_utf8(env, string, &text);
  if (text.data != NULL) {
    status = by_text(pointer(bot), text.data, text.size, &edited, &message);
  }
  free_utf8(&text);
  return made(env, native, status, edited, &message);
}

NATIVE(jlong, removeIntent)(JNIEnv *env, jclass native, jlong bot, jstring name) {
  return edit(env, native, bot, name, pintent_remove_intent);
}

NATIVE(jlong, setTemplates)(JNIEnv *env, jclass native, jlong bot, jstring json) {
  return edit(env, native, bot, json, pintent_set_templates);
}

NATIVE(void, save)(JNIEnv *env, jclass native, jlong bot, jstring path) {
  utf8 text;
  pintent_message message = {""};
  pintent_status status = PINTENT_ERROR_MEMORY;
  read_utf8(env, path, &text);
  if (text.data != NULL) {
    status = pintent_save(pointer(bot), text.data, &message);
  }
  free_utf8(&text);
  if (status != PINTENT_OK) {
    fail(env, native, status, message.text);
  }
}

/* ---- What is in a bot ----------------------------------------------------------------------- */

NATIVE(jbyteArray, bytes)(JNIEnv *env, jclass native, jlong bot) {
  size_t size = 0;
  jbyteArray bytes = NULL;
  pintent_status status = pintent_save_buffer(pointer(bot), NULL, 0, &size);
  char *data = status == PINTENT_ERROR_SIZE ? malloc(size) : NULL;
  if (status == PINTENT_ERROR_SIZE) {
    status = data != NULL ? pintent_save_buffer(pointer(bot), data, size, &size)
                          : PINTENT_ERROR_MEMORY;
  }
  if (status != PINTENT_OK) {
    fail(env, native, status, NULL);
  } else {
    bytes = new_bytes(env, data, size);
  }
  free(data);
  return bytes;
}

NATIVE(jbyteArray, templates)(JNIEnv *env, jclass native, jlong bot) {
  size_t length = 0;
  packet json;
  begin_packet(&json);
  pintent_status status =
      pintent_templates_json(pointer(bot), json.data, json.capacity, &length);
  if (status == PINTENT_ERROR_SIZE) {
    char *room = reserve(&json, length + 1);
    status = room != NULL ? pintent_templates_json(pointer(bot), room, length + 1, &length)
                          : PINTENT_ERROR_MEMORY;
  }
  if (status != PINTENT_OK) {
    end_packet(&json);
    fail(env, native, status, NULL);
    return NULL;
  }
  json.size = length;
  return to_bytes(env, native, &json);
}

NATIVE(jbyteArray, intents)(JNIEnv *env, jclass native, jlong bot) {
  packet names;
  size_t count = pintent_num_intents(pointer(bot));
  begin_packet(&names);
  put_int(&names, (int32_t)count);
  for (size_t n = 0; n < count; n++) {
    put_text(&names, pintent_intent(pointer(bot), n));
  }
  return to_bytes(env, native, &names);
}

NATIVE(jint, dim)(JNIEnv *env, jclass native, jlong bot) {
  UNUSED(env), UNUSED(native);
  return (jint)pintent_dim(pointer(bot));
}

/* Static texts of ASCII, in which modified UTF-8 is no other. */
NATIVE(jstring, kind)(JNIEnv *env, jclass native, jlong bot) {
  UNUSED(native);
  return (*env)->NewStringUTF(env, pintent_kind(pointer(bot)));
}

NATIVE(jstring, version)(JNIEnv *env, jclass native) {
  UNUSED(native);
  return (*env)->NewStringUTF(env, pintent_version());
}
