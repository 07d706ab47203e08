// Drives an API server with @kubernetes/client-node: a line per check, and an end at the first that fails.

import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import * as k8s from '@kubernetes/client-node';

const namespace = 'javascript-client';
// Where every server has pods before it is used.
const crowd = 'crowd';
const patience = 120_000;

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const extensions = config.makeApiClient(k8s.ApiextensionsV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);

const courses = { group: 'sea.example.com', version: 'v1', namespace, plural: 'courses' };

const configMap = (name, labels) => ({ metadata: { name, labels }, data: { wind: 'north' } });

const course = (name, bearing) => ({
  apiVersion: 'sea.example.com/v1',
  kind: 'Course',
  metadata: { name, namespace },
  spec: { bearing },
});

/** The request must be refused with this code. */
async function refused(code, request) {
  await assert.rejects(request, (error) => {
    assert.equal(error.code, code, `${error}`);
    return true;
  });
}

/** Asks again and again until the answer is yes. */
async function until(what, ask) {
  const end = Date.now() + patience;
  while (!(await ask())) {
    assert.ok(Date.now() < end, `waited in vain until ${what}`);
    await sleep(50);
  }
}

async function createAndGet() {
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  const made = await core.createNamespacedConfigMap({ namespace, body: configMap('first') });
  const got = await core.readNamespacedConfigMap({ namespace, name: 'first' });
  assert.equal(got.metadata.uid, made.metadata.uid);
  assert.deepEqual(got.data, { wind: 'north' });
  await refused(409, core.createNamespacedConfigMap({ namespace, body: configMap('first') }));
  await refused(404, core.readNamespacedConfigMap({ namespace, name: 'nobody' }));
  made.metadata.resourceVersion = '1';
  await refused(409, core.replaceNamespacedConfigMap({ namespace, name: 'first', body: made }));
}

async function listInPages() {
  for (let number = 0; number < 5; number++) {
    await core.createNamespacedConfigMap({ namespace, body: configMap(`page-${number}`, { book: 'log' }) });
  }
  const sizes = [];
  const versions = new Set();
  let _continue;
  do {
    const page = await core.listNamespacedConfigMap({ namespace, labelSelector: 'book=log', limit: 2, _continue });
    sizes.push(page.items.length);
    versions.add(page.metadata.resourceVersion);
    _continue = page.metadata._continue;
  } while (_continue);
  assert.deepEqual(sizes, [2, 2, 1]);
  assert.equal(versions.size, 1);
}

async function watchChanges() {
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  const events = [];
  const query = { resourceVersion: metadata.resourceVersion, fieldSelector: 'metadata.name=watched' };
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const watching = await new k8s.Watch(config).watch(path, query, (type) => events.push(type), () => {});
  const body = configMap('watched');
  await core.createNamespacedConfigMap({ namespace, body });
  await core.replaceNamespacedConfigMap({ namespace, name: 'watched', body: { ...body, data: { wind: 'south' } } });
  await core.deleteNamespacedConfigMap({ namespace, name: 'watched' });
  await until('three events came', () => events.length >= 3);
  watching.abort();
  assert.deepEqual(events, ['ADDED', 'MODIFIED', 'DELETED']);
}

function patch(name, body, form, more = {}) {
  const options = k8s.setHeaderOptions('Content-Type', form);
  return core.patchNamespacedConfigMap({ namespace, name, body, ...more }, options);
}

async function patchJson() {
  const got = await patch(
    'first',
    [
      { op: 'test', path: '/data/wind', value: 'north' },
      { op: 'add', path: '/data/sea', value: 'calm' },
    ],
    k8s.PatchStrategy.JsonPatch,
  );
  assert.equal(got.data.sea, 'calm');
  await refused(422, patch('first', [{ op: 'remove', path: '/data/nothing' }], k8s.PatchStrategy.JsonPatch));
}

