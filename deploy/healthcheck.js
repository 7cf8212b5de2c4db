// The container's health check: exits with 0 if the service responds to /healthz on its own port, with or without TLS.
import http from 'node:http';
import https from 'node:https';

const { PORT = '3000', TLS_CERT_FILE } = process.env;
const options = {
  host: '127.0.0.1',
  port: PORT,
  path: '/healthz',
  timeout: 4_000,
  rejectUnauthorized: false,
};

(TLS_CERT_FILE ? https : http)
  .get(options, (response) => process.exit(response.statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
