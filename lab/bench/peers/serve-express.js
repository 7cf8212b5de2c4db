// express.static on a folder of files.
import express from 'express';

const app = express();
app.use(express.static(process.argv[2]));
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
