// Restarts the pods of the deployment one after another, as `kubectl rollout restart` does, so that they pull the image again. Run by
// deploy/kubernetes/browser-renewal.yaml: node restart-pods.js DEPLOYMENT
import { readFileSync } from 'node:fs';

const {
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port,
  SERVICE_ACCOUNT: account,
} = process.env;
const given = (name) => readFileSync(`${account}/${name}`, 'utf8').trim();
const [deployment] = process.argv.slice(2);
const address = host.includes(':') ? `[${host}]` : host;
const annotations = { 'tintype/restarted-at': new Date().toISOString() };

const response = await fetch(
  `https://${address}:${port}/apis/apps/v1/namespaces/${given('namespace')}/deployments/${deployment}`,
  {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${given('token')}`,
      'content-type': 'application/strategic-merge-patch+json',
    },
    body: JSON.stringify({ spec: { template: { metadata: { annotations } } } }),
  },
);
if (!response.ok) {
  process.stderr.write(`${deployment} was not restarted: ${response.status} ${await response.text()}\n`);
  process.exit(1);
}
process.stdout.write(`${deployment} is restarted, one pod after another\n`);
