/* SPDX-License-Identifier: Apache-2.0 */

/* c_api MODEL OUTPUT SIDECAR COPY: tags a model by the C API, to files and to memory, and asks what a
 * program in C would ask. Exit code 1: something is not as c.h says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_hier/c.h"

#define OPTION(name, value) {name, value, strlen(value)}

static onnx_hier_call *call;

static void expect(int is_so, const char *what) {
  if (is_so) return;
  fprintf(stderr, "c_api: not so: %s; the call says: %s\n", what, onnx_hier_call_text(call, NULL));
  exit(1);
}
#define EXPECT(condition) expect((condition) != 0, #condition)

static int told(const char *words) {
  return strstr(onnx_hier_call_text(call, NULL), words) != NULL;
}

struct memory {
  char *bytes;
  size_t size;
};

static void *allocate(void *context, uint64_t size) {
  struct memory *memory = context;
  memory->bytes = malloc((size_t)size);
  memory->size = (size_t)size;
  return memory->bytes;
}

static struct memory contents_of(const char *path) {
  struct memory memory = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) exit(2);
  allocate(&memory, (uint64_t)ftell(file));
  rewind(file);
  if (fread(memory.bytes, 1, memory.size, file) != memory.size) exit(2);
  fclose(file);
  return memory;
}

static const char *read_memory(void *context, void *out, uint64_t size, uint64_t offset) {
  const struct memory *memory = context;
  memcpy(out, memory->bytes + offset, (size_t)size);
  return NULL;
}

static const char *read_nothing(void *context, void *out, uint64_t size, uint64_t offset) {
  (void)context, (void)out, (void)size, (void)offset;
  return "the server has gone";
}

static void close_source(void *context) { ((struct memory *)context)->size = 0; }

/* What the function returns that runs in the background. */
static int ended(void) {
  int code;
  do {
    code = onnx_hier_call_wait(call, 10);
  } while (code == ONNX_HIER_RUNNING);
  return code;
}

static void errors(const char *path) {
  const onnx_hier_option sideways[] = {OPTION("sideways", "1")};
  const onnx_hier_option nowhere[] = {OPTION("pattern", "bert.decoder")};
  const onnx_hier_option too_far[] = {OPTION("nodes", "5 300")};
  const onnx_hier_option often[] = {OPTION("own", "often")};
  struct memory none = {NULL, 100};
  const onnx_hier_source gone = {&none, 100, read_nothing, close_source};
  onnx_hier_model *model = NULL;
  onnx_hier_annotation *annotation = NULL;
  onnx_hier_product *product = NULL;
  EXPECT(onnx_hier_open(call, "none.onnx", &model) == ONNX_HIER_NO_FILE);
  EXPECT(told("none.onnx: cannot open"));
  EXPECT(onnx_hier_open_bytes(call, "text", 4, "<bytes>", &model) == ONNX_HIER_INVALID);
  EXPECT(told("<bytes>: is text, not an ONNX model"));
  EXPECT(onnx_hier_open_source(call, &gone, "<store>", &model) == ONNX_HIER_UNAVAILABLE);
  EXPECT(told("<store>: cannot read at byte 0: the server has gone"));
  EXPECT(none.size == 0);
  EXPECT(model == NULL);
  EXPECT(onnx_hier_open(call, path, &model) == ONNX_HIER_OK);
  EXPECT(onnx_hier_annotate(call, model, NULL, sideways, 1, &annotation) == ONNX_HIER_INVALID);
  EXPECT(told("no option 'sideways' here; known: module_map"));
  EXPECT(onnx_hier_annotate(call, model, model, NULL, 0, &annotation) == ONNX_HIER_INVALID);
  EXPECT(onnx_hier_annotate(call, model, NULL, NULL, 0, &annotation) == ONNX_HIER_OK);
  EXPECT(onnx_hier_ask(call, annotation, "why", NULL, 0) == ONNX_HIER_INVALID);
  EXPECT(told("known: facts, nodes, modules"));
  EXPECT(onnx_hier_ask(call, annotation, "select", nowhere, 1) == ONNX_HIER_NO_MODULE);
  EXPECT(told("nearest"));
  EXPECT(onnx_hier_ask(call, annotation, "select", often, 1) == ONNX_HIER_INVALID);
  EXPECT(told("own is 1 or 0, not 'often'"));
  EXPECT(onnx_hier_ask(call, annotation, "explain", too_far, 1) == ONNX_HIER_INVALID);
  EXPECT(told("nodes is numbers below 300"));
  EXPECT(onnx_hier_make(call, annotation, "strip", NULL, 0, &product) == ONNX_HIER_INVALID);
  EXPECT(told("known: tag, extract, split, fold"));
  EXPECT(onnx_hier_make(call, annotation, "extract", NULL, 0, &product) == ONNX_HIER_INVALID);
  EXPECT(told("name at least one module"));
  EXPECT(onnx_hier_make_of_model(call, model, "tag", NULL, 0, &product) == ONNX_HIER_INVALID);
  EXPECT(product == NULL);
  onnx_hier_annotation_free(annotation);
  onnx_hier_model_free(model);
}

