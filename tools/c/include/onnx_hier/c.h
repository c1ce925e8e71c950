/* SPDX-License-Identifier: Apache-2.0 */

/* The C API of onnx-hier: which module of the network does each node of an ONNX model belong to?
 *
 *   onnx_hier_call *call = onnx_hier_call_new();
 *   onnx_hier_model *model = NULL;
 *   onnx_hier_annotation *annotation = NULL;
 *   if (onnx_hier_open(call, "bert.onnx", &model) == ONNX_HIER_OK &&
 *       onnx_hier_annotate(call, model, NULL, NULL, 0, &annotation) == ONNX_HIER_OK &&
 *       onnx_hier_ask(call, annotation, "nodes", NULL, 0) == ONNX_HIER_OK) {
 *     puts(onnx_hier_call_text(call, NULL));        // JSON: the answer
 *   } else {
 *     fprintf(stderr, "%s\n", onnx_hier_call_text(call, NULL));   // the error
 *   }
 *   onnx_hier_annotation_free(annotation);
 *   onnx_hier_model_free(model);
 *   onnx_hier_call_free(call);
 *
 * Unlike the C++ library, this interface is stable: a program that was compiled with this header
 * works with every later library of the same ONNX_HIER_C_VERSION. Later ones may know more
 * questions and options, and may put more into an answer.
 *
 * Texts are UTF-8. In answers, which are JSON, a byte of a name that is not UTF-8 is half of a pair
 * of surrogates, \udc80 to \udcff, as Python's "surrogateescape" has it; sidecars and reports have
 * U+FFFD for it. Paths and texts that go in are bytes, as the system and the model have them.
 *
 * Threads: any number may use the library, also the same model or annotation, which then wait for
 * each other. A call is of one thread and one function at a time, but for onnx_hier_call_cancel()
 * and onnx_hier_call_progress(). Nothing is kept between calls but in these objects, and they may
 * be freed in any order: each holds what it needs of the others. Freeing NULL does nothing.
 */
/* NOLINTBEGIN(modernize-use-using): it is C. */
#ifndef ONNX_HIER_C_H_
#define ONNX_HIER_C_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ONNX_HIER_API __attribute__((visibility("default")))
#else
#define ONNX_HIER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ONNX_HIER_C_VERSION 1

/* What functions return. */
enum {
  ONNX_HIER_OK = 0,
  ONNX_HIER_INVALID = 1,   /* what was given: no model, damaged, an option that is not known, ... */
  ONNX_HIER_NO_FILE = 2,   /* a file that is to be read is not there */
  ONNX_HIER_EXISTS = 3,    /* a file that is to be written is there already */
  ONNX_HIER_DENIED = 4,    /* the system refuses access */
  ONNX_HIER_NO_MODULE = 5, /* a pattern means no module; the text names the nearest ones */
  ONNX_HIER_CANCELLED = 6, /* by onnx_hier_call_cancel() */
  ONNX_HIER_UNAVAILABLE = 7, /* the system: no memory, no room, an error of reading ... */
  ONNX_HIER_CHANGED = 8,     /* a file changed meanwhile, or what should not happen */
  ONNX_HIER_RUNNING = 9      /* it goes on: see onnx_hier_call_in_background() */
};

/* The version that this library has: ONNX_HIER_C_VERSION, and "0.2.0". */
ONNX_HIER_API int onnx_hier_c_version(void);
ONNX_HIER_API const char* onnx_hier_version(void);

/* --- A call: what stops one, how far it is, and what came of it. May be used again and again. */

typedef struct onnx_hier_call onnx_hier_call;

/* NULL: there is no memory. */
ONNX_HIER_API onnx_hier_call* onnx_hier_call_new(void);
/* Of one that runs, waits for its end. */
ONNX_HIER_API void onnx_hier_call_free(onnx_hier_call* call);
/* For callers that have something else to look after: functions that take this call return
 * ONNX_HIER_RUNNING at once, and go on in a thread of the library's. All that they were given must
 * stay until onnx_hier_call_wait() says that they have ended. */
ONNX_HIER_API void onnx_hier_call_in_background(onnx_hier_call* call);
/* Waits at most so long. What the function returns, or ONNX_HIER_RUNNING. */
ONNX_HIER_API int onnx_hier_call_wait(onnx_hier_call* call, int milliseconds);
/* The function that works with it, or else the next one, returns ONNX_HIER_CANCELLED as soon as it
 * can, and leaves no file behind. For signal handlers, too. */