async function patchMerge() {
  const got = await patch('first', { data: { sea: null, sky: 'clear' } }, k8s.PatchStrategy.MergePatch);
  assert.deepEqual({ ...got.data }, { wind: 'north', sky: 'clear' });
}

async function patchStrategic() {
  const labels = { app: 'ship' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'sail', image: 'sail:1' }] } };
  const deployment = { metadata: { name: 'ship' }, spec: { selector: { matchLabels: labels }, template } };
  await apps.createNamespacedDeployment({ namespace, body: deployment });
  // Containers are merged by name: one changes, one is new.
  const containers = [
    { name: 'sail', image: 'sail:2' },
    { name: 'oar', image: 'oar:1' },
  ];
  const got = await apps.patchNamespacedDeployment(
    { namespace, name: 'ship', body: { spec: { template: { spec: { containers } } } } },
    k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.StrategicMergePatch),
  );
  const images = got.spec.template.spec.containers.map((container) => container.image).sort();
  assert.deepEqual(images, ['oar:1', 'sail:2']);
}

async function patchApply() {
  const apply = (fieldManager, wind, force) => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { wind } };
    return patch('applied', body, k8s.PatchStrategy.ServerSideApply, { fieldManager, force });
  };
  await apply('helm', 'east', false);
  await refused(409, apply('mate', 'west', false));
  const forced = await apply('mate', 'west', true);
  assert.equal(forced.data.wind, 'west');
  assert.deepEqual(forced.metadata.managedFields.map((entry) => entry.manager), ['mate']);
}

async function deleteOneAndAll() {
  await core.deleteNamespacedConfigMap({ namespace, name: 'applied' });
  await refused(404, core.readNamespacedConfigMap({ namespace, name: 'applied' }));
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'book=log' });
  const left = await core.listNamespacedConfigMap({ namespace, labelSelector: 'book=log' });
  assert.equal(left.items.length, 0);
}

async function defineCourses() {
  const body = k8s.loadYaml(readFileSync('clients/courses.yaml', 'utf8'));
  await extensions.createCustomResourceDefinition({ body });
  await until('the definition is established', async () => {
    const got = await extensions.readCustomResourceDefinition({ name: body.metadata.name });
    return got.status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True');
  });
  await until('discovery names it', async () => {
    const { groups } = await config.makeApiClient(k8s.ApisApi).getAPIVersions();
    return groups.some((group) => group.name === courses.group);
  });
}

async function useCourses() {
  // This client finds the path of an object by discovery.
  const objects = k8s.KubernetesObjectApi.makeApiClient(config);
  await objects.create(course('home', 270));
  await refused(422, custom.createNamespacedCustomObject({ ...courses, body: course('nowhere', 400) }));

  const merge = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch);
  const home = { ...courses, name: 'home' };
  const patched = await custom.patchNamespacedCustomObject({ ...home, body: { spec: { bearing: 90 } } }, merge);
  assert.deepEqual(patched.spec, { bearing: 90, north: 'true' });
  const body = { status: { held: true } };
  const updated = await custom.patchNamespacedCustomObjectStatus({ ...home, body }, merge);
  assert.equal(updated.status.held, true);
  assert.equal(updated.metadata.generation, patched.metadata.generation);

  const marked = course('home', 90);
  marked.spec.marks = ['light', 'buoy'];
  const apply = k8s.PatchStrategy.ServerSideApply;
  const applied = await objects.patch(marked, undefined, undefined, 'helm', true, apply);
  assert.deepEqual(applied.spec.marks, ['light', 'buoy']);
  const list = await custom.listNamespacedCustomObject(courses);
  assert.equal(list.items.length, 1);
}

/** Which pods of the crowd arrived; clients/crowd/fill tells what they are like. Each may come once, as it was made. */
class Seen {
  size = Number(process.env.RHUMB_CROWD);
  numbers = new Set();

