// multer on Express, files to disk; it syncs nothing and stores no row.
import express from 'express';
import multer from 'multer';

const app = express();
app.post('/upload', multer({ dest: process.argv[2] }).array('file', 10), (request, response) => {
  response.status(201).json({ ids: request.files.map(({ filename }) => filename) });
});
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