ONNX_HIER_API void onnx_hier_call_cancel(onnx_hier_call* call);
/* Bytes of models that onnx_hier_write() has written so far. */
ONNX_HIER_API uint64_t onnx_hier_call_progress(const onnx_hier_call* call);
/* The answer of the last function, or its error, until the next one; ends with a null character,
 * which `size` (may be NULL) does not count. */
ONNX_HIER_API const char* onnx_hier_call_text(const onnx_hier_call* call, size_t* size);

/* --- Options: pairs of a name and a value, in any order. Of names that are said to be so, there
 * may be several; of others the last one counts. Yes and no are "1" and "0". */

typedef struct onnx_hier_option {
  const char* name;
  const char* value;
  size_t size; /* of the value, in bytes */
} onnx_hier_option;

/* --- Models */

typedef struct onnx_hier_model onnx_hier_model;

/* Where the bytes of a model come from, if it is no file of the system. */
typedef struct onnx_hier_source {
  void* context;
  uint64_t size; /* in bytes */
  /* Reads the bytes [offset, offset + size), all of which exist. NULL, or else what is wrong, a
   * text that is there until the next call. From one thread at a time, which need not be the
   * caller's. */
  const char* (*read)(void* context, void* out, uint64_t size, uint64_t offset);
  /* Is called when nothing is read any more. May be NULL. */
  void (*close)(void* context);
} onnx_hier_source;

ONNX_HIER_API int onnx_hier_open(onnx_hier_call* call, const char* path, onnx_hier_model** model);
/* The bytes are not copied: they must stay until the model, and all that is made from it, is freed.
 * `name` is for errors. */
ONNX_HIER_API int onnx_hier_open_bytes(onnx_hier_call* call, const void* bytes, size_t size,
                                       const char* name, onnx_hier_model** model);
/* Reads what is needed only: no weights, as a rule. The source is closed whatever comes of it. */
ONNX_HIER_API int onnx_hier_open_source(onnx_hier_call* call, const onnx_hier_source* source,
                                        const char* name, onnx_hier_model** model);
/* The model as it was before 'fold' made functions of its modules, another one: what questions are
 * asked of. `weights`: 1 with their contents, 0 with zeros in their place. One that is not folded
 * is given itself. */
ONNX_HIER_API int onnx_hier_unfolded(onnx_hier_call* call, onnx_hier_model* model, int weights,
                                     onnx_hier_model** flat);
ONNX_HIER_API void onnx_hier_model_free(onnx_hier_model* model);

/* Asks something that needs no annotation. `question`:
 *   "facts"  {"bytes", "nodes", "tagged", "folded", "nodes_with_graphs": [numbers]}
 *   "check"  what 'onnx-hier check --json' prints (schemas/check_report.schema.json). Options:
 *            sidecar (its text), fresh, contamination, coverage, module_map (a path), checkpoint
 *            (a path; there may be several), rules (a text)
 *   "weights" what 'onnx-hier weights --json' prints (schemas/weights.schema.json). Options:
 *            checkpoint (as above), require ("all" or a pattern; there may be several), tolerance,
 *            module_map, rules */
ONNX_HIER_API int onnx_hier_ask_model(onnx_hier_call* call, onnx_hier_model* model,
                                      const char* question, const onnx_hier_option* options,
                                      size_t count);

/* --- Annotations: the modules of a model's nodes */

typedef struct onnx_hier_annotation onnx_hier_annotation;

/* `original`: the model that this one was made from, whose modules its nodes get; NULL: its names
 * and its structure say them. Options: module_map (a path), checkpoint (a path: weights are called
 * as in it; there may be several), min_confidence (0 to 1: each node gets a module that holds it
 * with this probability), rules (a text: what is known better than the file tells it, as of
 * --rules), any_order (1: also where the original seems to have been made from the model). */
ONNX_HIER_API int onnx_hier_annotate(onnx_hier_call* call, onnx_hier_model* model,
                                     onnx_hier_model* original, const onnx_hier_option* options,
                                     size_t count, onnx_hier_annotation** annotation);
ONNX_HIER_API void onnx_hier_annotation_free(onnx_hier_annotation* annotation);

