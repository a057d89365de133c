/* Text with numbers in it: printf and its long doubles are a tenth of a module of wasm. The
 * conversions are those that the core has, and mean what they mean to snprintf, but that a width is
 * one of zeros and %g writes the shortest form that is the number. */

#include "base.h"

typedef struct {
  char *data;
  size_t capacity;
  size_t size; /* of the whole text, even where only its beginning has room */
} pi_formatted;

static void pi_format_bytes(pi_formatted *out, const char *data, size_t size) {
  for (size_t n = 0; n < size; n++, out->size++) {
    if (out->size + 1 < out->capacity) {
      out->data[out->size] = data[n];
    }
  }
}

static void pi_format_integer(pi_formatted *out, unsigned long long number, unsigned base,
                              size_t width) {
  char digits[24];
  size_t start = sizeof digits;
  do {
    digits[--start] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number > 0);
  while (start > 0 && sizeof digits - start < width) {
    digits[--start] = '0';
  }
  pi_format_bytes(out, digits + start, sizeof digits - start);
}

static size_t pi_write_double(double value, char *text);

/* The shortest form that is the number; without a fraction if that is zero. */
static void pi_format_double(pi_formatted *out, double number) {
  char text[40];
  size_t size = pi_write_double(number, text);
  pi_format_bytes(out, text, size > 2 && memcmp(text + size - 2, ".0", 2) == 0 ? size - 2 : size);
}

/* Digits of a width or a precision; "*" takes an argument. */
static size_t pi_format_size(const char **format, va_list *arguments) {
  size_t size = 0;
  if (**format == '*') {
    int given = va_arg(*arguments, int);
    (*format)++;
    return given > 0 ? (size_t)given : 0;
  }
  for (; **format >= '0' && **format <= '9'; (*format)++) {
    size = size * 10 + (size_t)(**format - '0');
  }
  return size;
}

/* The argument of one conversion, which starts after its "%". */
static const char *pi_format_one(pi_formatted *out, const char *format, va_list *arguments) {
  size_t width = pi_format_size(&format, arguments); /* only with zeros before a number */
  size_t most = SIZE_MAX;
  if (*format == '.') {
    format++;
    most = pi_format_size(&format, arguments);
  }
  bool is_size = *format == 'z';
  bool is_long = format[0] == 'l' && format[1] == 'l';
  format += is_size ? 1 : is_long ? 2 : 0;
  char letter;
  int number;
  switch (*format) {
    case 's': {
      const char *text = va_arg(*arguments, const char *);
      size_t size = 0;
      while (size < most && text[size] != '\0') {
        size++;
      }
      pi_format_bytes(out, text, size);
      break;
    }
    case 'c':
      letter = (char)va_arg(*arguments, int);
      pi_format_bytes(out, &letter, 1);
      break;
    case 'd':
      number = va_arg(*arguments, int);
      pi_format_bytes(out, "-", number < 0);
      pi_format_integer(out, number < 0 ? 0ULL - (unsigned long long)number : (unsigned)number, 10,
                        width);
      break;
    case 'g':
      pi_format_double(out, va_arg(*arguments, double));
      break;
    case '%':
      pi_format_bytes(out, "%", 1);
      break;
    default: /* u and x */
      pi_format_integer(out,
                        is_size   ? va_arg(*arguments, size_t)
                        : is_long ? va_arg(*arguments, unsigned long long)
                                  : va_arg(*arguments, unsigned),
                        *format == 'x' ? 16 : 10, width);
  }
  return format + 1;
}

static size_t pi_format_list(char *text, size_t capacity, const char *format, va_list *arguments) {
  pi_formatted out = {text, capacity, 0};
  while (*format != '\0') {
    if (*format == '%') {
      format = pi_format_one(&out, format + 1, arguments);
    } else {
      pi_format_bytes(&out, format++, 1);
    }
  }
  if (capacity > 0) {
    text[out.size < capacity ? out.size : capacity - 1] = '\0';
  }
  return out.size;
}

static size_t pi_format(char *text, size_t capacity, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t size = pi_format_list(text, capacity, format, &arguments);
  va_end(arguments);
  return size;
}
