// What a kernel prints and checks: it is recorded, and whoever launched the kernel reads the records when it is over.
#ifndef MYTRITON_MESSAGES_H
#define MYTRITON_MESSAGES_H

#define MYTRITON_RECORD_VALUES 16

// Python reads this structure. `file` is NULL for what is printed; `text` is a format or a message.
struct mytriton_record {
  const char *description, *text, *file;
  unsigned line, count;
  struct mytriton_index program;
  unsigned thread;
  unsigned long long values[MYTRITON_RECORD_VALUES];
};

static inline unsigned long long mytriton_recorded(int value) { return (unsigned long long)(long long)value; }
static inline unsigned long long mytriton_recorded(unsigned value) { return value; }
static inline unsigned long long mytriton_recorded(bool value) { return value; }
static inline unsigned long long mytriton_recorded(long long value) { return (unsigned long long)value; }
static inline unsigned long long mytriton_recorded(unsigned long long value) { return value; }
static inline unsigned long long mytriton_recorded(const void *value) { return (unsigned long long)value; }
static inline unsigned long long mytriton_recorded(double value) {
  return mytriton_bit_cast<unsigned long long>(value);
}
static inline unsigned long long mytriton_recorded(float value) { return mytriton_recorded((double)value); }

template <class... Values>
static inline void mytriton_record_values(mytriton_thread *self, const char *description, const char *text,
                                          const char *file, unsigned line, Values... values) {
  static_assert(sizeof...(values) <= MYTRITON_RECORD_VALUES, "a tensor with too many dimensions");
  const mytriton_record record = {description,        text,        file, line, (unsigned)sizeof...(values),
                                  self->block->index, self->index, {mytriton_recorded(values)...}};
  mytriton_runtime->record(self, &record, sizeof record);
}
template <class... Values>
static inline void mytriton_print(mytriton_thread *self, const char *description, const char *format,
                                  Values... values) {
  mytriton_record_values(self, description, format, nullptr, 0, values...);
}
template <class... Values>
static inline void mytriton_fail(mytriton_thread *self, const char *message, const char *file, unsigned line,
                                 const char *description, Values... values) {
  mytriton_record_values(self, description, message, file, line, values...);
  mytriton_runtime->stop(self);
}

#define print_element(...) mytriton_print(mytriton_self, __VA_ARGS__)
#define assert_failed(...) mytriton_fail(mytriton_self, __VA_ARGS__)

#endif