/* Asks for something. Nodes, modules and parameters have numbers: their places in the answers to
 * "nodes", "modules" and "parameters", from 0. Lists of numbers are written "3 5 8". Wherever
 * modules are meant, the options `modules` (such a list) or `pattern` (there may be several) say
 * which: "/encoder/layer.*", "encoder.layer.0". `question`:
 *   "facts"          {"dialect", "warnings"}
 *   "nodes"          an object of lists, an item a node: id, name, op_type, domain, module,
 *                    method, confidence, containment, call, by_call, outputs (names of values);
 *                    and "auxiliary": [number, [modules]] of each node that has some
 *   "modules"        likewise: path, qualified_name, class_name, parent (a number or null), calls,
 *                    nodes, total_nodes, parameters, total_parameters, total_parameter_bytes,
 *                    level, leaf, library, state, read_in. Option: all (with those that only a
 *                    module map tells of)
 *   "parameters"     likewise: name, module, data_type, shape, elements, bytes
 *   "find"           numbers of the modules that are meant
 *   "nodes_of"       numbers of the nodes in modules. Option: own (not in modules inside)
 *   "parameters_of"  likewise
 *   "select"         {"nodes": how many, "names", "unknown_operators"}. Options: pattern ("!/head"
 *                    takes away), op_type (there may be several), own, below (whose confidence is
 *                    less), as ("names" of nodes, "ids", or names of their "inputs", "outputs" or
 *                    "all" values)
 *   "explain"        what 'onnx-hier explain --json' prints. Option: nodes
 *   "tree"           the picture that 'onnx-hier tree' draws: text. Options: as ("text",
 *                    "markdown", "csv", or "json": what 'onnx-hier tree --json' prints), depth,
 *                    modules, pattern (only these), columns (there may be several: "nodes",
 *                    "operators" ...), sort (a column); of columns of what a run costs ("macs",
 *                    "alive" ...) also shape ("x=1x3x224x224"), dim ("seq=128"; of both there may
 *                    be several), device ("2000:50": 10^9 operations and bytes a second at most);
 *                    profile (the file of a profile or of a table by node) with key, value
 *                    (columns of the table), adds ("sum", "mean", "most", "count"); in (one branch
 *                    of an If or one body of a loop alone: "then_branch", "1045/then_branch")
 *   "report"         the page that 'onnx-hier report' writes: HTML. Options: columns, shape, dim,
 *                    device, profile, key, value, adds, as "tree"
 *   "profile"        what 'onnx-hier profile' prints. Options: profile, compare (another one), as
 *                    ("json", "table", "markdown", "csv", "folded", "speedscope", "trace"), and
 *                    those of "tree"
 *   "export"         what 'onnx-hier export' writes. Options: as ("model-explorer", "graphml",
 *                    "dot"), and those of "tree" but sort and in
 *   "measure"        numbers by module: {"id", "title", "unit", "adds", "total", "not_placed"}, and
 *                    lists with an item a module: own, totals (with all inside), unknown (how many
 *                    amounts are not known), of words also "words" (how often each was said).
 *                    Options: column ("nodes", "operators" ...; with shape, dim, device as
 *                    "tree"), or profile with key, value, adds
 */
ONNX_HIER_API int onnx_hier_ask(onnx_hier_call* call, onnx_hier_annotation* annotation,
                                const char* question, const onnx_hier_option* options,
                                size_t count);
/* Which modules changed from one model to another: what 'onnx-hier diff --json' prints. Options:
 * structure, weights (both "1" if not said), depth; as ("json", or "page": that of `a`, with what
 * `b` has, and the options of "report"). */
ONNX_HIER_API int onnx_hier_diff(onnx_hier_call* call, onnx_hier_annotation* a,
                                 onnx_hier_annotation* b, const onnx_hier_option* options,
                                 size_t count);
/* Which module of a model lost accuracy against the one that it was made from: what 'onnx-hier
 * numerics --json' prints. `a`: of the original. Options: a_values, b_values (files as the command
 * takes them), isolated (likewise), depth, pattern (of a's modules), suggest, precision, least
 * (what
 * --fail-below is). */
ONNX_HIER_API int onnx_hier_numerics(onnx_hier_call* call, onnx_hier_annotation* a,
                                     onnx_hier_annotation* b, const onnx_hier_option* options,
                                     size_t count);

/* --- Products: what is made of a model, and can be written */

typedef struct onnx_hier_product onnx_hier_product;

