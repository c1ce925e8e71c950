// SPDX-License-Identifier: Apache-2.0

/**
 * A model: a path (in Node), a URL, its bytes, a Blob (a File in a browser), or anything with a size in
 * bytes and a `read` that fills an array from a position on and returns, at once, how many bytes it put
 * in. Of a path or a source only what is asked for is read: weights are not. So too of a URL in Node,
 * and of a URL or a Blob in a worker.
 */
export type File = string | URL | ArrayBuffer | ArrayBufferView | Blob | Source;
export interface Source {
  size: number;
  read(bytes: Uint8Array, position: number): number;
}

/** What the program says where it fails; `code` is its exit code (2: bad input or use). */
export class OnnxHierError extends Error {
  code: number;
}

export interface AnnotateOptions {
  /** Give each node a module that holds it with this probability, 0 to 1. */
  minConfidence?: number;
  /**
   * Where the weights come from: safetensors, GGUF, an ONNX model, or several files. With an index
   * (*.index.json), its shards are given beside it. Weights are found there by what they hold.
   */
  checkpoint?: File | File[];
}

/** Schema onnx-hier/sidecar. Modules are paths, such as "/encoder/layer.1/attention"; the root is "/". */
export interface Hierarchy {
  schema: 'onnx-hier/sidecar';
  schema_version: number;
  generator: {name: 'onnx-hier'; version: string};
  model: ModelInfo;
  checkpoint?: CheckpointFile[];
  modules: Module[];
  parameters: Parameter[];
  nodes: Node[];
  summary: {
    nodes: number;
    tagged: number;
    unsure?: number;
    coverage: number;
    by_method: Record<string, number>;
    contamination: {found: number; resolved: number; unresolved: number};
  };
}
export interface ModelInfo {
  file: string;
  graph_name: string;
  producer_name: string;
  producer_version: string;
  ir_version: number;
  opset_import: Record<string, number>;
  dialect: string;
}
export interface Module {
  path: string;
  /** With dots, as PyTorch has it: "encoder.layer.1.attention". */
  qualified_name: string;
  class: string | null;
  level?: number;
  leaf?: boolean;
  library?: string | null;
  parent: string | null;
  calls: number;
  nodes: number;
  total_nodes: number;
  parameters: number;
  total_parameters: number;
  total_parameter_bytes: number;
  read_in?: string;
  state?: 'no nodes';
  /** By the id of a measure. */
  measures?: {[id: string]: Figure};
}
/** A number by module. */
export interface Measure {
  id: string;
  title: string;
  unit: 'count' | 'bytes' | 'ns' | 'ratio' | 'number' | 'words';
  adds: 'sum' | 'mean' | 'most';
  total: number;
  not_placed: number;
}
/** What a module has of one: null where nothing is known. */
export interface Figure {
  own: number | null;
  total: number | null;
  unknown?: number;
  own_words?: {[word: string]: number};
  words?: {[word: string]: number};
}
export interface Parameter {
  name: string;
  /** In the checkpoint, where the model's own name tells nothing. */
  checkpoint_name?: string;
  node?: string;
  module: string;
  type: string;
  shape: number[];
  bytes: number;
}
export interface Node {
  id: string;
  name: string;
  op_type: string;
  output: string;
  /** The module that the node belongs to. */
  tag: string;
  /** Modules whose values meet in the node; with `by_call` its owners in further calls. */
  auxiliary: string[];
  /** It is in the body of a function that stands for a module in each call. */
  by_call?: true;
  method: string;
  /** That the tag is exactly right, and that the module holds the node, 0 to 1. */
  confidence: number;
  containment: number;
  call: number;
  reason?: string;
  inputs?: string[];
  outputs?: string[];
  types?: (string | null)[];
  /** Numbers, names of sizes and formulas of them. */
  shapes?: ((number | string | null)[] | null)[];
}

/** Schema onnx-hier/tree. */
export interface Tree {
  schema: 'onnx-hier/tree';
  schema_version: number;
  model: ModelInfo;
  /** Of `columns` and `profile`. */
  measures?: Measure[];
  modules: Module[];
}

export interface CheckpointFile {
  file: string;
  format: 'safetensors' | 'gguf' | 'onnx';
  bytes: number;
  header: string;
}
/** Schema onnx-hier/weights. */
export interface Weights {
  schema: 'onnx-hier/weights';
  schema_version: number;
  input: string;
  checkpoint: CheckpointFile[];
  tensors: {found: number; folded: number; missing: number};
  weights: Weight[];
  missing: string[];
  /** Of what is required: what the model does not hold. */
  unmet?: string[];
  warnings: string[];
}
/** An initializer; what it is, unless `tensors` is empty. */
export interface Weight {
  weight: string;
  tensors: string[];
  folded?: string[];
  by?: 'contents' | 'likeness' | 'module' | 'name';
  layout?: 'stored' | 'transposed' | 'rearranged';
  part?: boolean;
  cast?: boolean;
  quantised?: boolean;
  scaled?: boolean;
  changed?: boolean;
  tie?: boolean;
  error?: number;
  probability?: number;
}

/** Schema onnx-hier/check-report. */
export interface CheckReport {
  schema: 'onnx-hier/check-report';
  schema_version: number;
  file: string;
  tags: {source: string; nodes: number; tagged: number; malformed: number};
  findings?: Finding[];
  groups?: {kind: string; parent: string; actual: string; expected: string; nodes: number}[];
  broken_rules?: {line: number; rule: string; module: string | null; text: string}[];
}
export interface Finding {
  node: string;
  name: string;
  op_type: string;
  kind: 'cross_layer' | 'cross_module';
  actual: string;
  expected: string;
  differs: string[];
  witnesses: string[];
  confidence: number;
}

/** The model with each node's module in its doc_string, and the hierarchy; as `onnx-hier tag`. */
export function tag(
  model: File,
  options?: AnnotateOptions & {nameNodes?: boolean | 'unique'; metadata?: boolean},
): Promise<{model: Uint8Array; hierarchy: Hierarchy}>;

/** The hierarchy alone. `values`: with what each node reads and makes. */
export function hierarchy(
  model: File,
  options?: AnnotateOptions & {values?: boolean},
): Promise<Hierarchy>;

/** The modules, as `onnx-hier tree --json`; with more of each that `columns` ask for, and what a
 * profile or a table by node comes to. `graph`: of one branch of an If or one body of a loop. */
export function tree(
  model: File,
  options?: AnnotateOptions & {columns?: string[]; profile?: File; graph?: string},
): Promise<Tree>;

/** An HTML page to look at the model, as `onnx-hier report`. */
export function report(model: File, options?: {compare?: File; profile?: File}): Promise<string>;

/** Which initializer is which tensor of the checkpoint, as `onnx-hier weights --json`. */
export function weights(
  model: File,
  checkpoint: File | File[],
  options?: {require?: string | string[]; tolerance?: number},
): Promise<Weights>;

/** Mislabelled nodes, as `onnx-hier check --json`. `fresh`: of the tags that `tag` would write. */
export function check(model: File, options?: {fresh?: boolean}): Promise<CheckReport>;

/**
 * Any command, on files in memory, by path: run(['split', 'in.onnx'], {files: {'in.onnx': bytes}}).
 * Gives the exit code, what was printed, and the files that were written.
 */
export function run(
  args: string[],
  options?: {files?: Record<string, File>; input?: Uint8Array},
): Promise<{code: number; stdout: Uint8Array; stderr: string; files: Record<string, Uint8Array>}>;