static void questions(onnx_hier_annotation *annotation) {
  const onnx_hier_option layers[] = {OPTION("pattern", "bert.encoder.layer.*"),
                                     OPTION("op_type", "Softmax"), OPTION("op_type", "Erf2")};
  const onnx_hier_option first[] = {OPTION("nodes", "0")};
  const onnx_hier_option depth[] = {OPTION("depth", "1")};
  const onnx_hier_option column[] = {OPTION("column", "nodes")};
  size_t size = 0;
  EXPECT(onnx_hier_ask(call, annotation, "facts", NULL, 0) == ONNX_HIER_OK);
  EXPECT(told("\"dialect\":\"torchscript-scoped\""));
  EXPECT(onnx_hier_ask(call, annotation, "nodes", NULL, 0) == ONNX_HIER_OK);
  EXPECT(told("\"/bert/encoder/layer.1/attention/self\""));
  EXPECT(strlen(onnx_hier_call_text(call, &size)) == size);
  EXPECT(onnx_hier_ask(call, annotation, "find", layers, 1) == ONNX_HIER_OK);
  EXPECT(told("["));
  EXPECT(onnx_hier_ask(call, annotation, "select", layers, 3) == ONNX_HIER_OK);
  EXPECT(told("{\"nodes\":2,"));
  EXPECT(told("\"unknown_operators\":[\"Erf2\"]"));
  EXPECT(onnx_hier_ask(call, annotation, "explain", first, 1) == ONNX_HIER_OK);
  EXPECT(told("\"nodes\":["));
  EXPECT(onnx_hier_ask(call, annotation, "tree", depth, 1) == ONNX_HIER_OK);
  EXPECT(told("bert"));
  EXPECT(onnx_hier_ask(call, annotation, "measure", column, 1) == ONNX_HIER_OK);
  EXPECT(told("\"unit\":\"count\""));
  EXPECT(onnx_hier_diff(call, annotation, annotation, NULL, 0) == ONNX_HIER_OK);
  EXPECT(onnx_hier_numerics(call, annotation, annotation, NULL, 0) == ONNX_HIER_INVALID);
  EXPECT(told("a_values"));
}

/* A model that gives out what its modules read and make; like another one, it is the same. */
static void probe(onnx_hier_annotation *annotation) {
  const onnx_hier_option options[] = {OPTION("depth", "1"), OPTION("isolated", "1")};
  onnx_hier_product *product = NULL;
  EXPECT(onnx_hier_probe(call, annotation, NULL, options, 1, &product) == ONNX_HIER_OK);
  EXPECT(told("\"like\":null"));
  EXPECT(onnx_hier_product_outputs(product) == 1);
  onnx_hier_product_free(product);
  EXPECT(onnx_hier_probe(call, annotation, annotation, options, 2, &product) == ONNX_HIER_OK);
  EXPECT(told("/made"));
  onnx_hier_product_free(product);
}