  add(pod) {
    const { number } = pod.metadata.labels;
    assert.ok(Number(number) < this.size && !this.numbers.has(number), `${pod.metadata.name} is not one pod of these`);
    assert.equal(pod.metadata.name, `web-7d4b9c6f5d-${number}`);
    assert.equal(pod.spec.containers[0].image, `registry.example.com/shop/web:1.27.${number}`);
    this.numbers.add(number);
  }

  isFull() {
    return this.numbers.size === this.size;
  }
}

async function crowdListed() {
  const seen = new Seen();
  const { items } = await core.listNamespacedPod({ namespace: crowd });
  items.forEach((pod) => seen.add(pod));
  assert.ok(seen.isFull(), `only ${seen.numbers.size} pods came`);
}

async function crowdInPages() {
  const seen = new Seen();
  let _continue;
  do {
    const page = await core.listNamespacedPod({ namespace: crowd, limit: 500, _continue });
    page.items.forEach((pod) => seen.add(pod));
    _continue = page.metadata._continue;
  } while (_continue);
  assert.ok(seen.isFull(), `only ${seen.numbers.size} pods came`);
}

async function crowdWatched() {
  const seen = new Seen();
  let problem;
  // A watch without a version begins with all that is there. What a handler throws would be lost.
  const note = (type, pod) => {
    try {
      assert.equal(type, 'ADDED');
      seen.add(pod);
    } catch (error) {
      problem ??= error;
    }
  };
  const path = `/api/v1/namespaces/${crowd}/pods`;
  const watching = await new k8s.Watch(config).watch(path, {}, note, (error) => (problem ??= error));
  await until('all pods came', () => problem || seen.isFull());
  assert.ifError(problem);
  watching.abort();
}

async function crowdInformed() {
  const seen = new Seen();
  const list = () => core.listNamespacedPod({ namespace: crowd });
  const informer = k8s.makeInformer(config, `/api/v1/namespaces/${crowd}/pods`, list);
  let problem;
  informer.on('add', (pod) => {
    try {
      seen.add(pod);
    } catch (error) {
      problem ??= error;
    }
  });
  informer.on('update', (pod) => (problem ??= new Error(`${pod.metadata.name} was never changed`)));
  informer.on('error', (error) => (problem ??= error));
  await informer.start();
  await until('the informer told of all pods', () => problem || seen.isFull());
  assert.ifError(problem);
  await informer.stop();
  assert.equal(informer.list(crowd).length, seen.size);
}

async function informerOverARestart() {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const informer = k8s.makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
  // This informer leaves it to its user to start again after an error.
  informer.on('error', () => setTimeout(() => informer.start(), 200));
  await informer.start();
  for (const name of ['before', 'after']) {
    if (name === 'after') {
      execSync(process.env.RHUMB_RESTART, { stdio: 'inherit' });
    }
    await core.createNamespacedConfigMap({ namespace, body: configMap(name) });
    await until(`the informer knows ${name}`, () => informer.get(name, namespace));
  }
  assert.ok(informer.get('before', namespace), 'the informer forgot what was there before the restart');
  const home = await custom.getNamespacedCustomObject({ ...courses, name: 'home' });
  assert.equal(home.spec.bearing, 90);
  await informer.stop();
}

const checks = [
  ['create and get', createAndGet],
  ['list in pages', listInPages],
  ['watch', watchChanges],
  ['patch: JSON', patchJson],
  ['patch: merge', patchMerge],
  ['patch: strategic', patchStrategic],
  ['patch: apply', patchApply],
  ['delete', deleteOneAndAll],
  ['custom resource: definition', defineCourses],
  ['custom resource: instances', useCourses],
  ['crowd: list', crowdListed],
  ['crowd: list in pages', crowdInPages],
  ['crowd: watch', crowdWatched],
  ['crowd: informer', crowdInformed],
  ['an informer over a restart', informerOverARestart],
];

for (const [name, check] of checks) {
  try {
    await check();
  } catch (error) {
    console.log(`FAIL ${name}: ${error}`);
    process.exit(1);
  }
  console.log(`ok   ${name}`);
}
process.exit(0);
