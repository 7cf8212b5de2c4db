// sirv on node:http, in its production mode: it scans the folder once, when it starts.
import { createServer } from 'node:http';
import sirv from 'sirv';

const server = createServer(sirv(process.argv[2], { etag: true }));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