/* The manifest of a split says what became of its parts. */
static void manifest_alone(onnx_hier_annotation *annotation) {
  const onnx_hier_option two[] = {OPTION("parts", "2")};
  struct memory texts[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
  onnx_hier_output outputs[3] = {{2, NULL, NULL, allocate}, {1, NULL, NULL, allocate},
                                 {0, NULL, NULL, allocate}};
  onnx_hier_product *split = NULL;
  int i;
  for (i = 0; i < 3; ++i) outputs[i].context = &texts[i];
  EXPECT(onnx_hier_make(call, annotation, "split", two, 1, &split) == ONNX_HIER_OK);
  EXPECT(onnx_hier_product_outputs(split) == 3);
  EXPECT(onnx_hier_write(call, split, outputs, 1, NULL, 0) == ONNX_HIER_INVALID);
  EXPECT(told("part 0 was not written"));
  EXPECT(onnx_hier_write(call, split, outputs, 3, NULL, 0) == ONNX_HIER_OK);
  EXPECT(texts[0].size > 0 && texts[1].size > texts[0].size);
  for (i = 0; i < 3; ++i) free(texts[i].bytes);
  onnx_hier_product_free(split);
}

int main(int argc, char **argv) {
  const onnx_hier_option fast[] = {OPTION("sync", "0")};
  onnx_hier_output outputs[] = {{0, NULL, NULL, NULL}, {1, NULL, NULL, NULL}};
  onnx_hier_output copy = {0, NULL, NULL, allocate};
  struct memory input, copied = {NULL, 0};
  onnx_hier_source source = {NULL, 0, read_memory, close_source};
  onnx_hier_model *model = NULL;
  onnx_hier_annotation *annotation = NULL;
  onnx_hier_product *product = NULL;
  FILE *file;
  if (argc != 5) return 2;
  EXPECT(onnx_hier_c_version() == ONNX_HIER_C_VERSION);
  call = onnx_hier_call_new();
  EXPECT(call != NULL);
  errors(argv[1]);

  input = contents_of(argv[1]);
  source.context = &input;
  source.size = input.size;
  EXPECT(onnx_hier_open_source(call, &source, "<memory>", &model) == ONNX_HIER_OK);
  EXPECT(onnx_hier_ask_model(call, model, "facts", NULL, 0) == ONNX_HIER_OK);
  EXPECT(told("\"nodes\":300,\"tagged\":0,"));
  EXPECT(onnx_hier_ask_model(call, model, "weights", NULL, 0) == ONNX_HIER_INVALID);
  EXPECT(told("at least one file"));
  EXPECT(onnx_hier_annotate(call, model, NULL, NULL, 0, &annotation) == ONNX_HIER_OK);
  onnx_hier_model_free(model); /* the annotation holds it */
  questions(annotation);
  EXPECT(onnx_hier_make(call, annotation, "tag", NULL, 0, &product) == ONNX_HIER_OK);
  EXPECT(onnx_hier_product_outputs(product) == 2);
  probe(annotation);
  manifest_alone(annotation);
  onnx_hier_annotation_free(annotation);
  copy.context = &copied;
  EXPECT(onnx_hier_write(call, product, &copy, 1, NULL, 0) == ONNX_HIER_OK);
  EXPECT(onnx_hier_call_progress(call) == copied.size);
  file = fopen(argv[4], "wb");
  EXPECT(file != NULL && fwrite(copied.bytes, 1, copied.size, file) == copied.size);
  fclose(file);
  copy.number = 2;
  EXPECT(onnx_hier_write(call, product, &copy, 1, NULL, 0) == ONNX_HIER_INVALID);
  EXPECT(input.size != 0);
  onnx_hier_product_free(product);
  EXPECT(input.size == 0); /* nothing reads the source any more */

  /* The same of a file, while something else goes on. */
  onnx_hier_call_in_background(call);
  EXPECT(onnx_hier_open(call, argv[1], &model) == ONNX_HIER_RUNNING);
  EXPECT(ended() == ONNX_HIER_OK);
  onnx_hier_annotate(call, model, NULL, NULL, 0, &annotation);
  EXPECT(ended() == ONNX_HIER_OK);
  onnx_hier_make(call, annotation, "tag", NULL, 0, &product);
  EXPECT(ended() == ONNX_HIER_OK);
  outputs[0].path = argv[2];
  outputs[1].path = argv[3];
  onnx_hier_call_cancel(call);
  onnx_hier_write(call, product, outputs, 2, fast, 1);
  EXPECT(ended() == ONNX_HIER_CANCELLED);
  onnx_hier_write(call, product, outputs, 2, fast, 1);
  EXPECT(ended() == ONNX_HIER_OK);
  onnx_hier_write(call, product, outputs, 2, fast, 1);
  EXPECT(ended() == ONNX_HIER_EXISTS);

  onnx_hier_product_free(product);
  onnx_hier_annotation_free(annotation);
  onnx_hier_model_free(model);
  onnx_hier_call_free(call);
  free(copied.bytes);
  free(input.bytes);
  return 0;
}
