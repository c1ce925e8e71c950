// SPDX-License-Identifier: Apache-2.0

// What is before the user. The program runs in a worker (worker.js), so that the page stays at hand and
// what takes too long can be stopped.

const byId = (id) => document.getElementById(id);
const show = (id, is = true) => { byId(id).hidden = !is; };

const compiled = (async () => {
  const packed = Uint8Array.from(atob(packedProgram), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
})();
compiled.catch(() => {});  // said when the program is asked for something
const workerPlace = URL.createObjectURL(new Blob([workerText], {type: 'text/javascript'}));

let shown = {model: null, other: null, profile: null};  // a model, what it is compared with, its times
let worker = null;

function stop() {
  worker?.terminate();
  worker = null;
  show('work', false);
}

function fail(message) {
  stop();
  byId('error').textContent = message;
  show('error');
}

// What the worker makes of one command; null if it was stopped, or failed and said so.
async function ask(state, command) {
  stop();
  show('error', false);
  byId('state').textContent = state;
  byId('progress').removeAttribute('value');
  show('work');
  const mine = worker = new Worker(workerPlace);
  let program;
  try {
    program = await compiled;
  } catch (error) {
    if (worker === mine) fail(`this browser cannot run the program: ${error.message}`);
    return null;
  }
  const answer = await new Promise((done) => {
    mine.onmessage = ({data}) => {
      if (data.read === undefined) done(data);
      else byId('progress').value = data.read;
    };
    mine.onerror = (event) => done({error: `the program has ended: ${event.message}`});
    mine.postMessage({program, ...command});
  });
  if (worker !== mine) return null;
  if (answer.error) {
    fail(answer.error);
    return null;
  }
  stop();
  return answer.result;
}

// What cannot be drawn leaves all as it was.
async function draw(changes) {
  const next = {...shown, ...changes};
  const {model, other, profile} = next;
  const page = await ask(`Reading ${model.name} …`, {name: 'report', ...next});
  if (page === null) return;
  shown = next;
  const parts = [model.name, other && `beside ${other.name}`, profile && `with ${profile.name}`];
  byId('name').textContent = parts.filter(Boolean).join(' ');
  document.title = `${model.name} – onnx-hier`;
  byId('report').srcdoc = page;
  show('start', false);
  show('actions');
  show('report');
}

function save(name, bytes) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const stem = () => shown.model.name.replace(/\.onnx$/i, '');

async function saveModel() {
  const bytes = await ask('Tagging …', {name: 'tag', model: shown.model});
  if (bytes) save(`${stem()}_tagged.onnx`, bytes);
}

async function saveHierarchy() {
  const text = await ask('Tagging …', {name: 'hierarchy', model: shown.model});
  if (text !== null) save(`${stem()}_hierarchy.json`, text);
}

// By what it holds: a model begins with a field of protobuf, a profile or table with text.
async function isModel(file) {
  if (/\.onnx$/i.test(file.name)) return true;
  const [first] = new Uint8Array(await file.slice(0, 1).arrayBuffer());
  return first === 8;
}

// `isOther`: to be put beside the model that is shown.
async function take(files, isOther = false) {
  show('work');
  const are = await Promise.all(files.map(isModel));
  const models = files.filter((_, i) => are[i]);
  const [profile] = files.filter((_, i) => !are[i]);
  const [first, second] = models.length > 0 || shown.model ? models : files;
  if (!first) {
    if (profile) draw({profile});
    else stop();
  } else if (isOther) {
    draw({other: first});
  } else {
    draw({model: first, other: second ?? null, profile: profile === first ? null : profile ?? null});
  }
}

function onChoice(id, use) {
  byId(id).addEventListener('change', (event) => {
    const files = [...event.target.files];
    event.target.value = '';  // the same file may be chosen again
    if (files.length > 0) use(files);
  });
}

onChoice('choose', take);
onChoice('choose-another', take);
onChoice('choose-other', ([file]) => draw({other: file}));
onChoice('choose-profile', ([file]) => draw({profile: file}));
byId('try-example').addEventListener('click', () => {
  const bytes = Uint8Array.from(atob(exampleModel), (letter) => letter.charCodeAt(0));
  draw({model: new File([bytes], 'example.onnx'), other: null, profile: null});
});
byId('save-model').addEventListener('click', saveModel);
byId('save-hierarchy').addEventListener('click', saveHierarchy);
byId('cancel').addEventListener('click', stop);

addEventListener('dragenter', (event) => {
  event.preventDefault();
  show('drop');
  show('drop-other', shown.model !== null);
});
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) show('drop', false);
});
addEventListener('drop', (event) => {
  event.preventDefault();
  show('drop', false);
  take([...event.dataTransfer.files], event.target.id === 'drop-other');
});
