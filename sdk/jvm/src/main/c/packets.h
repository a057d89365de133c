/* Packets: answers as bytes, which cross to Kotlin in one call, and which Packet.kt reads. Numbers are
 * in the byte order of the machine. */

#ifndef POCKETINTENT_JNI_PACKETS_H
#define POCKETINTENT_JNI_PACKETS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pocketintent.h"

typedef struct packet {
  char *data;
  size_t size, capacity;
  bool has_failed; /* there was no memory */
  char room[1024]; /* data points here until the packet is larger */
} packet;

static void begin_packet(packet *packet) {
  packet->data = packet->room;
  packet->size = 0;
  packet->capacity = sizeof packet->room;
  packet->has_failed = false;
}

static void end_packet(packet *packet) {
  if (packet->data != packet->room) {
    free(packet->data);
  }
}

/* Room for so many more bytes; NULL if there is no memory. */
static char *reserve(packet *packet, size_t added) {
  if (packet->capacity - packet->size < added) {
    size_t capacity = 2 * packet->capacity + added;
    char *data = malloc(capacity);
    if (data == NULL) {
      packet->has_failed = true;
      return NULL;
    }
    memcpy(data, packet->data, packet->size);
    end_packet(packet);
    packet->data = data;
    packet->capacity = capacity;
  }
  return packet->data + packet->size;
}

static void put(packet *packet, const void *data, size_t size) {
  char *place = reserve(packet, size);
  if (place != NULL && size > 0) {
    memcpy(place, data, size);
    packet->size += size;
  }
}

static void put_int(packet *packet, int32_t number) {
  put(packet, &number, sizeof number);
}

static void put_double(packet *packet, double number) {
  put(packet, &number, sizeof number);
}

/* A text with its length before it, -1 if there is none. */
static void put_text(packet *packet, pintent_text text) {
  put_int(packet, text.data == NULL ? -1 : (int32_t)text.size);
  put(packet, text.data, text.data == NULL ? 0 : text.size);
}

static void put_candidate(packet *packet, const pintent_candidate *candidate) {
  put_double(packet, candidate->score);
  put_text(packet, candidate->intent);
  put_text(packet, candidate->template_text);
}

#endif