/* Makes something of a model that needs no annotation; the answer tells what became of it. `what`:
 *   "strip"   without tags, as it was before 'tag'
 *   "unfold"  without the functions that 'fold' made. Option: all (those that others made, too).
 *             {"exact", "was_folded", "functions", "functions_left", "nodes_before", "nodes_after"}
 *   "apply"   with the tags of a sidecar. Options: sidecar (its text), name (for errors).
 *             {"matched", "problems"} */
ONNX_HIER_API int onnx_hier_make_of_model(onnx_hier_call* call, onnx_hier_model* model,
                                          const char* what, const onnx_hier_option* options,
                                          size_t count, onnx_hier_product** product);
/* Makes something of an annotated model. `what`:
 *   "tag"      0: with a module in each doc_string; 1: its sidecar. Options: name_nodes (gives
 *              nodes without a name one), unique_names (also those whose name others have, too).
 *              {"named"}
 *   "extract"  modules, as a model of their own. Options: modules or pattern (which may be a node's
 *              id or name, or a value's name), call (of one that runs several times, which run),
 *              reach ("modules", "up_to", "from"), in (of what both branches of an If have:
 *              "then_branch"); or inputs and outputs, names of values between which the part lies.
 *              {"suffix": of the file's name}
 *   "split"    0 and on: parts that run one after the other; the last: their manifest. One of the
 *              options modules or pattern (to cut at), parts (so many, `by` "bytes", "nodes",
 *              "parameters", what a run costs with shape, dim, device, or the column of a profile
 *              with key, value, adds), max_bytes; or none: at the longest list of layers. The
 *              manifest.
 *   "fold"     with modules as functions. Options: modules or pattern (only these), repeated,
 *              min_nodes, depth. {}
 *   "place"    with labels of devices. Options: rule ("PATTERN=DEVICE", there may be several),
 *              output (the file that it is for). What 'onnx-hier place --json' prints. */
ONNX_HIER_API int onnx_hier_make(onnx_hier_call* call, onnx_hier_annotation* annotation,
                                 const char* what, const onnx_hier_option* options, size_t count,
                                 onnx_hier_product** product);
/* The whole model, which also gives out what goes into modules and comes out of them. `like`: the
 * model that it was made from, whose modules are meant; NULL: its own are. Options: modules,
 * pattern (none: all), depth, isolated (each runs for itself, on values that are given to the
 * model). What 'onnx-hier probe --json' prints, without files. */
ONNX_HIER_API int onnx_hier_probe(onnx_hier_call* call, onnx_hier_annotation* annotation,
                                  onnx_hier_annotation* like, const onnx_hier_option* options,
                                  size_t count, onnx_hier_product** product);
ONNX_HIER_API size_t onnx_hier_product_outputs(const onnx_hier_product* product);
ONNX_HIER_API void onnx_hier_product_free(onnx_hier_product* product);

/* `question`:
 *   "describe"  what the command prints with --json. Options: output (the file that it was written
 *               to), sidecar, named (a number), milliseconds, warning (there may be several)
 *   "texts"     of what changes names and doc_strings only: [[node, is_name, text or null], ...] */
ONNX_HIER_API int onnx_hier_ask_product(onnx_hier_call* call, onnx_hier_product* product,
                                        const char* question, const onnx_hier_option* options,
                                        size_t count);

/* Where an output goes: to a file, or to memory. */
typedef struct onnx_hier_output {
  size_t number;    /* of those that the product has */
  const char* path; /* NULL: to memory */
  void* context;
  /* Of memory: gives so many bytes, which are filled then; is called once. NULL: there is none. */
  void* (*allocate)(void* context, uint64_t size);
} onnx_hier_output;

/* Writes outputs of a product, all or none: files appear complete or not at all, and none takes the
 * place of anything that was read. Options: force (files that exist give way), in_place,
 * offers_in_place (what an error proposes), sync (until it is on the disk; "1" if not said),
 * external_data ("refuse", "copy", "keep", "cut", "cut elsewhere"), reads (files that must stay as
 * they are; there may be several). {"warnings": what could not be kept} */
ONNX_HIER_API int onnx_hier_write(onnx_hier_call* call, onnx_hier_product* product,
                                  const onnx_hier_output* outputs, size_t outputs_count,
                                  const onnx_hier_option* options, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* ONNX_HIER_C_H_ */
/* NOLINTEND(modernize-use-using) */
